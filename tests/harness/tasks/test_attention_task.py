from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from harness.adapters import as_embedder
from harness.data import DataFolder, ScoredPairs
from harness.diagnostics.attention import cls_attention, model_behind
from harness.encoder import open_embedder
from harness.errors import Skipped
from harness.evaluation.evaluator import evaluate
from harness.languages import SpacyPack
from harness.protocols import TaskOptions
from harness.tasks.attention import AttentionTask, family
from harness.tasks.sts import STSTask

TOML = 'name = "toy"\ncode = "en"\ndefault_encoder = "mini"\ndefault_tasks = []\nparser = "none"\n{}\n[licences]\n'
PAIRS = (
    ("the dog is not on the mat", "a cat sits"),
    ("we buys no old red book", "the dog is not on the mat"),
    ("a bird flies", "no train"),
)


@pytest.fixture
def pack(tmp_path):
    (tmp_path / "pack.toml").write_text(TOML.format('negation_words = ["not", "no"]'))
    return SpacyPack(tmp_path)


def base(pairs=PAIRS):
    return STSTask("Own", {"test": ScoredPairs(np.zeros(len(pairs)), tuple(pairs))}, language="en")


def test_different_sentences_with_a_negation_word(pack):
    task = AttentionTask(base(), pack)
    assert task.texts == ["the dog is not on the mat", "we buys no old red book", "no train"]
    assert list(task.sentences()) == []
    with pytest.raises(TypeError, match="call inspect"):
        task.score(np.zeros((1, 1)))


def test_scores_by_hand(pack, tiny_encoder):
    """Every word of these sentences is one piece, so that pieces are words."""
    task = AttentionTask(base(), pack)
    embedder = open_embedder(str(tiny_encoder), pooler="cls")
    model, tokenizer, length = model_behind(embedder)
    weights = [found.weights for found in cls_attention(model, tokenizer, task.texts, max_length=length)]
    place = [3, 2, 0]
    assert [len(one) for one in weights] == [7, 6, 2]
    ratios = [one[i] * len(one) for one, i in zip(weights, place, strict=True)]
    ranks = [rankdata(-one)[i] for one, i in zip(weights, place, strict=True)]

    result = evaluate(embedder, [task]).results["Own-attention"]
    found = {score.metric: score for score in result.scores}
    np.testing.assert_allclose(result.predictions, ratios, rtol=1e-5)
    assert found["attention-ratio"].value == pytest.approx(np.mean(ratios))
    assert found["attention-rank"].value == pytest.approx(np.mean(ranks))
    assert found["attention-top"].value == pytest.approx(100 * np.mean([rank == 1 for rank in ranks]))
    assert {score.items for score in result.scores} == {3}
    assert result.facts["attention-rank by chance"] == pytest.approx(np.mean([4, 3.5, 1.5]))
    assert result.facts["attention-top by chance"] == pytest.approx(100 * np.mean([1 / 7, 1 / 6, 1 / 2]))
    assert result.facts["sentences cut before their negation"] == 0


def test_sentences_cut_before_their_negation_are_counted(pack, tiny_encoder):
    task = AttentionTask(base(), pack)
    result = task.inspect(open_embedder(str(tiny_encoder), pooler="cls", max_length=4))
    assert result.facts["sentences cut before their negation"] == 2
    assert result.scores[0].items == 1
    with pytest.raises(Skipped, match="beyond the encoder's length"):
        AttentionTask(base(PAIRS[:1]), pack).inspect(open_embedder(str(tiny_encoder), pooler="cls", max_length=4))


def test_what_cannot_be_measured_is_skipped_with_its_reason(pack, tiny_encoder, tmp_path_factory):
    embedder = open_embedder(str(tiny_encoder), pooler="cls")
    with pytest.raises(Skipped, match="no sentence of Own-attention holds a negation word"):
        AttentionTask(base([("a cat", "a dog")]), pack).inspect(embedder)
    with pytest.raises(Skipped, match="has no attention to look at"):
        AttentionTask(base(), pack).inspect(as_embedder(lambda texts: np.zeros((len(texts), 2))))
    other = tmp_path_factory.mktemp("silent")
    (other / "pack.toml").write_text(TOML.format(""))
    with pytest.raises(Skipped, match="'toy' lists no negation_words"):
        AttentionTask(base(), SpacyPack(other)).inspect(embedder)


def test_the_identity_holds_the_words_and_the_sentences(pack, tmp_path_factory):
    other = tmp_path_factory.mktemp("other")
    (other / "pack.toml").write_text(TOML.format('negation_words = ["not"]'))
    one, two = AttentionTask(base(), pack), AttentionTask(base(), SpacyPack(other))
    assert one.protocol.fingerprint() != two.protocol.fingerprint()
    assert one.data_sha != two.data_sha
    assert one.data_sha == AttentionTask(base(), pack).data_sha


def test_the_family_prefers_sick(tmp_path, pack, monkeypatch):
    monkeypatch.setattr("harness.languages.open_pack", lambda name: pack)
    for name in ("STS-B", "SICK-R"):
        (tmp_path / "sts" / "en" / name).mkdir(parents=True)
        (tmp_path / "sts" / "en" / name / "test.tsv").write_text("5\tnot a\tb\n")
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    assert list(found.default) == ["SICK-R-attention"]
    task = found.tasks["STS-B-attention"]["test"]()
    assert (task.id, task.texts, task.protocol.id) == ("STS-B-attention", ["not a"], "negation-attention@1")
