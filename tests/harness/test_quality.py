"""Sheets for a blind reading: drawn at random, hidden, read back strictly; labels hold no sentence."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.augmentation import augment
from harness.errors import DataError, UsageError
from harness.protocols import Change, Edit, TokenOperator
from harness.quality import (
    Precision,
    draw,
    key_path,
    pack_labels,
    read_labels,
    read_sheet,
    standing,
    store_labels,
    write_sheet,
)
from harness.quality import sheet as sheets

sys.path.insert(0, str(Path(__file__).parent / "conformance"))
import stub_pack
from stub_pack import Bang, Drop, Stub

LINES = [f"Sentence number {number} is about {what}." for number in range(30) for what in ("a boat", "the fog")]
LINES += ["...", "", "A line with\ta tab and a \\ in it.", LINES[0], "She said: \"Go.\" and 'no'."]


@pytest.fixture
def pack(tmp_path):
    folder = stub_pack.write_pack(tmp_path)
    (folder / "quality").mkdir()
    (folder / "quality/GUIDELINES.md").write_text("# Labels\n\nVersion: 3\n")
    return Stub(folder)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def sheet(tmp_path, pack, corpus):
    path = tmp_path / "sheet.tsv"
    write_sheet(draw(corpus, ["bang", "drop"], pack=pack, rows=8, seed=1), path)
    return path


def cells(sheet):
    return [line.split("\t") for line in sheet.read_text(encoding="utf-8").split("\n")[:-1]]


def fill(sheet, labels="right", note=""):
    header, *rows = cells(sheet)
    given_labels = [labels] * len(rows) if isinstance(labels, str) else labels
    rows = [[*row[:4], label, note] for row, label in zip(rows, given_labels, strict=True)]
    sheet.write_text("\n".join("\t".join(row) for row in [header, *rows]) + "\n", encoding="utf-8")


def replace_line(sheet, number, change):
    lines = sheet.read_text(encoding="utf-8").split("\n")
    lines[number - 1] = change(lines[number - 1])
    sheet.write_text("\n".join(lines), encoding="utf-8")


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


# -- labels -----------------------------------------------------------------------------------------------------------
def test_labels_are_stored_without_a_sentence(pack, sheet):
    fill(sheet, ["odd", "wrong", *["right"] * 14], note="agreement")
    files = store_labels(sheet, pack=pack, labelled_by="a reader")
    assert set(files) == {"bang", "drop"}
    assert {path.relative_to(pack.folder).as_posix() for path in files.values()} == {
        "quality/bang.jsonl",
        "quality/drop.jsonl",
    }
    judged, _ = read_sheet(sheet)
    for spec, path in files.items():
        text = path.read_text(encoding="utf-8")
        assert "Sentence" not in text
        assert "boat" not in text
        labels = read_labels(path)
        assert labels.spec == spec
        assert set(labels.rows) == {row for row in judged if row.spec == spec}
        assert [row.line for row in labels.rows] == sorted(row.line for row in labels.rows)
        header = labels.header
        assert (header["labelled_by"], header["guidelines"]) == ("a reader", 3)
        assert header["pack"] == pack.fingerprint()
        assert header["operator_fingerprint"] == {"operator": spec}
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", header["date"])
        assert header["corpus"]["name"] == "corpus.txt"
        assert re.fullmatch("[0-9a-f]{64}", header["corpus"]["sha256"])
    assert [labels.spec for labels in pack_labels(pack)] == ["bang", "drop"]


def test_labels_are_only_replaced_on_demand(pack, sheet, tmp_path):
    fill(sheet)
    store_labels(sheet, pack=pack, labelled_by="first")
    with pytest.raises(UsageError, match="--replace"):
        store_labels(sheet, pack=pack, labelled_by="second")
    assert {labels.header["labelled_by"] for labels in pack_labels(pack)} == {"first"}
    store_labels(sheet, pack=pack, labelled_by="second", replace=True)
    assert {labels.header["labelled_by"] for labels in pack_labels(pack)} == {"second"}
    store_labels(sheet, pack=pack, labelled_by="third", folder=tmp_path / "elsewhere")
    assert {labels.header["labelled_by"] for labels in pack_labels(pack, tmp_path / "elsewhere")} == {"third"}


def test_nothing_is_stored_without_a_reader_guidelines_or_the_right_pack(pack, sheet):
    fill(sheet)
    with pytest.raises(UsageError, match="--labelled-by"):
        store_labels(sheet, pack=pack, labelled_by=" ")
    (pack.folder / "quality/GUIDELINES.md").write_text("# Labels\n")
    with pytest.raises(DataError, match="'Version: 1'"):
        store_labels(sheet, pack=pack, labelled_by="me")
    (pack.folder / "quality/GUIDELINES.md").unlink()
    with pytest.raises(DataError, match=r"GUIDELINES\.md"):
        store_labels(sheet, pack=pack, labelled_by="me")
    pack.name = "other"
    with pytest.raises(DataError, match="drawn for stub, not for other"):
        store_labels(sheet, pack=pack, labelled_by="me")
    assert pack_labels(pack) == []


@pytest.mark.parametrize(
    ("number", "change", "words"),
    [
        (1, lambda line: "{}", "line 1: the header lacks operator, corpus, date, labelled_by, guidelines"),
        (1, lambda line: line.replace('"bang"', '"pi"', 1), "line 1: labels of 'pi'"),
        (2, lambda line: line.replace('"right"', '"good"'), "line 2: missing or wrong label 'good'"),
        (2, lambda line: line.replace('"line"', '"lin"'), "line 2: missing or wrong line, lin"),
        (3, lambda line: "{", "line 3 is not JSON"),
        (3, lambda line: "[]", "line 3 is a JSON list"),
    ],
)
def test_damaged_labels_are_refused_with_their_line(pack, sheet, number, change, words):
    fill(sheet)
    path = store_labels(sheet, pack=pack, labelled_by="me")["bang"]
    replace_line(path, number, change)
    with pytest.raises(DataError, match=words):
        read_labels(path)


def test_labels_without_rows_are_refused(pack, sheet):
    fill(sheet)
    path = store_labels(sheet, pack=pack, labelled_by="me")["bang"]
    path.write_text(path.read_text().split("\n")[0] + "\n")
    with pytest.raises(DataError, match="holds no label"):
        read_labels(path)


def test_precision_counts_labels(pack, sheet):
    fill(sheet, ["odd", "wrong", "wrong", *["right"] * 13])
    rows = read_sheet(sheet)[0]
    found = Precision.of(rows)
    assert (found.right, found.odd, found.wrong, found.rows) == (13, 1, 2, 16)
    assert found.value == 13 / 16
    low, high = found.interval
    assert (round(low, 4), round(high, 4)) == (0.5699, 0.9341)  # 13 of 16, e.g. R's binom.wilson
    assert Precision.of([]).value is None


# -- stale labels -----------------------------------------------------------------------------------------------------
class Quiet(Bang):
    """Bang that now refuses sentences about the fog and speaks up on the others with number 1."""

    def apply(self, doc, rng):
        edit = super().apply(doc, rng)
        if "fog" in doc.text:
            return None
        if "number 1" in doc.text:
            return Edit.of(doc, [Change("insert", 0, 0, "Oh, ")])
        return edit


def test_labels_stand_while_the_output_is_the_same(pack, corpus, sheet):
    fill(sheet)
    files = store_labels(sheet, pack=pack, labelled_by="me")
    bang, drop = read_labels(files["bang"]), read_labels(files["drop"])
    assert standing(bang, corpus, pack=pack) == list(bang.rows)
    pack.own = {"bang": Quiet, "drop": Drop}
    stand = standing(bang, corpus, pack=pack)
    texts = {row: LINES[row.line - 1] for row in bang.rows}
    assert stand == [row for row in bang.rows if "fog" not in texts[row] and "number 1" not in texts[row]]
    assert 0 < len(stand) < len(bang.rows)
    assert standing(drop, corpus, pack=pack) == list(drop.rows)


def test_labels_are_held_against_their_own_corpus_only(pack, corpus, sheet, tmp_path):
    fill(sheet)
    path = store_labels(sheet, pack=pack, labelled_by="me")["bang"]
    other = tmp_path / "other.txt"
    other.write_text("Something else.\n")
    with pytest.raises(DataError, match=r"is not the corpus .* corpus\.txt with sha256"):
        standing(read_labels(path), other, pack=pack)
    replace_line(path, 2, lambda line: re.sub(r'"line": \d+', '"line": 9999', line))
    with pytest.raises(DataError, match="name lines that are not in"):
        standing(read_labels(path), corpus, pack=pack)
    pack.own = {"drop": Drop}
    with pytest.raises(UsageError, match="no operator 'bang'"):
        standing(read_labels(path), corpus, pack=pack)
