"""Labels hold no sentence, are only replaced on demand, and are stale when the output has changed."""

from __future__ import annotations

import re

import pytest
from sheets import LINES, fill, replace_line
from stub_pack import Bang, Drop

from harness.errors import DataError, UsageError
from harness.protocols import Change, Edit
from harness.quality import Precision, pack_labels, read_labels, read_sheet, standing, store_labels


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
