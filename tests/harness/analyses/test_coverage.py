"""Coverage: every line counts, seeds apart, groups add up; the tables show what the record says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from analysed_pack import Naming, Shout, Stub, write_corpus
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.analyses.coverage import ALL, BLANK, OTHER, CoverageResult
from harness.analyses.coverage_tables import coverage_tables
from harness.analyses.job import Request
from harness.analyses.lines import read_all_lines
from harness.analyses.run import open_job, run_job
from harness.analyses.suites import CoverageSuite
from harness.corpus import rows_sha
from harness.errors import DataError, Skipped, UsageError
from harness.reports.formats import as_json, render
from harness.statistics import wilson
from harness.suite import parse_suite

SUITE = """[suite]
name = "mine"
kind = "coverage"
title = "Mine"
note = "A note."
paper = "P, Table 2"
language = "stub"
default_scale = "small"
[scales.smoke]
corpus = "sample"
[scales.small]
corpus = "wiki.txt"
lines = 1000
[[rows]]
label = "Shout"
operator = "shout"
published = { source = "SDA T2", method = "SDA-PI", task = "wiki1m" }
[[rows]]
label = "Coin"
operator = "coin"
group = "chance"
[[rows]]
label = "Echo"
operator = "echo"
[[rows]]
label = "Lacking"
operator = "lacking"
"""
some_lines = st.lists(st.sampled_from(["a", "a b", "a?", "b…", "", " ", "c"]), min_size=1)
LINES = ["Cats sleep", "Cats sleep.", "", "Do cats sleep?", "Cats sleep", "  ", "…", "Dogs run"]


def suite(text: str = SUITE) -> CoverageSuite:
    found = parse_suite(text.encode(), "mine.toml")
    assert isinstance(found, CoverageSuite)
    return found


def request(pack: Any, corpus: Path | None, **more: Any) -> Request:
    return Request(language=pack, corpus=corpus, jobs=1, **more)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus.txt", LINES)


def measure(pack: Any, corpus: Path, **more: Any) -> CoverageResult:
    found = open_job(suite(), request(pack, corpus, **more)).measure()
    assert isinstance(found, CoverageResult)
    return found


# -- counting ---------------------------------------------------------------------------------------------------------
def test_every_line_counts_each_time_it_occurs(tmp_path: Path, corpus: Path) -> None:
    Shout.seen.clear()
    result = measure(Stub(tmp_path), corpus)
    assert (result.lines, result.of, result.blank, result.wordless, result.repeated) == (8, 8, 2, 1, 1)
    assert result.changed("shout") == (3,)  # "Cats sleep" twice and "Dogs run"
    assert sorted(Shout.seen) == ["Cats sleep", "Cats sleep.", "Do cats sleep?", "Dogs run", "…"]
    assert result.changed("echo") == (0,)  # an edit that changes nothing is no change
    assert [(group.name, group.lines) for group in result.groups] == [(ALL, 6), (BLANK, 2)]
    assert not result.named


def test_constructions_part_the_lines(tmp_path: Path, corpus: Path) -> None:
    result = measure(Naming(tmp_path), corpus)
    groups = {group.name: group for group in result.groups}
    assert result.named
    assert {name: group.lines for name, group in groups.items()} == {"statement": 4, "question": 1, OTHER: 1, BLANK: 2}
    assert list(groups) == ["statement", "other", "question", BLANK]  # by size, blank lines last
    assert {name: group.changed["shout"] for name, group in groups.items()} == {
        "statement": (3,),
        "question": (0,),
        OTHER: (0,),
        BLANK: (0,),
    }


def test_each_seed_is_counted(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "many.txt", [f"line {i}" for i in range(200)])
    several = measure(Stub(tmp_path), corpus, seeds=(3, 4))
    assert several.changed("coin") == (
        *measure(Stub(tmp_path), corpus, seeds=(3,)).changed("coin"),
        *measure(Stub(tmp_path), corpus, seeds=(4,)).changed("coin"),
    )
    assert several.changed("coin")[0] != several.changed("coin")[1]
    assert several.changed("shout") == (0, 0)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some_lines.filter(lambda lines: any("".join(lines).split())))
def test_groups_add_up_to_what_a_plain_loop_counts(tmp_path: Path, lines: list[str]) -> None:
    result = measure(Naming(tmp_path), write_corpus(tmp_path / "lines.txt", lines))
    stripped = [line.strip() for line in lines]
    assert sum(group.lines for group in result.groups) == result.lines == len(lines)
    assert result.changed("shout")[0] == sum(line[-1:].isalpha() for line in stripped)
    for group in result.groups:
        assert 0 <= group.changed["shout"][0] <= group.lines
    assert result.blank == stripped.count("")
    assert result.repeated == sum(line in stripped[:i] for i, line in enumerate(stripped) if line)


def test_work_in_portions_gives_the_same(tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = measure(Naming(tmp_path), corpus)
    monkeypatch.setattr("harness.analyses.coverage._CHUNK", 3)
    assert measure(Naming(tmp_path), corpus) == whole


def test_operators_that_lack_something_are_skipped_with_the_reason(tmp_path: Path, corpus: Path) -> None:
    result = measure(Stub(tmp_path), corpus)
    assert result.skipped == {"lacking": "lacking needs what is not here"}
    assert result.changed("lacking") == ()
    alone = SUITE[: SUITE.index("[[rows]]")] + '[[rows]]\nlabel = "Lacking"\noperator = "lacking"\n'
    with pytest.raises(Skipped, match=r"no operator of 'mine'.*needs what is not here"):
        open_job(suite(alone), request(Stub(tmp_path), corpus))


def test_operators_on_word_pieces_are_refused(tmp_path: Path, corpus: Path) -> None:
    pieces = SUITE.replace('"echo"', '"repeat"')
    with pytest.raises(UsageError, match=r"'Echo'.*word pieces.*text operator"):
        open_job(suite(pieces), request(Stub(tmp_path), corpus))


# -- what is opened ---------------------------------------------------------------------------------------------------
def test_lines_of_a_file(tmp_path: Path) -> None:
    path = write_corpus(tmp_path / "x.txt", [" a ", "", "b", "a", "a"])
    lines = read_all_lines(path)
    assert (lines.texts, lines.of, lines.blank, lines.repeated) == (["a", "", "b", "a", "a"], 5, 1, 2)
    assert lines.sha == rows_sha(["a", "", "b", "a", "a"])
    some = read_all_lines(path, limit=3)
    assert (len(some.texts), some.of) == (3, 5)
    assert some == read_all_lines(path, limit=3)
    assert read_all_lines(path, limit=9) == lines
    with pytest.raises(DataError, match="holds no sentence"):
        read_all_lines(write_corpus(tmp_path / "blank.txt", ["", " "]))


def test_a_sample_of_lines_keeps_their_order(tmp_path: Path) -> None:
    every = [f"{i:03}" for i in range(300)]
    some = read_all_lines(write_corpus(tmp_path / "x.txt", every), limit=50).texts
    assert some == sorted(some)
    assert set(some) < set(every)


def test_where_the_corpus_comes_from(tmp_path: Path) -> None:
    pack = Stub(tmp_path)
    with pytest.raises(DataError, match=r"no sample corpus.*--corpus FILE"):
        open_job(suite(), request(pack, None, scale="smoke"))
    write_corpus(pack.samples / "corpus" / "st" / "sample.txt", ["a b"])
    sample = open_job(suite(), request(pack, None, scale="smoke"))
    assert sample.plumbing is not None
    data = tmp_path / "data"
    write_corpus(data / "corpus" / "st" / "other.txt", ["a b"])
    with pytest.raises(DataError, match=r"no corpus/st/wiki.txt.*--corpus FILE.*--scale smoke"):
        open_job(suite(), request(pack, None, data=data))
    write_corpus(data / "corpus" / "st" / "wiki.txt", ["a b", "c d"])
    user = open_job(suite(), request(pack, None, data=data))
    assert user.plumbing is None
    assert user.facts()["corpus"] == "wiki.txt (all 2 lines)"
    # a file of the user's own is no sample, whatever the scale
    assert open_job(suite(), request(pack, data / "corpus/st/other.txt", scale="smoke")).plumbing is None
    with pytest.raises(UsageError, match="no scale 'paper'"):
        open_job(suite(), request(pack, None, scale="paper"))


def test_the_identity_knows_what_decides_the_numbers(tmp_path: Path, corpus: Path) -> None:
    base = open_job(suite(), request(Stub(tmp_path), corpus))
    moved = write_corpus(tmp_path / "elsewhere" / "other-name.txt", LINES)
    assert open_job(suite(), request(Stub(tmp_path), moved)).id == base.id
    longer = write_corpus(tmp_path / "longer.txt", [*LINES, ""])
    others = [
        open_job(suite(), request(Stub(tmp_path), longer)),
        open_job(suite(), request(Stub(tmp_path), corpus, seeds=(1,))),
        open_job(suite(), request(Naming(tmp_path), corpus)),
        open_job(suite(SUITE.replace('"echo"', '"swap@50"')), request(Stub(tmp_path), corpus)),
    ]
    assert len({base.id, *(other.id for other in others)}) == 5


def test_code_that_names_constructions_is_part_of_the_identity(tmp_path: Path, corpus: Path) -> None:
    folder = tmp_path / "pack"
    write_corpus(folder / "rules" / "names.py", ["RULE = 1"])
    before = open_job(suite(), request(Naming(folder), corpus)).id
    write_corpus(folder / "rules" / "names.py", ["# a comment is no rule", "RULE = 1"])
    assert open_job(suite(), request(Naming(folder), corpus)).id == before
    write_corpus(folder / "words.toml", ["a = 1"])
    assert open_job(suite(), request(Naming(folder), corpus)).id != before


def test_what_is_edited_while_it_runs_is_not_what_ran(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pack"
    write_corpus(folder / "words.toml", ["a = 1"])
    job = open_job(suite(), request(Naming(folder), corpus))
    before = open_job(suite(), request(Naming(folder), corpus)).id
    measured = job.measure

    def edited(**options: Any) -> Any:
        write_corpus(folder / "words.toml", ["a = 2"])
        return measured(**options)

    monkeypatch.setattr(job, "measure", edited)
    assert run_job(job, tmp_path / "results").analysis_id == before
    assert open_job(suite(), request(Naming(folder), corpus)).id != before


# -- tables -----------------------------------------------------------------------------------------------------------
def tables(pack: Any, corpus: Path | None, tmp_path: Path, **more: Any) -> list[Any]:
    found = suite()
    record = run_job(open_job(found, request(pack, corpus, **more)), tmp_path / "results")
    return coverage_tables(found, record, remarks=["said below"])


def test_the_first_table_has_shares_intervals_counts_and_the_published_share_apart(
    tmp_path: Path, corpus: Path
) -> None:
    table = tables(Stub(tmp_path), corpus, tmp_path)[0]
    titles = [heading.title for heading in table.headings]
    assert titles == ["Changed %", "95 % from", "95 % to", "Lines changed", "Published"]
    shout, coin, _, lacking = table.lines
    low, high = wilson(3, 8)
    assert [cell.mean for cell in shout.cells] == pytest.approx([37.5, 100 * low, 100 * high, 3, 98.14])
    assert coin.cells[-1].mean is None
    assert [cell.text() for cell in lacking.cells] == [""] * 5
    assert [table.footnotes[mark - 1] for mark in lacking.remarks] == ["skipped: lacking needs what is not here"]
    assert "8 lines, of which 2 are blank" in table.remarks[0]
    assert "1 repeat an earlier line" in table.remarks[0]
    assert table.remarks[1:] == ("Published: P, Table 2.", "A note.", "said below")
    assert [heading.kind for heading in table.headings].count("published") == 1


def test_a_paper_counted_in_one_language(tmp_path: Path, corpus: Path) -> None:
    other = tables(Naming(tmp_path), corpus, tmp_path)[0]
    assert "published" not in {heading.kind for heading in other.headings}
    assert not any(remark.startswith("Published") for remark in other.remarks)


def test_several_seeds_show_their_spread(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "many.txt", [f"line {i}" for i in range(200)])
    table = tables(Stub(tmp_path), corpus, tmp_path, seeds=(0, 1, 2))[0]
    share, low, high, lines, _ = table.lines[1].cells
    assert "±" in share.text()
    assert low.mean < share.mean < high.mean
    assert lines.mean == pytest.approx(2 * share.mean)
    assert table.lines[1].seeds == (0, 1, 2)
    assert "3 seeds" in table.remarks[0]


def test_a_table_by_construction_for_each_group_of_rows(tmp_path: Path, corpus: Path) -> None:
    _, ours, chance = tables(Naming(tmp_path), corpus, tmp_path)
    assert ours.title == "Mine, by construction: ours"
    assert [heading.title for heading in ours.headings] == ["Lines", "Share %", "shout", "echo", "lacking"]
    assert [heading.title for heading in chance.headings] == ["Lines", "Share %", "coin"]
    rows = {line.label: [cell.mean for cell in line.cells] for line in ours.lines}
    assert rows == {
        "statement": [4, 50, 75, 0, None],
        "question": [1, 12.5, 0, 0, None],
        "other": [1, 12.5, 0, 0, None],
        BLANK: [2, 25, 0, 0, None],
        "every line": [8, 100, 37.5, 0, None],
    }
    assert ours.lines[-1].anchor


def test_a_pack_without_constructions_says_so(tmp_path: Path, corpus: Path) -> None:
    table = tables(Stub(tmp_path), corpus, tmp_path)[1]
    assert table.remarks == ("the pack 'stub' names no constructions; all lines are one group",)


def test_samples_are_plumbing_and_no_published_share_stands_beside_them(tmp_path: Path) -> None:
    pack = Stub(tmp_path)
    write_corpus(pack.samples / "corpus" / "st" / "sample.txt", LINES)
    table = tables(pack, None, tmp_path, scale="smoke")[0]
    assert "published" not in {heading.kind for heading in table.headings}
    assert all(line.plumbing for line in table.lines)
    assert "plumbing only, not a result: the pack's own samples are what was counted" in table.footnotes


def test_tables_can_be_written_in_every_format(tmp_path: Path, corpus: Path) -> None:
    found = tables(Stub(tmp_path), corpus, tmp_path)
    assert "| Shout | 37.50 |" in render(found, "md")
    assert "mine" in render(found, "csv")
    assert "Shout" in render(found, "latex")
    cells = as_json(found[0])["rows"][0]["cells"]
    assert {cell["kind"] for cell in cells} == {"changed_pct", "interval", "count", "published"}
