"""Augmentations as hard negatives: both losses term by term, and what becomes of sentences that cannot be changed."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from baselines.augcse_negative import AugCSENegative, hard_negative_loss
from harness.conformance.method import check_method
from harness.corpus import Corpus
from harness.errors import DataError, Skipped, UsageError
from harness.languages import open_pack
from harness.protocols import Change, Edit, Operator
from harness.runs.plan import fill
from harness.stages import Settings, execute


class No(Operator):
    """`not` in front; does not apply to sentences with a `cat`."""

    name = "negation"

    def apply(self, doc, rng):
        return None if "cat" in doc.text else Edit.of(doc, [Change("insert", 0, 0, "not ")])


@pytest.fixture
def pack(monkeypatch):
    pack = open_pack("english")
    monkeypatch.setattr(pack, "operators", lambda: {"negation": No}, raising=False)
    return pack


def slow(z, p, n, rows, tau, negatives):
    """The formulas of the module, term by term in float64; `n[k]` is the negative of row `rows[k]`."""

    def e(u, v):
        u, v = u.double(), v.double()
        return math.exp(float(u @ v / (u.norm() * v.norm())) / tau)

    size, across, down = len(z), 0.0, 0.0
    own = dict(zip(rows, n, strict=True))
    for i in range(size):
        top = e(z[i], p[i])
        hard = [own[i]] if negatives == "own" and i in own else list(own.values()) if negatives == "all" else []
        across -= math.log(top / (sum(e(z[i], p[j]) for j in range(size)) + sum(e(z[i], v) for v in hard)))
        mine = sum(e(z[j], own[i]) for j in range(size)) if i in own else 0.0
        down -= math.log(top / (sum(e(z[j], p[i]) for j in range(size)) + mine))
    return across / size if negatives == "own" else (across + down) / (2 * size)


@pytest.mark.parametrize("negatives", ["own", "all"])
@pytest.mark.parametrize("rows", [(0, 1, 2, 3, 4), (1, 3), ()], ids=["all", "some", "none"])
def test_the_loss(negatives, rows):
    generator = torch.Generator().manual_seed(0)
    z, p = (torch.randn(5, 8, generator=generator, requires_grad=True) for _ in range(2))
    n = torch.randn(len(rows), 8, generator=generator, requires_grad=True)
    loss = hard_negative_loss(
        z, p, n if rows else None, torch.tensor(rows, dtype=torch.int64), temperature=0.4, negatives=negatives
    )
    with torch.no_grad():
        assert float(loss) == pytest.approx(slow(z, p, list(n), rows, 0.4, negatives), rel=1e-5)
    loss.backward()
    for part in (z, p, *([n] if rows else [])):
        assert torch.isfinite(part.grad).all()
        assert (part.grad.abs().sum(1) > 0).all()


def run(pack, encoder, texts, folder, **settings):
    given = {"operator": "negation", "batch_size": 16, "max_steps": 2, "select": "last", "eval_every": 0, **settings}
    return execute(
        AugCSENegative(**given),
        corpus=Corpus("test", texts),
        pack=pack,
        encoder=str(encoder),
        seed=0,
        settings=Settings(device="cpu", precision="fp32"),
        workdir=folder,
    ).notes


@pytest.mark.parametrize("unchanged", ["drop", "keep"])
def test_what_cannot_be_changed_is_dropped_or_kept(pack, tiny_encoder, sentences, tmp_path, unchanged):
    changed = sum("cat" not in text for text in sentences)
    assert 0 < changed < len(sentences)
    notes = run(pack, tiny_encoder, sentences, tmp_path, unchanged=unchanged)
    rows = notes["training_rows"] + notes["held_out"]
    negative = notes["views"]["negative"]
    if unchanged == "keep":
        assert rows == len(sentences)
        assert negative["applied"] < notes["training_rows"]
    else:
        assert rows == changed
        assert notes["left_out"] == len(sentences) - changed
        assert negative["coverage"] == 1


def test_too_few_sentences_that_can_be_changed_stop_the_run(pack, tiny_encoder, sentences, tmp_path):
    texts = [f"{text} cat {number}" for number, text in enumerate(sentences)] + ["a dog"]
    with pytest.raises(DataError, match=r"negation changes 1 of the 121 sentences, fewer than a batch of 16"):
        run(pack, tiny_encoder, texts, tmp_path)


def test_the_operator_is_needed():
    with pytest.raises(UsageError, match="'augcse-negative' needs a setting 'operator'"):
        fill("augcse-negative", {})


@pytest.mark.slow
@pytest.mark.parametrize("negatives", ["own", "all"])
def test_the_conformance_battery(pack, tiny_encoder, sentences, negatives):
    texts = np.array(sentences)[:64].tolist()
    settings = {"operator": "negation", "negatives": negatives, "unchanged": "keep"}
    for name, check in check_method(
        AugCSENegative, pack=pack, encoder=str(tiny_encoder), texts=texts, settings=settings
    ):
        try:
            check()
        except Skipped:
            assert name == "GPU agrees with CPU", name
