from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from pydantic import ValidationError

from harness.records.schema import SCHEMA, RunRecord, eval_id, pack, strict, unpack


@pytest.mark.parametrize(("dtype", "kind"), [("<f2", np.float16), ("<f4", np.float32)])
@given(data=st.data())
def test_packed_arrays_come_back(dtype: str, kind: Any, data: st.DataObject) -> None:
    array = data.draw(npst.arrays(kind, st.integers(0, 50), elements=st.floats(-1, 1, width=16)))
    text = pack(array, dtype)
    assert text.isascii()
    np.testing.assert_array_equal(unpack(text, dtype), array)


@pytest.mark.parametrize(
    "text",
    [
        "not base64!",
        base64.b64encode(b"no zlib").decode(),
        base64.b64encode(zlib.compress(b"abc")).decode(),
        base64.b64encode(zlib.compress(b"abcdefgh")[:-6]).decode(),
    ],
)
def test_damaged_arrays_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(text, "<f4")


def test_a_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.records.schema._MAX_ITEMS", 1000)
    assert len(unpack(pack(np.zeros(1000), "<f4"), "<f4")) == 1000
    with pytest.raises(ValueError, match="too long"):
        unpack(pack(np.zeros(5000), "<f4"), "<f4")


@pytest.mark.parametrize(
    "text",
    [
        ":" + base64.b64encode(zlib.compress(b"ab")).decode(),
        ":" + base64.b64encode(zlib.compress(b"ab") + zlib.compress(b"abc")).decode(),
        ":" + base64.b64encode(zlib.compress(b"ab") + zlib.compress(b"ab")[:-3]).decode(),
        ":" + base64.b64encode(zlib.compress(b"ab") * 2).decode() + ":",
    ],
)
def test_damaged_halves_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack(text, "<f2")


def test_a_bomb_in_halves_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.records.schema._MAX_ITEMS", 1000)
    assert len(unpack(pack(np.zeros(1000), "<f2"), "<f2")) == 1000
    with pytest.raises(ValueError, match="too long"):
        unpack(pack(np.zeros(5000), "<f2"), "<f2")


def test_half_precision_as_it_was_packed_at_first_is_read() -> None:
    array = np.linspace(-1, 1, 40).astype(np.float16)
    np.testing.assert_array_equal(unpack(base64.b64encode(zlib.compress(array.tobytes())).decode(), "<f2"), array)


def test_half_precision_takes_less_room_than_its_bytes() -> None:
    values = np.random.default_rng(0).normal(0.6, 0.1, 3000)
    assert len(base64.b64decode(pack(values, "<f2")[1:])) < 0.75 * 6000


def test_strict_leaves_no_nan() -> None:
    value = {"a": float("nan"), "b": [np.float32(1.5), (float("inf"), 2)], 3: np.arange(2), "c": np.float64("nan")}
    assert strict(value) == {"a": None, "b": [1.5, [None, 2]], "3": [0, 1], "c": None}
    json.dumps(strict(value), allow_nan=False)
    with pytest.raises(TypeError, match="object"):
        strict({"a": object()})


BASE: dict[str, Any] = {"embedder_sha": "e", "task_id": "A", "language": "en", "data_sha": "d", "protocol": {"v": 1}}


@pytest.mark.parametrize(
    "change", [{k: (v if k == "protocol" else "other")} for k, v in {**BASE, "protocol": {"v": 2}}.items()]
)
def test_eval_id_depends_on_everything(change: dict[str, Any]) -> None:
    assert eval_id(**BASE) == eval_id(**BASE)
    assert eval_id(**{**BASE, **change}) != eval_id(**BASE)


def test_records_of_a_later_schema_are_not_guessed_at() -> None:
    with pytest.raises(ValidationError, match="update augbench"):
        RunRecord.model_validate({"schema_version": SCHEMA + 1, "train_id": "0" * 16})


def test_unknown_fields_of_a_record_are_passed_over(run_record: RunRecord) -> None:
    text = json.loads(run_record.model_dump_json())
    assert RunRecord.model_validate({**text, "added_later": 1}) == run_record


@pytest.fixture
def run_record() -> RunRecord:
    spec = {
        "suite": "s",
        "scale": "smoke",
        "row": "r",
        "method": "m",
        "config": {},
        "language": "english",
        "corpus": {"name": "c", "sha": "x", "rows": 1},
        "encoder": {"name": "e", "sha": None},
        "seed": 0,
    }
    return RunRecord.model_validate(
        {"train_id": "0" * 16, "identity": {}, "spec": spec, "status": "ok", "started": "t", "finished": "t"}
    )
