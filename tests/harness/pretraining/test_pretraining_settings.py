"""What may be chosen, and what must stay the same when a run goes on."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.pretraining.settings import Recipe, Shape


def test_only_the_budget_may_change():
    recipe = Recipe()
    assert recipe.lasting() == recipe.model_copy(update={"tokens": 5, "decay": 0.9}).lasting()
    for name, value in {"rows": 3, "rate": 0.5, "masked": 0.5, "seed": 4, "shape": Shape(layers=2)}.items():
        assert recipe.lasting() != recipe.model_copy(update={name: value}).lasting()


def test_the_width_is_divided_among_the_heads():
    with pytest.raises(ValidationError, match="width 20 cannot be divided among 3 heads"):
        Shape(width=20, heads=3)
    assert Shape(width=21, heads=3).width == 21


def test_shares_of_one_whole():
    with pytest.raises(ValidationError, match=r"hidden 0\.9 and swapped 0\.2 are shares of one whole"):
        Recipe(hidden=0.9, swapped=0.2)
    assert Recipe(hidden=0.8, swapped=0.2).hidden == 0.8


@pytest.mark.parametrize(
    "wrong",
    [{"pieces": 70_000}, {"pieces": 10}, {"tokens": 0}, {"masked": 0}, {"held_out": 0.5}, {"decay": 0}, {"speed": 9}],
)
def test_out_of_range(wrong):
    with pytest.raises(ValidationError):
        Recipe(**wrong)
