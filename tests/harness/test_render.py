"""Rendering of changes: blanks beside deletions, insertions and replacements; refusal of changes that overlap."""

from __future__ import annotations

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.protocols import Change, Edit
from harness.protocols.operator import render
from harness.words import is_word

NLP = spacy.blank("en")


@pytest.mark.parametrize(
    ("text", "start", "end", "expected"),
    [
        ("the old cat sat.", 1, 2, "the cat sat."),
        ("the old cat sat.", 3, 4, "the old cat."),
        ("the old cat sat", 3, 4, "the old cat"),
        ("the old cat sat ", 3, 4, "the old cat"),
        ("the old cat sat.", 0, 1, "old cat sat."),
        ("big dogs, cats", 1, 2, "big, cats"),
        ("see (big dogs) now", 2, 3, "see (dogs) now"),
        ("I don't go", 2, 3, "I do go"),
        ("I don't go", 1, 2, "I n't go"),
        ("I don't go", 1, 3, "I go"),
        ("one", 0, 1, ""),
    ],
)
def test_a_deletion_takes_one_blank_along_and_joins_no_words(text, start, end, expected):
    assert render(NLP(text), [Change("delete", start, end)]) == expected


def test_two_deletions_side_by_side_are_one():
    doc = NLP("I don't go")
    apart = [Change("delete", 1, 2), Change("delete", 2, 3)]
    assert render(doc, apart) == render(doc, [Change("delete", 1, 3)]) == "I go"


@pytest.mark.parametrize(
    ("start", "text", "expected"),
    [(0, "Oh, ", "Oh, the cat sat."), (1, ",", "the, cat sat."), (3, "!", "the cat sat!."), (4, "?", "the cat sat.?")],
)
def test_an_insertion_goes_behind_its_token_before_the_blank(start, text, expected):
    assert render(NLP("the cat sat."), [Change("insert", start, start, text)]) == expected


def test_a_replacement_keeps_the_blank_behind_it():
    assert render(NLP("the cat sat."), [Change("replace", 0, 2, "she")]) == "she sat."


@pytest.mark.parametrize(
    "changes",
    [
        [Change("delete", 0, 2), Change("delete", 1, 3)],
        [Change("delete", 3, 9)],
        [Change("replace", 2, 1, "x")],
    ],
)
def test_changes_that_overlap_or_leave_the_document_are_refused(changes):
    with pytest.raises(ValueError, match="overlaps another change or leaves"):
        render(NLP("a b c"), changes)


def test_an_edit_that_changes_nothing_is_none():
    doc = NLP("a b c")
    assert Edit.of(doc, []) is None
    assert Edit.of(doc, [Change("replace", 1, 2, "b")]) is None


@settings(deadline=None)
@given(st.text(max_size=60), st.data())
def test_deletions_keep_the_other_tokens_in_order_and_never_join_two_words_at_a_blank(text, data):
    doc = NLP(text)
    gone = data.draw(st.sets(st.integers(0, max(0, len(doc) - 1)), max_size=len(doc)))
    out = render(doc, [Change("delete", i, i + 1) for i in sorted(gone) if i < len(doc)])
    kept = [t for t in doc if t.i not in gone]
    position = 0
    for before, token in zip([None, *kept], kept, strict=False):
        found = out.index(token.text, position)
        assert not out[position:found].strip(" ")
        blanks = before is not None and any(doc[i].whitespace_ for i in range(before.i, token.i))
        if blanks and is_word(before.text) and is_word(token.text):
            assert found > position
        position = found + len(token.text)
    assert not out[position:].strip(" ")
