"""The Python door: rows of views and edits."""

from __future__ import annotations

import pytest

from harness.augmentation import Augmenter, augment
from harness.errors import Skipped, UsageError
from harness.languages import open_pack
from harness.protocols import Change
from harness.protocols.operator import render

TEXTS = ["The cat sat on the mat.", "", "Dogs bark."]


def test_rows_hold_text_views_and_edits():
    rows = augment(TEXTS, ["delete@50", "punct"], language="en", seed=1)
    assert [row["text"] for row in rows] == TEXTS
    assert all(list(row["views"]) == list(row["edits"]) == ["delete@50", "punct"] for row in rows)
    assert rows[1] == {
        "text": "",
        "views": {"delete@50": None, "punct": None},
        "edits": {"delete@50": None, "punct": None},
    }
    for row, doc in zip(rows, open_pack("en").parse(TEXTS), strict=True):
        for spec, changes in row["edits"].items():
            if changes is not None:
                assert render(doc, [Change(**change) for change in changes]) == row["views"][spec]
    assert rows[0]["views"]["punct"] != TEXTS[0]


def test_operators_may_come_as_one_string_and_twice():
    listed = augment(TEXTS, ["crop@50", "swap"], language="english")
    assert augment(iter(TEXTS), "crop@50, swap,crop@50", language=open_pack("en")) == listed


def test_chunks_give_what_one_call_gives():
    augmenter = Augmenter("crop@50,punct", language="en", seed=2)
    assert [row for text in TEXTS for row in augmenter.rows([text])] == augment(
        TEXTS, "crop@50,punct", language="en", seed=2
    )


def test_word_piece_operators_give_the_text_of_the_new_pieces(tiny_encoder):
    text = "the old dog sits near the house and the small cat sleeps on the mat"
    rows = [augment([text], "repeat,crop", language="en", seed=s, encoder=str(tiny_encoder))[0] for s in range(8)]
    views = [row["views"]["repeat"] for row in rows]
    assert all(row["edits"]["repeat"] is None for row in rows)
    assert list(rows[0]["views"]) == ["repeat", "crop"]
    longer = [view.split() for view in views if view]
    assert longer
    for words in longer:
        assert "[CLS]" not in words
        assert [w for w, before in zip(words, [None, *words], strict=False) if w != before] == text.split()


def test_masks_are_filled_by_the_encoder(tiny_mlm):
    (row,) = augment(["the old dog sits near the house"], "mask@99", language="en", encoder=str(tiny_mlm))
    assert "[MASK]" not in row["views"]["mask@99"]


@pytest.mark.parametrize("spec", ["repeat", "mask"])
def test_operators_that_need_an_encoder_ask_for_it(spec):
    with pytest.raises(Skipped, match="add --encoder"):
        augment(TEXTS, spec, language="en")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"operators": "cropp", "language": "en"}, "Did you mean 'crop'"),
        ({"operators": "crop,,swap", "language": "en"}, "names no operator"),
        ({"operators": "crop@0", "language": "en"}, "write crop@PERCENT"),
        ({"operators": "crop", "language": "englisch"}, "Did you mean 'english'"),
    ],
)
def test_wrong_names_are_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        augment(TEXTS, **arguments)
