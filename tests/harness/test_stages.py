"""A run from texts to an embedder: staged methods, identity, preparation, honest selection."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from baselines.discrete import Discrete
from baselines.simcse import SimCSE
from baselines.tfidf import TfIdf
from baselines.untrained import Untrained
from harness.corpus import Corpus
from harness.data import DataFolder
from harness.encoder import TextEmbedder, fingerprint, load_text_encoder
from harness.errors import AugBenchError, DataError, UsageError
from harness.languages import open_pack
from harness.prepare import prepare
from harness.protocols import Loss, Method, MethodConfig, Stage, View
from harness.stages import Settings, execute, identity
from harness.tasks import resolve_tasks

PACK = open_pack("en")


def settings_of(**changes):
    return {"batch_size": 16, "learning_rate": 1e-3, "select": "last", "eval_every": 0} | changes


def go(method, sentences, encoder, folder, **options):
    return execute(
        method,
        corpus=Corpus("test", list(sentences)),
        pack=PACK,
        encoder=str(encoder),
        seed=options.pop("seed", 0),
        settings=options.pop("settings", Settings()),
        workdir=folder,
        **options,
    )


class Pairs(Method):
    """Two stages: write scored pairs, then regress the cosine on them; the shape of DINO."""

    name = "pairs"
    Config = MethodConfig

    def stages(self):
        return (Stage("generate", self.generate), Stage("regress", self.regress))

    def generate(self, context):
        texts = context.sentences
        return texts[:-1], texts[1:], np.linspace(0, 1, len(texts) - 1).astype(np.float32)

    def regress(self, context):
        left, right, scores = context.artefacts["generate"]
        return context.train(self, {"left": left, "right": right}, {"score": scores})

    def views(self):
        return (View("left", column="left"), View("right", column="right"))

    def build(self, context):
        module = torch.nn.Module()
        module.encoder = context.encoder
        return module

    def objective(self, module, features, batch, step):
        cosine = torch.cosine_similarity(features["left"], features["right"])
        return Loss(((cosine - batch.tensors["score"]) ** 2).mean())


def test_a_staged_method_hands_artefacts_on_and_keeps_rows_together(tiny_encoder, sentences, tmp_path):
    seen = []

    class Watching(Pairs):
        def objective(self, module, features, batch, step):
            seen.extend(zip(batch.index.tolist(), batch.tensors["score"].tolist(), strict=True))
            return super().objective(module, features, batch, step)

    outcome = go(Watching(**settings_of(pooler="avg")), sentences, tiny_encoder, tmp_path)
    assert {"stage:generate", "stage:regress", "train"} <= set(outcome.seconds)
    assert outcome.embedder.encode(["a cat"]).shape == (1, 32)
    by_row = sorted(seen)
    assert [s for _, s in by_row] == sorted(s for _, s in by_row)  # scores grow with the row: nothing was mixed up
    assert outcome.notes["training_rows"] + outcome.notes["held_out"] == len(sentences) - 1


def test_a_method_that_returns_no_embedder_is_named(tiny_encoder, sentences, tmp_path):
    class Nothing(SimCSE):
        name = "nothing"

        def stages(self):
            return (Stage("only", lambda context: None),)

    with pytest.raises(AugBenchError, match="'nothing' returned NoneType"):
        go(Nothing(), sentences, tiny_encoder, tmp_path)


def test_discrete_views_are_counted_and_differ_from_the_anchor(tiny_encoder, sentences, tmp_path):
    outcome = go(Discrete(operator="delete@30", **settings_of()), sentences, tiny_encoder, tmp_path)
    view = outcome.notes["views"]["positive"]
    assert view["tried"] == outcome.notes["training_rows"] == 114
    assert 0.9 < view["coverage"] <= 1
    half = go(Discrete(operator="delete@30", proportion=0.5, **settings_of()), sentences, tiny_encoder, tmp_path / "b")
    tried = half.notes["views"]["positive"]["tried"]
    assert 30 < tried < 84
    # coverage is of the rows it was tried on, changed of all rows
    assert half.notes["views"]["positive"]["coverage"] > 0.9
    assert half.notes["views"]["positive"]["changed"] <= tried / 114
    assert half.notes["views"]["positive"]["changed"] > 0.9 * tried / 114


def test_refused_views_are_the_sentence_itself_or_missing(tiny_encoder):
    class Two(SimCSE):
        name = "two"

        def views(self):
            return (
                View("anchor"),
                View("self", operator="delete@50"),
                View("missing", operator="delete@50", on_refusal="missing"),
            )

    vocabulary = load_text_encoder(str(tiny_encoder)).vocabulary
    texts = ["cat", "the old cat sits on the red mat today"]
    data = prepare(
        Two(),
        {"text": texts},
        pack=PACK,
        encoder=str(tiny_encoder),
        encoder_sha=fingerprint(str(tiny_encoder)),
        vocabulary=vocabulary,
        seed=1,
    )
    assert data.views["self"][0].tolist() == data.views["anchor"][0].tolist()
    assert data.present["missing"].tolist() == [False, True]
    # half of nine words: four or five, by stochastic rounding
    assert len(data.views["anchor"][1]) - len(data.views["self"][1]) in (4, 5)


def test_subword_repetition_happens_after_truncation(tiny_encoder):
    vocabulary = load_text_encoder(str(tiny_encoder)).vocabulary
    method = Discrete(operator="repeat", max_length=16)
    texts = [" ".join(["cat dog bird tree"] * 6) + f" {word}" for word in ("red", "blue", "small", "large", "old")]
    data = prepare(
        method,
        {"text": texts},
        pack=PACK,
        encoder=str(tiny_encoder),
        encoder_sha=fingerprint(str(tiny_encoder)),
        vocabulary=vocabulary,
        seed=1,
    )
    counted = data.notes["positive"]
    assert counted["changed"] == (counted["applied"] - counted["equal_after_truncation"]) / 5
    lengths = [len(data.views["positive"][i]) for i in range(5)]
    assert all(len(data.views["anchor"][i]) == 16 for i in range(5))
    assert max(lengths) > 16


def test_identity_changes_with_what_decides_the_result_and_with_nothing_else(tiny_encoder, tiny_roberta, sentences):
    def of(method, encoder=tiny_encoder, seed=0, texts=sentences, settings=None, dev=None):
        corpus = Corpus("any name", list(texts))
        return identity(
            method, corpus=corpus, pack=PACK, encoder=str(encoder), seed=seed, settings=settings or Settings(), dev=dev
        )

    (dev,) = resolve_tasks(["SampleSTS:dev"], data=DataFolder(PACK.samples), language="en")
    base = of(SimCSE())
    assert base == of(SimCSE())
    assert base == of(SimCSE(), settings=Settings(checkpoint_every=7))
    changed = [
        of(SimCSE(temperature=0.1)),
        of(SimCSE(), seed=1),
        of(SimCSE(), encoder=tiny_roberta),
        of(SimCSE(), texts=sentences[1:]),
        of(SimCSE(), settings=Settings(layout="padded")),
        of(SimCSE(), dev=dev),
        of(Discrete(operator="crop@10")),
        of(Discrete(operator="crop@20")),
    ]
    seen = [base]
    for other in changed:
        assert other not in seen
        seen.append(other)
    assert of(SimCSE(select="last"), dev=dev) == of(SimCSE(select="last"))
    assert of(TfIdf()) == of(TfIdf(), encoder=tiny_roberta, seed=5)


def test_selection_never_sees_test_data(tiny_encoder, sentences, tmp_path):
    (test,) = resolve_tasks(["SampleSTS"], data=DataFolder(PACK.samples), language="en")
    with pytest.raises(DataError, match="SampleSTS:dev"):
        go(SimCSE(**settings_of(select="dev")), sentences, tiny_encoder, tmp_path, dev=test)


def test_dev_scores_are_those_of_the_evaluator(tiny_encoder, sentences, tmp_path):
    from harness.evaluation.evaluator import evaluate

    (dev,) = resolve_tasks(["SampleSTS:dev"], data=DataFolder(PACK.samples), language="en")
    outcome = go(SimCSE(**settings_of(select="dev", eval_every=3)), sentences, tiny_encoder, tmp_path, dev=dev)
    best = outcome.notes["selection"]["best_score"]
    assert evaluate(outcome.embedder, [dev]).value("SampleSTS:dev") == pytest.approx(best, abs=1e-6)


def test_too_small_and_wrong_input(tiny_encoder, tmp_path):
    with pytest.raises(DataError, match="at least 8 sentences"):
        go(SimCSE(**settings_of()), ["a cat", "a dog"], tiny_encoder, tmp_path)
    with pytest.raises(UsageError, match="crop"):
        go(Discrete(operator="crap@10", **settings_of()), ["a cat"] * 20, tiny_encoder, tmp_path)


def test_documents_are_needed_where_a_method_says_so(tiny_encoder, sentences, tmp_path):
    class Documents(SimCSE):
        name = "documents"
        data = "documents"

    with pytest.raises(DataError, match="blank lines part documents"):
        go(Documents(**settings_of()), sentences, tiny_encoder, tmp_path)


def test_random_weights_forget_what_was_learnt_and_follow_the_seed(tiny_encoder, sentences, tmp_path):
    def vectors(seed, weights):
        method = SimCSE(SimCSE.Config(**settings_of(max_steps=1, learning_rate=1e-9, weights=weights)))
        outcome = go(method, sentences, tiny_encoder, tmp_path / f"{seed}-{weights}", seed=seed)
        return outcome.embedder.encode(sentences[:4])

    learnt = [vectors(seed, "pretrained") for seed in (0, 1)]
    fresh = [vectors(seed, "random") for seed in (0, 1)]
    np.testing.assert_allclose(*learnt, atol=1e-4)  # a step of 1e-9 changes nothing
    assert np.abs(fresh[0] - fresh[1]).max() > 0.1
    assert np.abs(fresh[0] - learnt[0]).max() > 0.1


def test_a_fast_format_scores_only_if_it_ranks_the_training_text_as_fp32_does(
    tiny_encoder, sentences, tmp_path, monkeypatch
):
    monkeypatch.setattr("harness.encoder.precision.cpu_has_bf16", lambda: True)
    method = Untrained(pooler="avg")
    kept = go(method, sentences, tiny_encoder, tmp_path / "kept").embedder.describe()
    assert "agree with fp32 by" in kept["precision_reason"]
    noise = np.random.default_rng(0)
    monkeypatch.setattr(TextEmbedder, "encode", lambda self, texts, **_: noise.normal(size=(len(texts), 8)))
    dropped = go(method, sentences, tiny_encoder, tmp_path / "dropped").embedder.describe()
    assert dropped["precision"] == "fp32"
    assert "bf16 was tried and dropped" in dropped["precision_reason"]
    asked = go(method, sentences, tiny_encoder, tmp_path / "asked", settings=Settings(precision="bf16")).embedder
    assert asked.describe()["precision_reason"] == "as asked"
