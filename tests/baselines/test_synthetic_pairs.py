"""Files of pairs are read or refused by line; the clean-up is DINO's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.synthetic.pairs import RANDOM, Pairs, add_random, clean, read_pairs, smooth, split_by_left, write_pairs
from harness.errors import DataError

texts = st.text(min_size=1, max_size=20).filter(lambda t: t.strip() and "\0" not in t and "\ufeff" not in t)
encodable = texts.filter(lambda t: not any(0xD800 <= ord(c) <= 0xDFFF for c in t))
rows = st.lists(st.tuples(encodable, encodable, st.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=8)


def rng(seed=0):
    return np.random.default_rng(seed)


@settings(max_examples=40)
@given(rows)
def test_what_is_written_is_read_again(tmp_path_factory, listed):
    path = tmp_path_factory.mktemp("pairs") / "pairs.tsv"
    pairs = Pairs.of((a, b, y, "x") for a, b, y in listed)
    write_pairs(pairs, path)
    again = read_pairs(path)
    assert again.label.tolist() == pairs.label.tolist()
    for mine, given_ in ((again.left, pairs.left), (again.right, pairs.right)):
        assert mine == tuple(" ".join(text.split()) for text in given_)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "holds no pair"),
        ("text_a\ttext_b\tlabel\n", "holds no pair"),
        ("a b\tc d\t1\nonly one\n", r"line 2: 1 fields, expected three"),
        ("a\tb\t1\t2\n", r"line 1: 4 fields"),
        ("a\tb\t1\n\nc\td\t0\n", r"line 2: 1 fields"),
        ("a\t \t1\n", "line 1: text_b is empty"),
        ("\tb\t1\n", "line 1: text_a is empty"),
        ("a\tb\t1.5\n", "line 1: the label is '1.5', expected a number from 0"),
        ("a\tb\t-0.1\n", "the label is '-0.1'"),
        ("a\tb\tnan\n", "the label is 'nan'"),
        ("a\tb\thigh\n", "the label is 'high'"),
    ],
)
def test_malformed_files_are_refused_with_their_line(tmp_path, content, message):
    path = tmp_path / "pairs.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message) as caught:
        read_pairs(path)
    assert str(path) in str(caught.value)


def test_a_missing_file_and_other_encodings_are_refused(tmp_path):
    with pytest.raises(DataError, match="no file"):
        read_pairs(tmp_path / "none.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"caf\xe9\tb\t1\n")
    with pytest.raises(DataError, match="line 1"):
        read_pairs(tmp_path / "latin.tsv")


def test_clean_drops_equal_and_repeated_pairs_and_keeps_a_few_per_label():
    made = [("a", "a", 1.0, "x"), ("a", "b", 1.0, "x"), ("a", "b", 1.0, "y"), ("a", "b", 0.5, "x")]
    made += [("a", f"c{i}", 1.0, "x") for i in range(5)] + [("d", "e", 1.0, "x")]
    kept = clean(Pairs.of(made), most=2, rng=rng())
    assert Counter(zip(kept.left, kept.label.tolist(), strict=True)) == {("a", 1.0): 2, ("a", 0.5): 1, ("d", 1.0): 1}
    assert ("a", "a") not in set(zip(kept.left, kept.right, strict=True))
    places = [made.index(row) if row in made else -1 for row in kept.rows()]
    assert places == sorted(places)
    assert len(clean(Pairs.of(made), most=0, rng=rng())) == 8
    drawn = {clean(Pairs.of(made), most=2, rng=rng(seed)).right for seed in range(8)}
    assert len(drawn) > 1


def test_smoothing_is_dinos():
    pairs = Pairs.of([("a", "b", y, "x") for y in (0.0, 0.5, 1.0)])
    np.testing.assert_allclose(smooth(pairs, 0.2).label, [0.1, 0.5, 0.9], rtol=1e-6)
    assert smooth(pairs, 0.0).label.tolist() == pairs.label.tolist()
    # DINO's code: y (1 - s) + s / 3 * 1.5
    np.testing.assert_allclose(smooth(pairs, 0.3).label, pairs.label * 0.7 + 0.3 / 3 * 1.5, rtol=1e-6)


def test_random_pairs_are_new_and_unrelated():
    pairs = Pairs.of([(f"s{i}", f"v{i}", 0.9, "x") for i in range(20)])
    more = add_random(pairs, 2, rng())
    added = more.take(np.flatnonzero(np.array(more.origin) == RANDOM))
    assert len(added) == 40
    assert set(added.label.tolist()) == {0.0}
    assert Counter(added.left) == {f"s{i}": 2 for i in range(20)}
    assert len(set(more.rows())) == 60
    assert not any(left[1:] == right[1:] for left, right in zip(added.left, added.right, strict=True))
    # nothing else can be had of a single pair
    assert len(add_random(Pairs.of([("a", "b", 1.0, "x")]), 2, rng())) == 1


def test_a_dev_part_shares_no_first_sentence():
    pairs = Pairs.of([(f"s{i % 30}", f"v{i}", 0.5, "x") for i in range(90)])
    rest, part = split_by_left(pairs, 0.1, rng())
    assert len(set(part.left)) == 3
    assert not set(part.left) & set(rest.left)
    assert sorted(rest.rows() + part.rows()) == sorted(pairs.rows())
    with pytest.raises(DataError, match="1 different first sentences"):
        split_by_left(Pairs.of([("a", "b", 1.0, "x")]), 0.1, rng())


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="same length"):
        Pairs(("a",), (), np.zeros(1, dtype=np.float32), ("x",))
    assert len(Pairs.of([])) == 0
