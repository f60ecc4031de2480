"""Our methods pass the battery, and the battery catches methods that break the contract."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import ClassVar

import pytest
import torch

from baselines.discrete import Discrete
from baselines.simcse import SimCSE
from baselines.tfidf import TfIdf
from baselines.untrained import Untrained
from baselines.whitening import Whitening
from harness.conformance.method import check_method
from harness.errors import Skipped
from harness.languages import open_pack
from harness.protocols import Loss

sys.path.insert(0, str(Path(__file__).parents[1] / "training"))
from everything import Everything

CASES = [
    (SimCSE, {}),
    (Discrete, {"operator": "crop@20"}),
    (Discrete, {"operator": "repeat"}),
    (Everything, {"pooler": "avg"}),
    (TfIdf, {}),
    (Untrained, {}),
    (Whitening, {}),
]


def battery(method, encoder, texts, settings):
    return dict(check_method(method, pack=open_pack("en"), encoder=str(encoder), texts=texts, settings=settings))


@pytest.mark.slow
@pytest.mark.parametrize(("method", "settings"), CASES, ids=lambda x: getattr(x, "name", ""))
def test_method_passes(tiny_encoder, sentences, method, settings):
    for name, check in battery(method, tiny_encoder, sentences[:64], settings).items():
        try:
            check()
        except Skipped:
            assert name in ("GPU agrees with CPU", "micro-batches give the whole batch's gradient"), name


def fails(method, encoder, texts, name: str) -> str:
    with pytest.raises(AssertionError) as caught:
        battery(method, encoder, texts, {})[name]()
    return str(caught.value)


def test_a_detached_part_is_noticed(tiny_encoder, sentences):
    class Detached(SimCSE):
        name = "detached"

        def objective(self, module, features, batch, step):
            frozen = {k: v.detach() for k, v in features.items()}
            return super().objective(module, frozen, batch, step)

    message = fails(Detached, tiny_encoder, sentences[:40], "gradients reach every trainable weight")
    assert "encoder.model" in message
    assert "no gradient" in message


def test_a_forgotten_parameter_group_is_noticed(tiny_encoder, sentences):
    class Forgetful(SimCSE):
        name = "forgetful"

        def param_groups(self, module):
            return [{"params": list(module.encoder.parameters())}]

    assert "head.linear" in fails(Forgetful, tiny_encoder, sentences[:40], "gradients reach every trainable weight")


def test_hidden_randomness_is_noticed(tiny_encoder, sentences):
    generator = torch.Generator().manual_seed(0)  # lives on between runs

    class Random(SimCSE):
        name = "random"

        def objective(self, module, features, batch, step):
            loss = super().objective(module, features, batch, step)
            return Loss(loss.value * (1 + torch.rand((), generator=generator)))

    assert "differs between two runs" in fails(Random, tiny_encoder, sentences[:64], "equal seeds give equal weights")


def test_state_that_a_resume_forgets_is_noticed(tiny_encoder, sentences):
    class Counting(SimCSE):
        name = "counting"

        def build(self, context):
            self.count = 0.0
            return super().build(context)

        def objective(self, module, features, batch, step):
            self.count += 1
            loss = super().objective(module, features, batch, step)
            return Loss(loss.value * (1 + self.count * 0.5))

    assert "differs" in fails(Counting, tiny_encoder, sentences[:64], "a killed run resumes to the same weights")


def test_a_loss_that_cannot_be_fitted_is_noticed(tiny_encoder, sentences):
    class Upwards(SimCSE):
        name = "upwards"

        def schedule(self, step, total):
            return 1.0

        def objective(self, module, features, batch, step):
            loss = super().objective(module, features, batch, step).value
            return Loss(loss.detach() + (loss - loss.detach()) * -1)  # the gradient points up

    assert "did not fall" in fails(Upwards, tiny_encoder, sentences[:40], "one batch can be fitted")


def test_a_bad_preset_is_noticed(tiny_encoder, sentences):
    class Preset(SimCSE):
        name = "preset"
        presets: ClassVar = {"bert-base": {"learning_rat": 1.0}}

    assert "bert-base" in fails(Preset, tiny_encoder, sentences[:40], "presets are valid")
