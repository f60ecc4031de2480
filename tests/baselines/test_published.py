from __future__ import annotations

import math

import pytest

from harness.errors import UsageError
from harness.published import Published, lookup, published


def test_every_row_is_a_number_with_a_source() -> None:
    rows = published()
    assert len(rows) == 1106
    for row in rows:
        assert math.isfinite(row.value)
        assert row.method
        assert row.source
        assert row.std is None or row.std >= 0


@pytest.mark.parametrize(
    ("source", "method", "task", "encoder", "value"),
    [
        ("SDA T8", "Mask 15%", "STS-B dev", "bert-base-uncased", 62.21),
        ("SDA T8", "Mask 15%", "STS-B dev", None, 62.21),
        ("SDA T4", "SimCSE", "Avg", "bert-base-uncased", 76.25),
        ("SDA T4 (via SimCSE)", "IS-BERT", "STS12", None, 56.77),
    ],
)
def test_lookup(source: str, method: str, task: str, encoder: str | None, value: float) -> None:
    assert lookup(published(), source=source, method=method, task=task, encoder=encoder).value == value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"source": "SDA T88"}, "no published table.*Did you mean.*SDA T8"),
        ({"method": "Mask 51%"}, "no method 'Mask 51%'. Did you mean 'Mask 15%'"),
        ({"task": "STS-B test"}, "0 numbers.*STS-B dev"),
        ({"encoder": "roberta-base"}, "0 numbers.*roberta-base"),
    ],
)
def test_lookup_says_what_there_is(change: dict[str, str], message: str) -> None:
    wanted = {"source": "SDA T8", "method": "Mask 15%", "task": "STS-B dev", "encoder": "bert-base-uncased"}
    with pytest.raises(UsageError, match=message):
        lookup(published(), **{**wanted, **change})


def test_an_inferred_encoder_is_still_that_encoder() -> None:
    row = Published("m", "bert-base-uncased (inferred)", "t", "spearman", 1.0, "S")
    assert row.encoder_name == "bert-base-uncased"
