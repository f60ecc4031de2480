from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from harness.data import DataFolder, ScoredPairs
from harness.errors import Skipped
from harness.evaluation.evaluator import evaluate
from harness.languages import SpacyPack
from harness.protocols import Change, Edit, Operator, TaskOptions
from harness.tasks import negation as module
from harness.tasks.negation import NegationTask, family
from harness.tasks.sts import STSTask

TOML = 'name = "toy"\ncode = "en"\ndefault_encoder = "mini"\ndefault_tasks = []\nparser = "none"\n[licences]\n'
PAIRS = (("one", "two words"), ("three words here", "four words are here"), ("two words", "five"))


class Behind(Operator):
    """A text behind the last of enough words."""

    needs_parse: ClassVar[bool] = False
    least: ClassVar[int]
    added: ClassVar[str]

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", len(doc), len(doc), self.added)]) if len(doc) >= self.least else None


class Negate(Behind):
    name, least, added = "negation", 2, " not"


class Exclaim(Behind):
    name, least, added = "pi", 3, "!"


class Must(Behind):
    name, least, added = "mv", 4, " must"


class Toy(SpacyPack):
    own: ClassVar[dict] = {"negation": Negate, "pi": Exclaim, "mv": Must}

    def operators(self):
        return self.own


@pytest.fixture
def pack(tmp_path):
    (tmp_path / "pack.toml").write_text(TOML)
    return Toy(tmp_path)


def base(pairs=PAIRS):
    return STSTask("Own", {"test": ScoredPairs(np.zeros(len(pairs)), tuple(pairs))}, language="en")


def angles(texts, **degrees):
    """Unit vectors in the plane; a text's angle is that of what it ends in, else 0."""
    found = [next((a for end, a in degrees.items() if text.endswith(end.replace("mark", "!"))), 0.0) for text in texts]
    return np.stack([np.cos(np.radians(found)), np.sin(np.radians(found))], axis=1).astype(np.float32)


def test_every_sentence_once_with_what_the_rules_make_of_it(pack):
    task = NegationTask(base(), pack)
    texts = task.sentences()
    assert len(texts) == 3 + 3 + 2 + 1
    assert set(texts[:3]) == {"two words", "three words here", "four words are here"}
    assert texts[3:6] == [f"{text} not" for text in texts[:3]]
    assert set(texts[6:8]) == {"three words here!", "four words are here!"}
    assert texts[8] == "four words are here must"


def test_scores_by_hand(pack):
    task = NegationTask(base(), pack)
    result = task.score(angles(task.sentences(), **{"not": 30, "mark": 10, "must": 40}))
    assert [(s.metric, s.aggregation, s.items) for s in result.scores] == [
        ("sensitivity", "all", 3),
        ("sensitivity", "pi", 2),
        ("sensitivity", "mv", 1),
    ]
    assert [s.value for s in result.scores] == [pytest.approx(200 / 3), 100.0, 0.0]
    assert task.main == ("sensitivity", "all")
    assert result.groups == {"pi": 2, "mv": 1}
    cosine = {angle: np.cos(np.radians(angle)) for angle in (10, 30, 40)}
    np.testing.assert_allclose(
        result.predictions, [cosine[10] - cosine[30], cosine[10] - cosine[30], cosine[40] - cosine[30]], atol=1e-6
    )
    assert result.facts == {
        "sentences": 3.0,
        "refused: negation": 2.0,
        "mean similarity: negation": pytest.approx(100 * cosine[30], abs=1e-3),
        "refused: pi": 1.0,
        "mean similarity: pi": pytest.approx(100 * cosine[10], abs=1e-3),
        "refused: mv": 2.0,
        "mean similarity: mv": pytest.approx(100 * cosine[40], abs=1e-3),
    }


def test_one_vector_for_everything_is_chance(pack):
    task = NegationTask(base(), pack)
    assert task.score(np.ones((9, 3), dtype=np.float32)).scores[0].value == 50.0
    nothing = task.score(np.zeros((9, 3), dtype=np.float32))
    assert nothing.scores[0].value == 50.0
    assert nothing.notes == ("6 similarities were undefined (zero vectors) and count as 0",)
    with pytest.raises(ValueError, match="9 sentences, got 8 vectors"):
        task.score(np.ones((8, 3)))


def test_the_evaluator_runs_it(pack):
    task = NegationTask(base(), pack)
    found = evaluate(lambda texts: angles(texts, **{"not": 30, "mark": 10, "must": 20}), [task])
    assert found.value("Own-negation") == 100.0


def test_the_identity_is_that_of_sentences_and_rules(pack, monkeypatch):
    one, other = NegationTask(base(), pack), NegationTask(base(PAIRS[::-1]), pack)
    assert one.data_sha == other.data_sha
    assert one.protocol.fingerprint() == other.protocol.fingerprint()
    assert NegationTask(base(PAIRS[:1]), pack).data_sha != one.data_sha
    monkeypatch.setattr(Toy, "own", {"negation": Exclaim, "pi": Exclaim, "mv": Must})
    assert NegationTask(base(), pack).protocol.fingerprint() != one.protocol.fingerprint()


def test_the_sample_is_bounded(pack, monkeypatch):
    pairs = [(f"word number {i}", f"another word number {i}") for i in range(30)]
    monkeypatch.setattr(module, "sample", lambda texts: sorted(set(texts))[:7])
    assert len(NegationTask(base(pairs), pack).probe.texts) == 7


def test_what_cannot_be_measured_is_skipped_with_its_reason(pack, monkeypatch):
    with pytest.raises(
        Skipped, match="no operator of the pack 'toy' gives a view of any of the sentences of Own-negation"
    ):
        NegationTask(base([("two words", "other words")]), pack).sentences()
    monkeypatch.setattr(Toy, "own", {"pi": Exclaim})
    task = NegationTask(base(), pack)
    with pytest.raises(Skipped, match="'toy' cannot negate"):
        task.sentences()


def test_the_family_opens_the_pack_of_the_language(tmp_path, pack, monkeypatch):
    monkeypatch.setattr("harness.languages.open_pack", lambda name: pack)
    (tmp_path / "sts" / "en" / "SampleSTS").mkdir(parents=True)
    (tmp_path / "sts" / "en" / "SampleSTS" / "test.tsv").write_text("5\tthree words here\tb\n")
    found = family(DataFolder(tmp_path), "en", TaskOptions())
    assert list(found.default) == ["SampleSTS-negation"]
    task = found.tasks["SampleSTS-negation"]["test"]()
    assert task.protocol.id == "negation-probe@1"
    assert task.sentences()[1] == "three words here not"
