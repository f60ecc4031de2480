"""The samples of the Chinese pack are what their README says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.feature_extraction.text import TfidfVectorizer

import languages.chinese
from harness.data import DataFolder
from harness.tasks import resolve_tasks

SAMPLES = Path(languages.chinese.__file__).parent / "samples"
ROWS = {"dev": 120, "test": 240}


def read(place: str) -> list[str]:
    lines = (SAMPLES / place).read_bytes().decode().split("\n")
    assert lines.pop() == ""
    return lines


def sentences() -> list[str]:
    return read("corpus/zh/sample.txt")


def pairs(split: str) -> list[list[str]]:
    return [line.split("\t") for line in read(f"sts/zh/SampleSTS/{split}.tsv")]


def bare(sentence: str) -> str:
    """The sentence without marks: two that differ in marks alone are the same sentence."""
    return re.sub(r"\W", "", sentence)


def test_sentences_are_clean_and_distinct():
    rows = sentences()
    assert len(rows) == 1_311
    assert len({bare(row) for row in rows}) == len(rows)
    assert all(8 <= len(row) <= 45 and not re.search(r"\s", row) for row in rows)
    assert all(re.search("[一-鿿]", row) for row in rows)


def test_sentences_have_no_template():
    # four opening characters, or four closing ones, shared by many sentences would be a template
    assert max(Counter(row[:4] for row in sentences()).values()) <= 3
    assert max(Counter(bare(row)[-4:] for row in sentences()).values()) <= 3


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("[不没]", 300),
        ("把", 60),
        ("被", 30),
        ("？$", 80),
        ("！$", 10),
        ("[了过着]", 300),
        ("[能会要]|可以|必须|应该", 150),
        ("[^。？！”]$", 30),
    ],
)
def test_constructions_occur_often_enough_to_try_a_rule_on(pattern, least):
    assert sum(bool(re.search(pattern, row)) for row in sentences()) >= least


def test_text_is_simplified():
    from languages.chinese.traditional import simplified

    rows = sentences() + [side for split in ROWS for row in pairs(split) for side in row[1:]]
    assert [row for row in rows if simplified(row) != row] == []


@pytest.mark.parametrize("split", ROWS)
def test_pairs_are_well_formed_and_cover_the_scale_evenly(split):
    table = pairs(split)
    assert len(table) == ROWS[split]
    assert all(len(row) == 3 and row[1] and row[2] for row in table)
    assert all(row[1:] == [side.strip() for side in row[1:]] for row in table)
    assert all(re.fullmatch(r"[0-4]\.[05]|5\.0", row[0]) for row in table)
    # five bands of one point each; no band is under half or over one and a half times its share
    bands = Counter(min(4, int(float(row[0]))) for row in table)
    assert all(0.5 <= bands[band] * 5 / len(table) <= 1.5 for band in range(5))


def test_the_harness_reads_them_as_tasks():
    dev, test = resolve_tasks(["SampleSTS:dev", "SampleSTS"], data=DataFolder(SAMPLES), language="zh")
    assert (len(dev.pairs), len(test.pairs)) == (120, 240)
    assert test.gold.tolist() == [float(row[0]) for row in pairs("test")]


def test_no_sentence_occurs_twice():
    corpus = {bare(row) for row in sentences()}
    sides = Counter(bare(side) for split in ROWS for row in pairs(split) for side in row[1:])
    assert [side for side, times in sides.items() if times > 1] == []
    assert not corpus & set(sides)


def test_shared_characters_do_not_solve_the_task():
    """TF-IDF of single characters, as in the README: better than chance, far from the scores."""
    vectorizer = TfidfVectorizer(analyzer="char").fit(sentences())
    table = pairs("test")
    first, second = (vectorizer.transform([row[side] for row in table]) for side in (1, 2))
    cosines = np.asarray(first.multiply(second).sum(axis=1)).ravel()
    value = 100 * spearmanr([float(row[0]) for row in table], cosines)[0]
    assert value == pytest.approx(29.0, abs=0.1)
