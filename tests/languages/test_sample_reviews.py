"""The labelled sample sets of both packs are what their READMEs say, and classes follow from the words, but not from few."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

import languages.chinese
import languages.english
from harness.data import DataFolder
from harness.data.labelled import read_labelled
from harness.protocols import LanguagePack
from harness.suite import Suite, load_suite
from harness.tasks import resolve_tasks
from harness.tasks.transfer import TransferTask

PACKS = [languages.english.load(), languages.chinese.load()]
NEGATION = {
    "en": re.compile(r"n't\b|\b(not|no|never|none|nobody|nothing|neither|without)\b", re.IGNORECASE),
    "zh": re.compile("[不没别未无]"),
}
CONTRAST = {"en": re.compile(r"\b(but|yet|though|although)\b"), "zh": re.compile("但|可|却|虽|不过|倒是")}
#: shortest and longest, in words or characters
LENGTHS = {"en": (5, 25), "zh": (8, 40)}

each_pack = pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)


def reviews(pack: LanguagePack) -> list[tuple[str, str]]:
    lines = (pack.samples / f"transfer/{pack.code}/SampleReviews/all.tsv").read_bytes().decode().split("\n")
    assert lines.pop() == ""
    rows = [line.split("\t") for line in lines]
    assert all(len(row) == 2 for row in rows)
    return [(label, text) for label, text in rows]


def bare(text: str) -> str:
    """The sentence without marks and capitals: two that differ in them alone are the same sentence."""
    return re.sub(r"\W", "", text).lower()


def others(folder: Path) -> set[str]:
    """Every line of a corpus and every sentence of a pair in the other sample files, bare."""
    lines = [line for path in folder.rglob("*.txt") for line in path.read_text(encoding="utf-8").split("\n")]
    rows = [line for path in folder.glob("sts/*/*/*.tsv") for line in path.read_text(encoding="utf-8").split("\n")]
    return {bare(text) for text in [*lines, *(side for row in rows for side in row.split("\t")[1:])]}


@each_pack
def test_both_classes_have_as_many_reviews_and_none_stands_first(pack: LanguagePack) -> None:
    labels = [label for label, _ in reviews(pack)]
    assert Counter(labels) == {"0": 120, "1": 120}
    # no run of one class gives a fold away
    assert max(len(run) for run in re.findall("0+|1+", "".join(labels))) < 15


@each_pack
def test_reviews_are_clean_distinct_and_in_no_other_sample(pack: LanguagePack) -> None:
    texts = [text for _, text in reviews(pack)]
    assert all(text == text.strip() and "  " not in text and re.search(r"[.!?。！？]$", text) for text in texts)
    assert len({bare(text) for text in texts}) == 240
    known = others(pack.samples)
    assert len(known) > 1_000
    assert not known & {bare(text) for text in texts}
    low, high = LENGTHS[pack.code]
    count: Callable[[str], int] = len if pack.code == "zh" else lambda text: len(text.split())
    assert low <= min(map(count, texts))
    assert max(map(count, texts)) <= high


@each_pack
def test_reviews_have_no_template(pack: LanguagePack) -> None:
    texts = [text for _, text in reviews(pack)]
    start = (lambda text: text[:4]) if pack.code == "zh" else lambda text: " ".join(text.lower().split()[:3])
    assert max(Counter(map(start, texts)).values()) <= 3


@each_pack
def test_negations_and_contrasts_occur_in_both_classes(pack: LanguagePack) -> None:
    for label in "01":
        texts = [text for given, text in reviews(pack) if given == label]
        assert sum(bool(NEGATION[pack.code].search(text)) for text in texts) >= 25
        assert sum(bool(CONTRAST[pack.code].search(text)) for text in texts) >= 10


def test_chinese_reviews_are_simplified() -> None:
    from languages.chinese.traditional import simplified

    assert [text for _, text in reviews(PACKS[1]) if simplified(text) != text] == []


@each_pack
def test_the_harness_takes_them_as_a_nested_transfer_task(pack: LanguagePack) -> None:
    data = DataFolder(pack.samples)
    (task,) = resolve_tasks(["transfer"], data=data, language=pack.code)
    assert isinstance(task, TransferTask)
    assert (task.id, task.scheme, task.split, task.notes) == ("SampleReviews", "nested", "test", ())
    assert task.classes == ("0", "1")
    assert task.sentences() == [text for _, text in reviews(pack)]
    file = data.sets("transfer", pack.code)["SampleReviews"]["all"]
    assert task.gold.tolist() == [int(label) for label in read_labelled(file, classes=("0", "1")).labels]


@each_pack
def test_words_tell_the_classes_apart_but_not_all_of_them(pack: LanguagePack) -> None:
    """Bag of words (in Chinese of characters and pairs of them) by 10 folds; 60 is 3 standard errors above the larger class."""
    labels, texts = zip(*reviews(pack), strict=True)
    words = {"en": {"token_pattern": r"[\w']+"}, "zh": {"analyzer": "char", "ngram_range": (1, 2)}}[pack.code]
    model = make_pipeline(TfidfVectorizer(**words), LogisticRegression())
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    accuracy = 100 * np.mean(cross_val_predict(model, texts, labels, cv=folds) == np.array(labels))
    assert 60 < accuracy < 90


@each_pack
def test_no_word_decides_alone(pack: LanguagePack) -> None:
    labels, texts = zip(*reviews(pack), strict=True)
    pairs = {"analyzer": "char", "ngram_range": (2, 2)} if pack.code == "zh" else {}
    counts = (TfidfVectorizer(use_idf=False, **pairs).fit_transform(texts) > 0).toarray()
    sign = np.where(np.array(labels) == "1", 1, -1)
    # how many reviews more of one class than of the other have the word
    assert np.abs(sign @ counts).max() <= 24


def test_the_suite_of_transfer_tasks_finds_its_smoke_columns_in_the_samples() -> None:
    suite = load_suite("sda-table5")
    assert isinstance(suite, Suite)
    assert suite.scales["smoke"].data == "sample"
    wanted = suite.tasks_at("smoke")
    assert "SampleReviews" in wanted
    tasks = resolve_tasks(wanted, data=DataFolder(PACKS[0].samples), language="en")
    assert [task.id for task in tasks] == list(wanted)


def test_the_wheel_takes_the_files_along() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["*"]
    for pack in PACKS:
        for file in pack.samples.rglob("*"):
            assert file.is_dir() or any(file.match(pattern) for pattern in patterns), file
