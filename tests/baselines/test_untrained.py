from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from baselines.untrained import Untrained
from harness.encoder import open_embedder
from harness.errors import UsageError
from harness.protocols.registry import load

TEXTS = ["the cat sits on the mat", "a dog runs near the old house", "fish"]


def fit(encoder, **settings):
    run = SimpleNamespace(precision="fp32", device="cpu", layout="auto")
    return Untrained(**settings).fit(SimpleNamespace(encoder=encoder, settings=run))


@pytest.mark.parametrize("pooler", ["cls", "avg", "avg_first_last", "avg_top2", "cls_pooler"])
def test_the_encoder_as_it_is(tiny_encoder, pooler):
    embedder = fit(tiny_encoder, pooler=pooler)
    expected = open_embedder(str(tiny_encoder), pooler=pooler, precision="fp32", device="cpu")
    np.testing.assert_array_equal(embedder.encode(TEXTS), expected.encode(TEXTS))
    assert embedder.describe()["pooler"] == pooler


def test_mean_pooling_is_the_mean_of_the_last_layer(tiny_encoder):
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(tiny_encoder), AutoModel.from_pretrained(tiny_encoder).eval()
    with torch.no_grad():
        states = model(**tokenizer(TEXTS[0], return_tensors="pt")).last_hidden_state[0]
    np.testing.assert_allclose(fit(tiny_encoder).encode(TEXTS[:1])[0], states.mean(0).numpy(), atol=1e-5)


def test_length_and_its_limits(tiny_encoder):
    short, whole = fit(tiny_encoder, eval_length=4), fit(tiny_encoder)
    assert short.describe()["max_length"] == 4
    assert not np.allclose(short.encode(TEXTS[:1]), whole.encode(TEXTS[:1]), atol=1e-3)
    with pytest.raises(ValueError, match="eval_length"):
        Untrained(eval_length=1)
    with pytest.raises(UsageError, match="unknown pooler"):
        fit(tiny_encoder, pooler="middle")


def test_registered_under_its_name():
    assert load("methods", "untrained") is Untrained
    assert not Untrained.trained
    assert Untrained().fingerprint() == {"method": "untrained", "config": {"pooler": "avg", "eval_length": None}}
