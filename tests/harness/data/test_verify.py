"""What a folder has, file by file; pins of what nobody has told; files the catalog does not know."""

from __future__ import annotations

import json

import pytest

from harness.data.catalog import Catalog, CatalogFile, Entry
from harness.data.contents import measure
from harness.data.pins import Pins, pins_file
from harness.data.verify import extras, presence, verify
from harness.errors import DataError

TEXTS = {
    "sts/en/X/test.tsv": "1\tone\ttwo\n2\tthree\tfour\n",
    "sts/en/X/dev.tsv": "1\tfive\tsix\n",
    "other/en/Q/dev.tsv": "0\tseven\teight\n",
}


def write(root, place, text):
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_bytes(text.encode())


def entry(name, files):
    return Entry(name, "title", "source", "licence", "citation", "", files)


@pytest.fixture
def world(tmp_path):
    """A data folder with two sets, the catalog of it (one file without hash), and pins that are empty."""
    root = tmp_path / "data"
    files = {}
    for place, text in TEXTS.items():
        write(root, place, text)
        content = measure(root / place, place)
        files[place] = CatalogFile(place, content.rows, content.sha256 if place.startswith("sts") else None)
    known = entry("sts/en/X", {p: f for p, f in files.items() if p.startswith("sts")})
    told = entry("other/en/Q", {p: f for p, f in files.items() if p.startswith("other")})
    away = entry("sts/en/Away", {"sts/en/Away/test.tsv": CatalogFile("sts/en/Away/test.tsv", 3, "0" * 64)})
    return root, Catalog({e.name: e for e in (known, told, away)}), Pins.read(tmp_path / "pins.json")


def states(root, catalog, pins, named=()):
    return {found.file.place: found.state for found in verify(root, catalog, pins, named=named)}


def test_presence(world):
    root, catalog, _ = world
    assert [presence(root, e) for e in catalog] == ["there", "unverified", "missing"]
    (root / "sts/en/X/dev.tsv").unlink()
    assert presence(root, catalog.sets["sts/en/X"]) == "incomplete"


def test_a_right_folder(world):
    root, catalog, pins = world
    expected = dict.fromkeys(TEXTS, "ok") | {"other/en/Q/dev.tsv": "pinned"}
    assert states(root, catalog, pins) == expected
    assert states(root, catalog, Pins.read(pins.path)) == dict.fromkeys(TEXTS, "ok")  # seen before
    write(root, "sts/en/X/dev.tsv", "\ufeff1.0\tfive\tsix\r\n")
    assert states(root, catalog, pins)["sts/en/X/dev.tsv"] == "ok"


def test_a_set_that_is_not_there_counts_only_if_named(world):
    root, catalog, pins = world
    assert "sts/en/Away/test.tsv" not in states(root, catalog, pins)
    assert states(root, catalog, pins, {"sts/en/Away"})["sts/en/Away/test.tsv"] == "missing"


@pytest.mark.parametrize(
    ("place", "text", "state", "note"),
    [
        ("sts/en/X/test.tsv", "1\tone\ttwo\n", "changed", "1 rows, the original has 2"),
        ("sts/en/X/test.tsv", "1\tone\ttwo\n2\tthree\tfive\n", "changed", "other content"),
        ("sts/en/X/test.tsv", "high\tone\ttwo\n", "damaged", "line 1"),
        ("sts/en/X/dev.tsv", None, "missing", "no such file"),
    ],
)
def test_what_differs_is_named(world, place, text, state, note):
    root, catalog, pins = world
    (root / place).unlink()
    if text is not None:
        write(root, place, text)
    found = {f.file.place: f for f in verify(root, catalog, pins)}[place]
    assert (found.state, found.good) == (state, False)
    assert note in found.note


def test_a_pinned_file_may_not_change(world):
    root, catalog, pins = world
    states(root, catalog, pins)
    write(root, "other/en/Q/dev.tsv", "0\tseven\tnine\n")
    found = {f.file.place: f for f in verify(root, catalog, Pins.read(pins.path))}["other/en/Q/dev.tsv"]
    assert found.state == "changed"
    assert str(pins.path) in found.note


def test_rows_that_are_not_the_official_ones_are_said(world):
    root, catalog, pins = world
    write(root, "other/en/Q/dev.tsv", "0\tseven\teight\n1\tnine\tten\n")
    found = {f.file.place: f for f in verify(root, catalog, pins)}["other/en/Q/dev.tsv"]
    assert (found.state, found.note) == ("pinned", "2 rows, the original has 1")


def test_other_files(world):
    root, catalog, _ = world
    for place in ("sts/de/Own/test.tsv", "sts/en/X/test.tsv.part", "README.md", "sts/.hidden/x.tsv", "corpus/en/a.txt"):
        write(root, place, "x")
    assert extras(root, catalog) == ["corpus/en/a.txt", "sts/de/Own/test.tsv", "sts/en/X/test.tsv.part"]


def test_pins_of_two_processes_are_kept(tmp_path, world):
    root, _, _ = world
    place = "other/en/Q/dev.tsv"
    content = measure(root / place, place)
    first, second = Pins.read(tmp_path / "p.json"), Pins.read(tmp_path / "p.json")
    first.pin("a", content)
    second.pin("b", content)
    first.write()
    second.write()
    assert Pins.read(tmp_path / "p.json").hashes == {"a": content.sha256, "b": content.sha256}


def test_where_pins_are(monkeypatch, tmp_path):
    monkeypatch.setenv("AUGBENCH_PINS", str(tmp_path / "mine.json"))
    assert pins_file() == tmp_path / "mine.json"
    monkeypatch.delenv("AUGBENCH_PINS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert pins_file() == tmp_path / "augbench" / "data-pins.json"


@pytest.mark.parametrize("text", ["{", "[]", json.dumps({"a": "short"}), json.dumps({"a": 1})])
def test_damaged_pins_are_refused(tmp_path, text):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(DataError, match=r"p\.json is no list of pinned hashes"):
        Pins.read(tmp_path / "p.json")
