from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import UsageError
from harness.runs.sweep_space import Interval, draws, grid


def test_a_grid_is_every_combination_once_with_typed_values() -> None:
    found = grid(["learning_rate=1e-5, 3e-5", "select=dev,last", "batch_size=16,32,64"])
    assert len(found.trials) == 12
    assert len({tuple(trial.values()) for trial in found.trials}) == 12
    assert found.trials[0] == {"learning_rate": 1e-5, "select": "dev", "batch_size": 16}
    assert found.trials[1]["batch_size"] == 32  # the last key is the fastest
    assert found.keys == ("learning_rate", "select", "batch_size")


def test_more_draws_are_the_same_ones_and_some_more_whatever_else_varies() -> None:
    few = draws(3, ["learning_rate=1e-5..1e-3:log"])
    more = draws(7, ["learning_rate=1e-5..1e-3:log", "batch_size=16,32"])
    rates = [trial["learning_rate"] for trial in more.trials]
    assert [trial["learning_rate"] for trial in few.trials] == rates[:3]
    assert {trial["batch_size"] for trial in more.trials} == {16, 32}


def test_draws_differ_from_each_other_or_the_space_is_too_small() -> None:
    assert sorted(trial["epochs"] for trial in draws(4, ["epochs=1..4"]).trials) == [1, 2, 3, 4]
    with pytest.raises(UsageError, match="only 4 different settings"):
        draws(5, ["epochs=1..4"])


def test_log_draws_are_even_over_the_orders_of_magnitude() -> None:
    values = [trial["x"] for trial in draws(400, ["x=1e-4..1.0:log"]).trials]
    below = sum(value < 1e-2 for value in values)
    assert 160 <= below <= 240  # half of them, within four standard deviations
    flat = [trial["x"] for trial in draws(400, ["x=0.0..1.0"]).trials]
    assert sum(value < 1e-2 for value in flat) < 20


@given(low=st.floats(1e-6, 1e3), factor=st.floats(1.001, 1e6), u=st.floats(0, 1, exclude_max=True), log=st.booleans())
def test_every_draw_lies_in_its_interval_and_is_short(low: float, factor: float, u: float, log: bool) -> None:
    value = Interval(low, low * factor, log=log).draw(u)
    assert low <= value <= low * factor
    assert value in (low, low * factor) or math.isclose(value, float(f"{value:.3g}"))


@given(low=st.integers(-5, 5), size=st.integers(1, 50), u=st.floats(0, 1, exclude_max=True))
def test_whole_ends_give_whole_numbers(low: int, size: int, u: float) -> None:
    value = Interval(low, low + size, whole=True).draw(u)
    assert isinstance(value, int)
    assert low <= value <= low + size


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid(["x=1..2"]), "single values"),
        (lambda: grid(["x"]), "expected KEY=V1,V2"),
        (lambda: grid(["x="]), "expected KEY=V1,V2"),
        (lambda: grid(["x=1,,2"]), "a value is empty"),
        (lambda: grid(["x=1,1"]), "a value is given twice"),
        (lambda: grid(["x=1,2", "x=3"]), "--grid x is given twice"),
        (lambda: grid(["x=1,a b"]), "--grid .*not TOML"),
        (lambda: grid([f"{key}={','.join(map(str, range(30)))}" for key in "abc"]), "27,000 trials"),
        (lambda: draws(3, []), "--space: nothing to vary"),
        (lambda: draws(0, ["x=1..2"]), "at least 1"),
        (lambda: draws(3, ["x=2..1"]), "not below"),
        (lambda: draws(3, ["x=0..1:log"]), "above 0"),
        (lambda: draws(3, ["x=1..2:lin"]), "low..high:log"),
    ],
)
def test_what_is_no_space_is_said(make: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make()  # type: ignore[operator]
