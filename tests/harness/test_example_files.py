"""Reading a pack's examples strictly, and holding an operator to them."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import DataError
from harness.examples import Example, change_rate, outputs, pack_examples, read_examples, violations
from harness.protocols import Change, Edit, Operator
from harness.seeds import python_rng

GOOD = {"operator": "pi", "text": "He left.", "accept": ["He, left.", None], "construction": "subject"}


def write(tmp_path, *rows, name="pi.jsonl"):
    path = tmp_path / name
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_examples_are_read_in_order_with_their_place(tmp_path):
    path = write(tmp_path, GOOD, {**GOOD, "operator": "pi@paper"}, {**GOOD, "text": "x", "accept": [None]})
    first, second, third = read_examples(path)
    assert first == Example("pi", "He left.", ("He, left.", None), "subject")
    assert (first.place, third.place) == ("pi.jsonl:1", "pi.jsonl:3")
    assert (second.operator, second.name) == ("pi@paper", "pi")
    assert [e.refusal_only for e in (first, second, third)] == [False, False, True]


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(TEXT, st.lists(st.one_of(st.none(), TEXT), min_size=1, unique=True))
def test_any_text_survives_the_file(tmp_path_factory, text, accept):
    accept = [output for output in accept if output != text] or [None]
    path = tmp_path_factory.mktemp("examples") / "pi.jsonl"
    row = {**GOOD, "text": text, "accept": accept}
    path.write_text(json.dumps(row, ensure_ascii=True) + "\n")
    assert read_examples(path) == [Example("pi", text, tuple(accept), "subject")]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("", "line 2 is not one JSON object"),
        ("{", "line 2 is not one JSON object"),
        ("[1]", "line 2 is a JSON list"),
        ('{"operator": "pi", "operator": "mv"}', "a key is there twice"),
        ({k: v for k, v in GOOD.items() if k != "text"}, "line 2: text is missing or not a str"),
        ({**GOOD, "accept": "He, left."}, "accept is missing or not a list"),
        ({**GOOD, "note": "x"}, "unknown key 'note'"),
        ({**GOOD, "accept": []}, "at least one output"),
        ({**GOOD, "accept": [1]}, "a string or null"),
        ({**GOOD, "accept": ["a", "a"]}, "an output twice"),
        ({**GOOD, "accept": ["He left."]}, "write null"),
        ({**GOOD, "construction": " "}, "construction is empty"),
        ({**GOOD, "operator": "pi@"}, "line 2: 'pi@' names no operator"),
        ({**GOOD, "operator": "mv"}, r"line 2: an example of 'mv'; it belongs into mv\.jsonl"),
        (GOOD, "line 2: the same operator and text as line 1"),
    ],
)
def test_what_is_no_example_is_refused_with_its_line(tmp_path, row, words):
    with pytest.raises(DataError, match=words) as caught:
        read_examples(write(tmp_path, GOOD, row))
    assert "pi.jsonl" in str(caught.value)


def test_missing_and_empty_files_are_refused(tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        read_examples(tmp_path / "pi.jsonl")
    with pytest.raises(DataError, match="holds no example"):
        read_examples(write(tmp_path))


def test_a_packs_examples_are_those_of_all_its_files(tmp_path):
    (tmp_path / "examples").mkdir()
    pack = SimpleNamespace(folder=tmp_path)
    assert pack_examples(pack) == []
    write(tmp_path / "examples", {**GOOD, "operator": "mv"}, name="mv.jsonl")
    write(tmp_path / "examples", GOOD)
    assert [e.operator for e in pack_examples(pack)] == ["mv", "pi"]


class Coin(Operator):
    name = "coin"

    def apply(self, doc, rng):
        return None if rng.random() < 0.5 else Edit("changed", (Change("insert", 0, 0, "x"),))


EXAMPLE = Example("coin", "a", ("changed", None), "any", "coin.jsonl:1")


def test_outputs_are_those_of_augment_under_each_seed():
    expected = {s: None if python_rng(s, "coin", "a").random() < 0.5 else "changed" for s in range(10)}
    assert outputs(EXAMPLE, Coin(), SimpleNamespace(text="a")) == expected
    assert len(set(expected.values())) == 2


def test_every_unacceptable_output_is_named_once_with_its_first_seed():
    found = {0: None, 1: "changed", 2: "bad", 3: "bad", 4: "worse"}
    assert violations(EXAMPLE, found) == [
        "coin.jsonl:1: coin of 'a' under seed 2: 'bad'; expected 'changed' or left alone (any)",
        "coin.jsonl:1: coin of 'a' under seed 4: 'worse'; expected 'changed' or left alone (any)",
    ]
    (refused,) = violations(replace(EXAMPLE, accept=("changed",)), found | {2: "changed", 3: None, 4: "changed"})
    assert "under seed 0: left alone; expected 'changed'" in refused
    assert violations(EXAMPLE, {0: None, 1: "changed"}) == []


def test_the_change_rate_leaves_refusals_out():
    refusal = replace(EXAMPLE, accept=(None,))
    found = [{0: None, 1: "changed"}, {0: None, 1: None}, {0: None, 1: None}]
    assert change_rate([EXAMPLE, EXAMPLE, refusal], found) == 0.5
    assert change_rate([refusal], found[:1]) is None
