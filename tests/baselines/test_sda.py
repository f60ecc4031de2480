"""SDA: Eq. 4 term by term, its views, its settings, and the conformance battery."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from baselines.discrete import Discrete
from baselines.sda import SDA
from harness.conformance.method import check_method
from harness.corpus import Corpus
from harness.encoder import fingerprint, load_text_encoder
from harness.errors import Skipped
from harness.languages import open_pack
from harness.prepare import prepare
from harness.protocols import BuildContext, Change, Edit, Operator, Step
from harness.runs.plan import Options, expand
from harness.seeds import numpy_rng
from harness.stages import Settings, execute
from harness.suite import parse_suite

STEP = Step(0, 1, 0, 0)


class Comma(Operator):
    """Stands for PI: a comma behind the second word; sentences of one word stay."""

    name = "pi"

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 2, 2, ",")]) if len(doc) > 1 else None


class No(Operator):
    """Stands for the negation: `not` in front; does not apply to sentences with a `cat`."""

    name = "negation"

    def apply(self, doc, rng):
        return None if "cat" in doc.text else Edit.of(doc, [Change("insert", 0, 0, "not ")])


class Never(Operator):
    name = "never"

    def apply(self, doc, rng):
        return None


@pytest.fixture
def pack(monkeypatch):
    pack = open_pack("english")
    monkeypatch.setattr(pack, "operators", lambda: {"pi": Comma, "negation": No, "never": Never}, raising=False)
    return pack


@pytest.fixture
def batch_of(pack, tiny_encoder):
    """Return a function (method, texts) -> (module without dropout, batch)."""

    def make(method, texts):
        def load():
            return load_text_encoder(str(tiny_encoder), dropout=0.0)

        torch.manual_seed(0)
        encoder = load()
        data = prepare(
            method,
            {"text": texts},
            pack=pack,
            encoder=str(tiny_encoder),
            encoder_sha=fingerprint(str(tiny_encoder)),
            vocabulary=encoder.vocabulary,
            seed=0,
        )
        context = BuildContext(encoder, load, encoder.hidden_size, encoder.vocabulary, 1, 0)
        torch.manual_seed(1)
        module = method.build(context).train()
        rows = data.rows(np.arange(len(texts)))
        return module, method.collate(rows, encoder.vocabulary, numpy_rng(0, "collate", 0))

    return make


def slow_loss(anchor, positive, negation, *, temperature, margin, negatives):
    """Eq. 4 as a sum of exponentials, in float64; `negation` maps a row to its vector and lacks rows without one.

    `all_negations` is the other reading of the released data format: the sum runs over every negation of the batch.
    """

    def similarity(i, vector):
        u, v = anchor[i].double(), vector.double()
        return float(u @ v / (u.norm() * v.norm()))

    terms = []
    for i in range(len(anchor)):
        top = math.exp(similarity(i, positive[i]) / temperature)
        bottom = sum(math.exp(similarity(i, positive[j]) / temperature) for j in range(len(anchor)))
        if i in negation:
            bottom += math.exp((similarity(i, negation[i]) - margin) / temperature)
        if negatives == "all_negations":
            bottom += sum(math.exp(similarity(i, v) / temperature) for j, v in negation.items() if j != i)
        terms.append(-math.log(top / bottom))
    return sum(terms) / len(terms)


@pytest.mark.parametrize("negatives", ["own_only", "all_negations"])
@pytest.mark.parametrize("head", ["none", "sda"])
@pytest.mark.parametrize("missing", [(), (1, 4), (0, 1, 2, 3, 4, 5)], ids=["all there", "some missing", "none there"])
def test_the_loss_is_equation_4(batch_of, negatives, head, missing):
    texts = [
        "the dog runs",
        "a bird flies",
        "they sell bread",
        "we write a letter",
        "the bus leaves",
        "who reads books",
    ]
    texts = [f"{text} cat" if i in missing else text for i, text in enumerate(texts)]
    settings = {"temperature": 0.3, "margin": 0.4, "negatives": negatives, "head": head}
    method = SDA(**settings)
    module, batch = batch_of(method, texts)
    with torch.no_grad():
        found = method.loss(module, batch, STEP).value
        there = [i for i in range(6) if i not in missing]
        assert len(batch.inputs.get("negation", [])) == len(there)
        # each row through the encoder by itself; the head, which knows the batch, gets exactly the texts there are
        every = [row for rows in batch.inputs.values() for row in rows]
        vectors = module.head(torch.cat([method.features(module, [row]) for row in every]))
    anchor, positive, rest = vectors[:6], vectors[6:12], vectors[12:]
    expected = slow_loss(
        anchor,
        positive,
        dict(zip(there, rest, strict=True)),
        temperature=0.3,
        margin=0.4,
        negatives=negatives,
    )
    assert float(found) == pytest.approx(expected, rel=1e-4)
    if missing == ():
        own = dict(zip(there, rest, strict=True))
        for other in ({"margin": 0.0}, {"negatives": "all_negations" if negatives == "own_only" else "own_only"}):
            changed = {"temperature": 0.3, "margin": 0.4, "negatives": negatives} | other
            assert float(found) != pytest.approx(slow_loss(anchor, positive, own, **changed), rel=1e-4)


@pytest.mark.parametrize("negatives", ["own_only", "all_negations"])
def test_only_the_negations_that_are_there_get_a_gradient(batch_of, negatives):
    method = SDA(negatives=negatives, head="none", temperature=0.3)
    module, batch = batch_of(method, ["the dog runs", "a cat sleeps", "they sell bread"])
    generator = torch.Generator().manual_seed(0)
    sizes = {name: len(rows) for name, rows in batch.inputs.items()}
    assert sizes == {"anchor": 3, "positive": 3, "negation": 2}
    features = {n: torch.randn(k, 8, generator=generator, requires_grad=True) for n, k in sizes.items()}
    method.objective(module, features, batch, STEP).value.backward()
    for part in features.values():
        assert torch.isfinite(part.grad).all()
        assert (part.grad.abs().sum(1) > 0).all()


def test_without_negation_it_is_discrete_augmentation_with_its_head(batch_of, sentences):
    plain = SDA(operator="pi", negation=None, temperature=0.1)
    other = Discrete(operator="pi", head="sda", temperature=0.1)
    losses = []
    for method in (plain, other):
        module, batch = batch_of(method, sentences[:12])
        assert set(batch.inputs) == {"anchor", "positive"}
        losses.append(method.loss(module, batch, STEP).value.item())
    assert losses[0] == losses[1]


def test_views_and_what_stands_in_for_them():
    views = {view.name: view for view in SDA(operator="mv@paper", proportion=0.2).views()}
    assert list(views) == ["anchor", "positive", "negation"]
    assert (views["positive"].operator, views["positive"].proportion) == ("mv@paper", 0.2)
    assert views["positive"].on_refusal == "self"
    # every sentence has its negation, also those that are paired with themselves
    assert (views["negation"].operator, views["negation"].proportion) == ("negation", 1.0)
    assert views["negation"].on_refusal == "missing"
    assert [view.name for view in SDA(negation="none").views()] == ["anchor", "positive"]


def test_a_run_counts_what_each_view_did(pack, tiny_encoder, sentences, tmp_path):
    outcome = execute(
        SDA(proportion=0.5, batch_size=16, max_steps=2, select="last", eval_every=0),
        corpus=Corpus("test", list(sentences)),
        pack=pack,
        encoder=str(tiny_encoder),
        seed=0,
        settings=Settings(device="cpu", precision="fp32"),
        workdir=tmp_path,
    )
    positive, negation = outcome.notes["views"]["positive"], outcome.notes["views"]["negation"]
    rows = outcome.notes["training_rows"]
    assert 0.3 * rows < positive["tried"] < 0.7 * rows
    assert positive["coverage"] == 1
    assert positive["changed"] == pytest.approx(positive["tried"] / rows, abs=1e-6)
    assert negation["tried"] == rows
    assert 0 < negation["coverage"] < 1
    assert negation["changed"] == negation["coverage"]


def test_a_rule_that_never_applies_pairs_every_sentence_with_itself(batch_of):
    _, batch = batch_of(SDA(operator="never"), ["the dog runs", "a bird flies"])
    for anchor, positive in zip(batch.inputs["anchor"], batch.inputs["positive"], strict=True):
        assert anchor.tolist() == positive.tolist()


@pytest.mark.parametrize(
    ("encoder", "rate", "batch"),
    [
        ("bert-base-uncased", 2e-5, 128),
        ("FacebookAI/roberta-base", 1e-5, 64),
        ("hfl/chinese-roberta-wwm-ext", 5e-5, 128),
    ],
)
def test_settings_are_those_of_table_3(encoder, rate, batch):
    suite = parse_suite(
        b'[suite]\nname = "s"\ntitle = "S"\ndefault_scale = "small"\ncolumns = [{ title = "A", task = "A" }]\n'
        b'[scales.small]\n[[rows]]\nlabel = "SDA"\nmethod = "sda"\n',
        "s.toml",
    )
    (spec,) = expand(suite, Options(encoder=encoder))
    wanted = {"learning_rate": rate, "batch_size": batch, "temperature": 0.05, "margin": 0.5, "eval_every": 250}
    assert spec.config | wanted == spec.config
    assert (spec.config["head"], spec.config["negatives"], spec.config["pooler"]) == ("sda", "own_only", "cls")


@pytest.mark.parametrize("wrong", [{"margin": -0.1}, {"negatives": "none"}, {"proportion": 1.1}, {"marging": 0.5}])
def test_values_out_of_range_are_refused(wrong):
    with pytest.raises(ValidationError):
        SDA(**wrong)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"negatives": "all_negations"}], ids=str)
def test_the_conformance_battery(pack, tiny_encoder, sentences, settings):
    for name, check in check_method(SDA, pack=pack, encoder=str(tiny_encoder), texts=sentences[:64], settings=settings):
        try:
            check()
        except Skipped:
            assert name == "GPU agrees with CPU", name
