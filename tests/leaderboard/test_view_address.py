"""What of a view stands in its address: plain names, all that was chosen, and what restores it exactly."""

from __future__ import annotations

from typing import Any

import pytest

testing = pytest.importorskip("streamlit.testing.v1", reason="the leaderboard needs streamlit")

#: a page with one widget of each kind; what a reader sees differs from every name
PAGE = """
import streamlit as st
from leaderboard import state

state.begin("p")
out = [
    state.many("Many", {"a": "Letter A!", "b": "Letter B!"}, "many", default=["a"]),
    state.one("One", {"x": "The X", "y": "The Y"}, "one"),
    state.one("Perhaps", {"x": "The X"}, "perhaps", optional=True),
    state.segment("Segment", {"s": "Segment S", "t": "Segment T"}, "segment"),
    state.flag("Flag", "flag", default=True),
    state.one("None", [], "none"),
]
state.write()
st.json(out)
"""


def opened(**query: str | list[str]) -> Any:
    at = testing.AppTest.from_string(PAGE, default_timeout=60)
    for key, value in query.items():
        at.query_params[key] = value
    at.run()
    assert not at.exception, at.exception
    assert not at.warning
    return at


def chosen(at: Any) -> list[Any]:
    import json

    return list(json.loads(at.json[0].value))


def address(at: Any) -> dict[str, list[str]]:
    return {key: list(value) if isinstance(value, list) else [value] for key, value in dict(at.query_params).items()}


def test_a_new_view_says_only_what_could_come_out_differently() -> None:
    at = opened()
    assert chosen(at) == [["a"], "x", None, "s", True, None]
    assert address(at) == {"one": ["x"]}


def test_what_is_chosen_stands_there_by_name_and_restores_the_view() -> None:
    at = opened()
    at.multiselect[0].select("b").run()
    at.selectbox[0].select("y").run()
    at.selectbox[1].select("x").run()
    at.toggle[0].set_value(False).run()
    view = {"many": ["a", "b"], "one": ["y"], "perhaps": ["x"], "flag": ["false"]}
    assert address(at) == view
    again = opened(**view)
    assert chosen(again) == chosen(at) == [["a", "b"], "y", "x", "s", False, None]
    assert address(again) == view


def test_nothing_chosen_is_a_choice() -> None:
    at = opened()
    at.multiselect[0].unselect("a").run()
    assert chosen(at)[0] == []
    assert address(at)["many"] == [""]
    assert chosen(opened(many=""))[0] == []


@pytest.mark.parametrize("value", ["Letter A!", "<script>alert(1)</script>", "c", "x" * 10_000])
def test_what_is_no_name_is_dropped(value: str) -> None:
    at = opened(many=[value, "b"], one=value, perhaps=value, segment=value, flag=value, none=value)
    assert chosen(at) == [["b"], "x", None, "s", True, None]
    assert address(at) == {"many": ["b"], "one": ["x"]}


def test_segments_are_names() -> None:
    at = opened(segment="t")
    assert chosen(at)[3] == "t"
    assert address(at)["segment"] == ["t"]
