"""Vectors do not depend on the layout, and each pooler is what its name says."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from harness.encoder import load_text_encoder
from harness.encoder.dropout import Dropout16, dropout16
from harness.encoder.encode import encode_rows
from harness.encoder.text_encoder import POOLERS
from harness.errors import UsageError


def slow_vectors(encoder, rows, pooler):
    """One row at a time through the bare model: no padding, no packing, poolers spelled out."""
    out = []
    for row in rows:
        ids = torch.tensor(np.asarray(row, dtype=np.int64))[None]
        result = encoder.model(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True)
        states = [s[0] for s in result.hidden_states]
        out.append(
            {
                "cls": states[-1][0],
                "cls_pooler": result.pooler_output[0],
                "avg": states[-1].mean(0),
                "avg_top2": ((states[-1] + states[-2]) / 2).mean(0),
                "avg_first_last": ((states[1] + states[-1]) / 2).mean(0),
                "avg_embed_last": ((states[0] + states[-1]) / 2).mean(0),
            }[pooler]
        )
    return torch.stack(out)


@pytest.mark.parametrize("family", ["tiny_encoder", "tiny_roberta"])
@pytest.mark.parametrize("layout", ["flat", "padded"])
@pytest.mark.parametrize("pooler", [p for p in POOLERS if p != "cls_head"])
@torch.no_grad()
def test_layouts_and_poolers_equal_row_by_row(request, sentences, family, layout, pooler):
    folder = str(request.getfixturevalue(family))
    encoder = load_text_encoder(folder, pooler=pooler, layout=layout)
    assert encoder.layout == layout
    rows = encoder.vocabulary.rows([*sentences[:17], "", "a", " ".join(sentences[:9])])
    reference = slow_vectors(load_text_encoder(folder, layout="padded"), rows, pooler)
    torch.testing.assert_close(encoder(rows), reference, rtol=1e-4, atol=1e-4)
    encoded = encode_rows(encoder, rows, pooler=pooler)
    np.testing.assert_allclose(encoded, reference.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("pooler", ["cls", "avg", "avg_first_last"])
def test_gradients_do_not_depend_on_the_layout(tiny_encoder, sentences, pooler):
    gradients = []
    for layout in ("flat", "padded"):
        encoder = load_text_encoder(str(tiny_encoder), pooler=pooler, layout=layout, dropout=0.0).train()
        rows = encoder.vocabulary.rows(sentences[:13])
        (encoder(rows) ** 2).sum().backward()
        gradients.append({n: p.grad for n, p in encoder.named_parameters() if p.grad is not None})
    assert gradients[0].keys() == gradients[1].keys()
    for name, grad in gradients[0].items():
        scale = max(1.0, float(gradients[1][name].abs().max()))
        torch.testing.assert_close(grad / scale, gradients[1][name] / scale, rtol=1e-4, atol=1e-5, msg=name)


def test_the_cls_shortcut_is_used_and_left_again(tiny_encoder, sentences):
    encoder = load_text_encoder(str(tiny_encoder), layout="flat")
    assert encoder._skips_tail
    rows = encoder.vocabulary.rows(sentences[:5])
    first = encoder(rows, "cls")
    encoder(rows, "avg")
    torch.testing.assert_close(encoder(rows, "cls"), first)
    assert encoder._first_rows is None


def test_training_mode_has_dropout_and_eval_mode_has_none(tiny_encoder, sentences):
    encoder = load_text_encoder(str(tiny_encoder))
    rows = encoder.vocabulary.rows(sentences[:4])
    assert torch.equal(encoder(rows), encoder(rows))
    encoder.train()
    assert not torch.equal(encoder(rows), encoder(rows))
    torch.manual_seed(1)
    one = encoder(rows)
    torch.manual_seed(1)
    assert torch.equal(one, encoder(rows))
    assert not torch.equal(encoder([rows[0], rows[0]])[0], encoder([rows[0], rows[0]])[1])


def test_encode_rows_restores_the_mode(tiny_encoder):
    encoder = load_text_encoder(str(tiny_encoder)).train()
    assert encode_rows(encoder, []).shape == (0, encoder.hidden_size)
    assert encoder.training


@pytest.mark.parametrize("rate", [0.0, 0.1, 0.5])
def test_dropout16_has_the_rate_the_scale_and_the_gradient(rate):
    torch.manual_seed(0)
    x = torch.ones(200_003, requires_grad=True)
    y = dropout16(x, rate)
    dropped = float((y == 0).float().mean())
    assert dropped == pytest.approx(rate, abs=0.004)
    assert float(y.detach().mean()) == pytest.approx(1.0, abs=0.01)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())


def test_dropout16_is_off_in_eval_mode_and_keeps_the_attribute_models_read():
    layer = Dropout16(0.3).eval()
    x = torch.randn(4, 4)
    assert torch.equal(layer(x), x)
    assert layer.p == 0.3


def test_missing_parts_and_unknown_poolers_are_explained(tiny_encoder):
    encoder = load_text_encoder(str(tiny_encoder))
    rows = encoder.vocabulary.rows(["a cat"])
    with pytest.raises(UsageError, match=r"cls_head.*trained head"):
        encoder(rows, "cls_head")
    with pytest.raises(UsageError, match="avg_first_last"):
        load_text_encoder(str(tiny_encoder), pooler="first_last")


def test_length_limits(tiny_encoder, tiny_roberta):
    assert load_text_encoder(str(tiny_encoder)).vocabulary.limit == 64
    assert load_text_encoder(str(tiny_roberta)).vocabulary.limit == 64
    vocabulary = load_text_encoder(str(tiny_encoder)).vocabulary
    assert len(vocabulary.rows(["cat " * 500])[0]) == 64
    assert len(vocabulary.rows(["cat " * 500], 10)[0]) == 10
    assert len(vocabulary.rows(["cat " * 500], truncate=False)[0]) == 502
