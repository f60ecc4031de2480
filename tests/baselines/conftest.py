"""A pack with few operators and batches of it, for AugCSE."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from augcse_fakes import OPERATORS, STEP, TEXTS

from harness.encoder import fingerprint, load_text_encoder
from harness.languages import open_pack
from harness.prepare import prepare
from harness.protocols import BuildContext
from harness.seeds import numpy_rng


@pytest.fixture
def toy_pack(monkeypatch):
    pack = open_pack("english")
    monkeypatch.setattr(pack, "operators", lambda: OPERATORS, raising=False)
    return pack


@pytest.fixture
def batch_of(toy_pack, tiny_encoder):
    """Return a function (method, texts) -> (module, batch); the encoder is without dropout."""

    def make(method, texts=TEXTS):
        def load():
            return load_text_encoder(str(tiny_encoder), dropout=0.0)

        torch.manual_seed(0)
        encoder = load()
        data = prepare(
            method,
            {"text": texts},
            pack=toy_pack,
            encoder=str(tiny_encoder),
            encoder_sha=fingerprint(str(tiny_encoder)),
            vocabulary=encoder.vocabulary,
            seed=STEP.seed,
        )
        torch.manual_seed(1)
        module = method.build(
            BuildContext(encoder, load, encoder.hidden_size, encoder.vocabulary, 1, STEP.seed)
        ).train()
        rows = data.rows(np.arange(len(texts)))
        return module, method.collate(rows, encoder.vocabulary, numpy_rng(STEP.seed, "collate", 0))

    return make
