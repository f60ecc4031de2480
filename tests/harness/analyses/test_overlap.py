"""Overlap: Jaccard against a slow count, the units, sets and splits, and the tables beside printed numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from analysed_pack import Stub, write_corpus
from hypothesis import given
from hypothesis import strategies as st

from harness.analyses.job import Request
from harness.analyses.overlap import OverlapResult, jaccard, unit_of
from harness.analyses.overlap_tables import overlap_tables
from harness.analyses.run import open_job, run_job
from harness.analyses.suites import OverlapSuite
from harness.errors import EncoderError, Skipped, UsageError
from harness.languages import open_pack
from harness.suite import parse_suite

SUITE = """[suite]
name = "mine"
kind = "overlap"
title = "Mine"
default_scale = "small"
average = "mean"
published_average = { source = "a paper", value = 30.0 }
splits = ["B"]
columns = [
  { title = "A", task = "A", published = { source = "a paper", value = 50.0 } },
  { title = "B", task = "B", average = true },
  { title = "B dev", task = "B:dev", average = true },
]
[scales.smoke]
data = "sample"
texts = ["original"]
splits = []
columns = [{ title = "A", task = "A" }]
[scales.small]
[[rows]]
label = "words"
[[rows]]
label = "tokens, SentEval text"
text = "senteval"
unit = "tokens"
[[rows]]
label = "tokens in lower case"
unit = "tokens-lower"
[[rows]]
label = "pieces"
unit = "pieces"
[[rows]]
label = "pieces, special"
unit = "pieces-special"
"""
PAIRS = {
    "A": {"test": [("A cat sat.", "a cat ran!"), ("Cats", "dogs"), ("...", "!!!")]},
    "B": {
        "train": [("red cat", "red dog")],
        "dev": [("the cat", "the cat")],
        "test": [("old man", "new man"), ("x y", "x y")],
    },
}


def write_sets(folder: Path, *texts: str, language: str = "st") -> Path:
    for text in texts or ("original",):
        where = folder / "sts" / (language if text == "original" else f"{language}-{text}")
        for name, splits in PAIRS.items():
            for split, pairs in splits.items():
                write_corpus(where / name / f"{split}.tsv", [f"1\t{a}\t{b}" for a, b in pairs])
    return folder


def suite(text: str = SUITE) -> OverlapSuite:
    found = parse_suite(text.encode(), "mine.toml")
    assert isinstance(found, OverlapSuite)
    return found


def job(tmp_path: Path, *texts: str, **more: Any) -> Any:
    data = write_sets(tmp_path / "data", *texts)
    return open_job(suite(), Request(language=Stub(tmp_path), data=data, **more))  # type: ignore[arg-type]


# -- the formula ------------------------------------------------------------------------------------------------------
words = st.lists(st.sampled_from("abcdefgh"), max_size=9)


@given(words, words)
def test_jaccard_is_what_a_slow_count_gives(first: list[str], second: list[str]) -> None:
    both, either = 0, 0
    for letter in "abcdefgh":
        in_first = any(letter == other for other in first)
        in_second = any(letter == other for other in second)
        both += in_first and in_second
        either += in_first or in_second
    found = jaccard(first, second)
    assert found == jaccard(second, first)
    if either == 0:
        assert found is None
    else:
        assert found == pytest.approx(both / either)


def test_jaccard_of_known_sets() -> None:
    assert jaccard("abc", "bcd") == 0.5
    assert jaccard(["a", "a", "b"], ["b"]) == 0.5  # a word counts once
    assert jaccard("ab", "cd") == 0
    assert jaccard("ab", "ba") == 1
    assert jaccard("a", "") == 0
    assert jaccard("", "") is None


# -- units ------------------------------------------------------------------------------------------------------------
def test_what_is_compared() -> None:
    pack, text = open_pack("english"), "The cat didn't see the Cat ."
    assert unit_of("words", pack)(text) == {"the", "cat", "did", "n't", "see"}
    assert unit_of("tokens", pack)(text) == {"The", "cat", "didn't", "see", "the", "Cat", "."}
    assert unit_of("tokens-lower", pack)(text) == {"the", "cat", "didn't", "see", "."}
    with pytest.raises(Skipped, match="--encoder"):
        unit_of("pieces", pack)


def test_word_pieces_with_and_without_special_tokens(tiny_encoder: Path) -> None:
    from harness.encoder import load_tokenizer

    pack, tokenizer = open_pack("english"), load_tokenizer(str(tiny_encoder))
    plain = unit_of("pieces", pack, tokenizer)("The cat sits, the catx")
    assert plain == {"the", "cat", "sits", ",", "##x"}
    assert unit_of("pieces-special", pack, tokenizer)("The cat sits, the catx") == plain | {"[CLS]", "[SEP]"}


# -- sets -------------------------------------------------------------------------------------------------------------
def test_sets_splits_and_pairs_without_a_word(tmp_path: Path) -> None:
    result = job(tmp_path, "original", "senteval").measure()
    assert isinstance(result, OverlapResult)
    found = {one.task: one for one in result.rows[0].sets}
    assert found["A"].value == pytest.approx(100 * (2 / 4 + 0) / 2)
    assert (found["A"].pairs, found["A"].undefined) == (2, 1)
    assert found["B"].value == pytest.approx(100 * (1 / 3 + 1) / 2)
    assert found["B:dev"].value == 100
    assert found["B:train"].value == pytest.approx(100 / 3)
    # all splits together: over pairs, not over splits
    assert found["B:all"].value == pytest.approx(100 * (1 / 3 + 1 + 1 / 3 + 1) / 4)
    assert found["B:all"].pairs == 4
    tokens = {one.task: one for one in result.rows[1].sets}
    assert tokens["A"].undefined == 0  # "..." is a token
    assert tokens["A"].value == pytest.approx(100 * (1 / 5 + 0 + 0) / 3)
    assert result.rows[2].value("A") == pytest.approx(100 * (2 / 4 + 0 + 0) / 3)


def test_rows_that_cannot_be_counted_are_skipped_with_the_reason(tmp_path: Path) -> None:
    result = job(tmp_path, "original").measure()
    reasons = {row.label: row.skipped for row in result.rows}
    assert reasons["words"] is None
    assert reasons["tokens, SentEval text"] == "the data folder has no sets in sts/st-senteval/"
    assert "--encoder" in reasons["pieces"]
    assert result.rows[3].sets == ()
    assert result.rows[3].value("A") is None


def test_nothing_to_count_is_an_error(tmp_path: Path) -> None:
    data = tmp_path / "data"
    write_corpus(data / "sts" / "st" / "Z" / "test.tsv", ["1\ta\tb"])
    with pytest.raises(UsageError, match="unknown task 'A'"):
        open_job(suite(), Request(language=Stub(tmp_path), data=data))  # type: ignore[arg-type]
    (tmp_path / "empty" / "sts").mkdir(parents=True)
    with pytest.raises(Skipped, match="no row of 'mine' can be counted here: the data folder has no sets in sts/st/"):
        open_job(suite(), Request(language=Stub(tmp_path), data=tmp_path / "empty"))  # type: ignore[arg-type]
    only = SUITE[: SUITE.index("[[rows]]")] + '[[rows]]\nlabel = "pieces"\nunit = "pieces"\n'
    with pytest.raises(Skipped, match=r"no row of 'mine'.*--encoder"):
        open_job(suite(only), Request(language=Stub(tmp_path), data=write_sets(data)))  # type: ignore[arg-type]
    with pytest.raises(EncoderError):
        job(tmp_path, encoder=str(tmp_path / "no-encoder"))


def test_an_encoder_is_its_tokeniser_in_the_identity(tmp_path: Path, tiny_encoder: Path, tiny_mlm: Path) -> None:
    without = job(tmp_path)
    one, two = (job(tmp_path, encoder=str(folder)) for folder in (tiny_encoder, tiny_mlm))
    assert one.id == two.id != without.id  # two models, one vocabulary
    assert one.facts()["word pieces of"] == "tiny"
    values = {row.label: row.value("A") for row in one.measure().rows}
    assert values["pieces"] < values["pieces, special"]
    (tmp_path / "data/sts/st/A/test.tsv").write_text("1\ta\tb\n")
    assert open_job(suite(), Request(language=Stub(tmp_path), data=tmp_path / "data")).id != without.id  # type: ignore[arg-type]


# -- tables -----------------------------------------------------------------------------------------------------------
def tables(tmp_path: Path, **more: Any) -> list[Any]:
    record = run_job(job(tmp_path, "original", "senteval", **more), tmp_path / "results")
    return overlap_tables(suite(), record, remarks=["said below"])


def test_the_headline_stands_beside_the_printed_numbers(tmp_path: Path) -> None:
    head, _ = tables(tmp_path)
    assert [heading.title for heading in head.headings] == [
        "A",
        "A, published",
        "mean",
        "mean, published",
        "Mean distance",
    ]
    row = [cell.mean for cell in head.lines[0].cells]
    mean = (200 / 3 + 100) / 2
    assert row == pytest.approx([25, 50, mean, 30, (25 + abs(mean - 30)) / 2])
    distances = {line.label: line.cells[-1].mean for line in head.lines if line.cells[-1].mean is not None}
    closest = min(distances, key=lambda label: distances[label])
    assert f"Closest to the published numbers: {closest!r}" in head.remarks[1]
    assert head.remarks[-1] == "said below"
    notes = [[head.footnotes[mark - 1] for mark in line.remarks] for line in head.lines]
    assert notes[0][0] == "tokeniser: the stub pack's words (tokens with a letter or digit), lower-cased"
    assert "1 pairs in which neither sentence has a word are left out" in notes[0]
    assert any(note.startswith("skipped: word pieces") for note in notes[3])
    assert all(line.seeds == () for line in head.lines)


def test_every_set_and_split_has_a_row(tmp_path: Path) -> None:
    _, sets = tables(tmp_path)
    rows = {line.label: [cell.mean for cell in line.cells[:2]] for line in sets.lines}
    assert rows == {
        "A": [3, 25],
        "B": [2, pytest.approx(200 / 3)],
        "B dev": [1, 100],
        "mean": [None, pytest.approx(250 / 3)],
        "B train": [1, pytest.approx(100 / 3)],
        "B test": [2, pytest.approx(200 / 3)],
        "B all": [4, pytest.approx(200 / 3)],
    }
    assert sets.remarks == ("mean is the mean of B, B dev.",)


def test_samples_stand_beside_no_printed_number(tmp_path: Path) -> None:
    pack = Stub(tmp_path)
    write_sets(pack.samples)
    record = run_job(open_job(suite(), Request(language=pack, scale="smoke")), tmp_path / "results")  # type: ignore[arg-type]
    head, sets = overlap_tables(suite(), record)
    assert [heading.kind for heading in head.headings] == ["overlap"]
    assert [row.label for row in OverlapResult.model_validate(record.result).rows] == [
        "words",
        "tokens in lower case",
        "pieces",
        "pieces, special",
    ]
    assert all(line.plumbing for line in (*head.lines, *sets.lines))
    assert "Closest" not in " ".join(head.remarks)
