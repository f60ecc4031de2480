"""Sheets for a blind reading: drawn at random, hidden, read back strictly."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sheets import LINES, cells, fill, replace_line
from stub_pack import Bang

from harness.augmentation import augment
from harness.errors import DataError, UsageError
from harness.protocols import TokenOperator
from harness.quality import draw, key_path, read_sheet, write_sheet
from harness.quality import sheet as sheets


# -- drawing ----------------------------------------------------------------------------------------------------------
def test_drawn_rows_are_outputs_of_augment_on_lines_of_the_file(pack, corpus):
    sample = draw(corpus, ["bang", "drop"], pack=pack, rows=8, seed=5)
    for row in sample.rows:
        assert LINES[row.line - 1].strip() == row.original
        (view,) = augment([row.original], row.spec, language=pack, seed=5)
        assert view["views"][row.spec] == row.output != row.original
    for spec in ("bang", "drop"):
        drawn = [row.line for row in sample.rows if row.spec == spec]
        assert len(drawn) == len(set(drawn)) == 8
    # shuffled: a reader cannot tell by the place which operator it is
    assert [row.spec for row in sample.rows] != sorted(row.spec for row in sample.rows)


def test_a_seed_draws_the_same_and_another_others(pack, corpus):
    def of(seed, *specs, rows=8):
        return draw(corpus, specs, pack=pack, rows=rows, seed=seed).rows

    assert of(1, "bang") == of(1, "bang")
    assert {r.line for r in of(1, "bang")} != {r.line for r in of(2, "bang")}
    # what one operator is shown on does not depend on the others
    assert set(of(1, "bang")) == {r for r in of(1, "bang", "drop") if r.spec == "bang"}
    assert set(of(1, "bang", rows=4)) < set(of(1, "bang"))


def test_a_small_corpus_gives_what_it_has(pack, corpus, caplog):
    sample = draw(corpus, ["bang"], pack=pack, rows=500, seed=1)
    distinct = {line.strip() for line in LINES if line.strip()}
    assert {row.original for row in sample.rows} == {text for text in distinct if re.search(r"\w", text)}
    assert len(sample.rows) == len({row.original for row in sample.rows})
    assert sample.facts["operators"]["bang"]["tried"] == sample.facts["corpus"]["sentences"] == len(distinct)
    assert "bang changes only" in caplog.text


def test_what_cannot_be_drawn_is_refused(pack, corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(sheets, "_CHUNK", 16)
    pieces = TokenOperator("pieces", lambda ids, rng: None)
    pack.own = {"bang": Bang, "pieces": lambda variant, tools: pieces}
    with pytest.raises(UsageError, match="pieces works on word pieces"):
        draw(corpus, ["bang", "pieces"], pack=pack, rows=1, seed=0)
    with pytest.raises(UsageError, match="Did you mean 'bang'"):
        draw(corpus, ["bnag"], pack=pack, rows=1, seed=0)
    with pytest.raises(UsageError, match="no operator was named"):
        draw(corpus, [], pack=pack, rows=1, seed=0)
    with pytest.raises(UsageError, match="at least 1"):
        draw(corpus, ["bang"], pack=pack, rows=0, seed=0)
    dots = tmp_path / "dots.txt"
    dots.write_text("...\n!!!\n")
    with pytest.raises(DataError, match="bang changes no line of"):
        draw(dots, ["bang"], pack=pack, rows=1, seed=0)


# -- the sheet --------------------------------------------------------------------------------------------------------
def test_the_sheet_shows_what_is_intended_and_not_who_did_it(pack, corpus, tmp_path):
    sample = draw(corpus, ["bang", "bang@loud", "drop"], pack=pack, rows=6, seed=1)
    path = tmp_path / "sheet.tsv"
    key = json.loads(write_sheet(sample, path).read_text(encoding="utf-8"))
    header, *rows = cells(path)
    assert header == ["id", "operator", "original", "output", "label", "note"]
    assert [row[0] for row in rows] == [str(n) for n in range(1, 19)]
    assert {row[1] for row in rows} == {"bang", "drop"}
    assert all(len(row) == 6 and row[4:] == ["", ""] for row in rows)
    assert {row["operator"] for row in key["rows"].values()} == {"bang", "bang@loud", "drop"}
    # only the sheet has the sentences
    assert not any(LINES[row.line - 1] in key_path(path).read_text(encoding="utf-8") for row in sample.rows)


def test_a_sheet_is_never_overwritten(pack, corpus, sheet):
    sample = draw(corpus, ["bang"], pack=pack, rows=1, seed=1)
    before = sheet.read_bytes()
    with pytest.raises(UsageError, match="may hold labels"):
        write_sheet(sample, sheet)
    assert sheet.read_bytes() == before
    sheet.unlink()
    with pytest.raises(UsageError, match=r"sheet\.key\.json is there"):
        write_sheet(sample, sheet)
    assert not sheet.exists()


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_fits_into_a_cell_and_comes_back(text):
    cell = sheets._escape(text)
    assert len(cell.splitlines()) <= 1
    assert "\t" not in cell
    assert sheets._unescape(cell) == text
    quoted = '"' + cell.replace('"', '""') + '"'
    assert sheets._is(cell, sheets.sha(text))
    assert sheets._is(quoted, sheets.sha(text))
    assert not sheets._is(cell + "x", sheets.sha(text))


def test_a_labelled_sheet_is_read_in_any_order_of_rows(sheet, corpus):
    fill(sheet, ["right", "odd", "WRONG ", *["right"] * 13], note="tense")
    header, *rows = cells(sheet)
    lines = ["\t".join(header), "", *("\t".join(row) for row in reversed(rows))]
    sheet.write_bytes(b"\xef\xbb\xbf" + "\r\n".join(lines).encode())
    judged, facts = read_sheet(sheet)
    assert [row.label for row in judged] == ["right", "odd", "wrong", *["right"] * 13]
    assert {row.note for row in judged} == {"tense"}
    assert facts["corpus"]["name"] == corpus.name


def test_a_sheet_that_went_through_a_spreadsheet_is_read(pack, tmp_path):
    corpus = tmp_path / "quotes.txt"
    corpus.write_text('"Go," he said.\nHe said "go" and "no".\n')
    sheet = tmp_path / "sheet.tsv"
    write_sheet(draw(corpus, ["bang"], pack=pack, rows=2, seed=0), sheet)
    fill(sheet)
    header, *rows = cells(sheet)
    quote = ['"' + cell.replace('"', '""') + '"' if '"' in cell else cell for row in rows for cell in row]
    rows = [quote[:6], quote[6:]]
    sheet.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n")
    assert len(read_sheet(sheet)[0]) == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda line: line.replace("\tright\t", "\t\t"), "line 3: the label is empty, expected right, odd or wrong"),
        (lambda line: line.replace("\tright\t", "\trihgt\t"), "line 3: the label is 'rihgt'"),
        (lambda line: "\t".join(line.split("\t")[:4]), "line 3: the label is empty"),
        (lambda line: line + "\tmore", "line 3: 7 columns"),
        (lambda line: "99" + line[1:], "line 3: there is no row '99'"),
        (lambda line: "1" + line[1:], "line 3: row 1 is not what was written|line 3: row 1 is there twice"),
        (lambda line: line.replace("about", "of"), "line 3: row 2 is not what was written"),
        (lambda line: re.sub(r"\t(bang|drop)\t", "\tpi\t", line), "line 3: row 2 is not what was written"),
        (lambda line: "", r"lacks 1 of its 16 rows \(numbers 2"),
        (lambda line: line + line.split("\t")[2], "line 3: the note quotes the sentence"),
        (lambda line: line + "See: NUMBER 7 is about! There", None),
    ],
)
def test_a_damaged_sheet_is_refused_with_its_line(sheet, change, words):
    fill(sheet)
    if words is None:  # four words in a row, whatever their capitals and marks
        (_, _, row, *_) = sheet.read_text(encoding="utf-8").split("\n")
        four = re.findall(r"\w+", row.split("\t")[2])[1:5]
        replace_line(sheet, 3, lambda line: f"{line}see {', '.join(four).upper()}")
        words = "line 3: the note quotes the sentence"
    else:
        replace_line(sheet, 3, change)
    with pytest.raises(DataError, match=words):
        read_sheet(sheet)


def test_a_wrong_header_and_a_missing_or_strange_key_are_refused(sheet):
    fill(sheet)
    key = key_path(sheet)
    content = key.read_text()
    for wrong in ("[]", "{", "{}", content.replace('"seed"', '"sed"')):
        key.write_text(wrong)
        with pytest.raises(DataError, match="is not the key of a sheet"):
            read_sheet(sheet)
    key.write_text(content)
    replace_line(sheet, 1, lambda line: line.replace("label", "lable"))
    with pytest.raises(DataError, match="line 1: expected the tab-separated columns"):
        read_sheet(sheet)
    key.unlink()
    with pytest.raises(DataError, match="the key of"):
        read_sheet(sheet)


@pytest.mark.parametrize(
    ("note", "quoted"),
    [
        ("昨天买了一本新书", True),  # eight characters are as much as four words
        ("说「昨天买了一本新书」不对", True),
        ("昨天买了一", False),
        ("词序错", False),
        ("iPhone手机，昨天买", False),
    ],
)
def test_a_quotation_is_found_where_there_are_no_blanks(note, quoted):
    assert sheets._quotes(note, "我昨天买了一本新书。", "我昨天没买一本新书。") == quoted
