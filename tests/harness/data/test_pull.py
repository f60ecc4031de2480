"""From a mirror or a bundle into a data folder: right, whole, or not at all."""

from __future__ import annotations

import io
import tarfile

import pytest
from data_fakes import TEXTS, make_world, tree, write

from harness.data import DataFolder
from harness.data.archive import SUMS
from harness.data.bundle import bundle, chosen_places
from harness.data.download import FolderSource
from harness.data.pins import Pins
from harness.data.pull import Options, pull
from harness.errors import DataError, UsageError


@pytest.fixture
def world(tmp_path):
    """A mirror, its catalog, pins, and a folder that does not exist yet."""
    return tmp_path / "mirror", make_world(tmp_path / "mirror"), Pins.read(tmp_path / "pins.json"), tmp_path / "data"


def run(base, root, catalog, pins, names=(), **options):
    return {one.place: one for one in pull(str(base), root, catalog, names, pins=pins, options=Options(**options))}


def outcomes(*arguments, **options):
    return {place: one.outcome for place, one in run(*arguments, **options).items()}


def test_everything_comes_and_is_there_the_next_time(world):
    mirror, catalog, pins, root = world
    assert outcomes(mirror, root, catalog, pins) == dict.fromkeys(TEXTS, "new")
    assert tree(root) == TEXTS
    assert Pins.read(pins.path).hashes.keys() == {"other/en/Q/dev.tsv"}
    assert outcomes(mirror.as_uri(), root, catalog, Pins.read(pins.path)) == dict.fromkeys(TEXTS, "there")


def test_only_what_was_asked_for(world):
    mirror, catalog, pins, root = world
    outcomes(mirror, root, catalog, pins, ["sts"])
    assert tree(root).keys() == {"sts/en/X/test.tsv", "sts/en/X/dev.tsv"}
    with pytest.raises(UsageError, match="no set 'sets'"):
        run(mirror, root, catalog, pins, ["sets"])


def test_what_the_mirror_lacks_leaves_no_trace(world):
    mirror, catalog, pins, root = world
    (mirror / "other/en/Q/dev.tsv").unlink()
    assert outcomes(mirror, root, catalog, pins, ["Q"]) == {"other/en/Q/dev.tsv": "absent"}
    assert tree(root) == {}
    assert not (root / "other").exists()


def test_another_content_is_refused(world):
    mirror, catalog, pins, root = world
    write(mirror, "sts/en/X/dev.tsv", "1\tfive\tseven\n")
    found = run(mirror, root, catalog, pins, ["X"])
    assert found["sts/en/X/dev.tsv"].outcome == "refused"
    assert "changed" in found["sts/en/X/dev.tsv"].note
    assert tree(root).keys() == {"sts/en/X/test.tsv"}


def test_own_files_of_another_content_stay_unless_told(world):
    mirror, catalog, pins, root = world
    mine = write(root, "sts/en/X/dev.tsv", "3\tmy own\tversion\n")
    assert outcomes(mirror, root, catalog, pins, ["X"])["sts/en/X/dev.tsv"] == "kept"
    assert "my own" in mine.read_text()
    assert outcomes(mirror, root, catalog, pins, ["X"], replace=True)["sts/en/X/dev.tsv"] == "replaced"
    assert mine.read_text() == TEXTS["sts/en/X/dev.tsv"]


def test_a_part_of_another_version_is_fetched_anew(world):
    mirror, catalog, pins, root = world
    write(root, "sts/en/X/test.tsv.part", "1\tnot the beginning\tof this file\n")
    assert outcomes(mirror, root, catalog, pins, ["X"])["sts/en/X/test.tsv"] == "new"
    assert tree(root) == {place: text for place, text in TEXTS.items() if place.startswith("sts")}


def test_a_part_of_a_file_nobody_can_check_is_not_used(world):
    mirror, catalog, pins, root = world
    write(root, "other/en/Q/dev.tsv.part", "1")
    assert outcomes(mirror, root, catalog, pins, ["Q"])["other/en/Q/dev.tsv"] == "new"
    assert tree(root) == {"other/en/Q/dev.tsv": TEXTS["other/en/Q/dev.tsv"]}


def test_an_interrupt_leaves_a_part_that_is_taken_up(world, monkeypatch):
    mirror, catalog, pins, root = world
    monkeypatch.setattr("harness.data.download._PIECE", 1000)
    asked = []
    opened = FolderSource.open

    def remember(self, place, first, tag):
        asked.append((place, first))
        return opened(self, place, first, tag)

    monkeypatch.setattr(FolderSource, "open", remember)

    def interrupt(place, there, total):
        if place == "sts/en/X/test.tsv" and there == 3000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(mirror, root, catalog, pins, ["X"], progress=interrupt)
    assert tree(root) == {"sts/en/X/test.tsv.part": TEXTS["sts/en/X/test.tsv"][:3000]}
    asked.clear()
    run(mirror, root, catalog, pins, ["X"])
    assert asked[0] == ("sts/en/X/test.tsv", 3000)
    assert tree(root) == {place: text for place, text in TEXTS.items() if place.startswith("sts")}


def test_two_pulls_into_one_folder(world):
    mirror, catalog, pins, root = world
    first = pull(str(mirror), root, catalog, pins=pins)
    next(first)
    with pytest.raises(DataError, match="another pull works in"):
        run(mirror, root, catalog, pins)
    first.close()
    assert "new" in outcomes(mirror, root, catalog, pins).values()


# -- bundles ----------------------------------------------------------------------------------------------------------
@pytest.fixture
def packed(world, tmp_path):
    """A bundle of the mirror with an own set in it."""
    mirror, catalog, pins, _ = world
    write(mirror, "sts/de/Own/test.tsv", "1\teins\tzwei\n")
    write(mirror, "sts/de/Own/notes.md", "no data")
    out = tmp_path / "b.tar.gz"
    made = bundle(DataFolder(mirror), out, catalog, pins=pins)
    assert made.places == tuple(sorted([*TEXTS, "sts/de/Own/test.tsv"]))
    return out


def test_a_bundle_is_pulled_with_own_sets(world, packed):
    _, catalog, pins, root = world
    found = outcomes(packed, root, catalog, pins)
    assert found == dict.fromkeys([*TEXTS, "sts/de/Own/test.tsv"], "new")
    assert tree(root) == {**TEXTS, "sts/de/Own/test.tsv": "1\teins\tzwei\n"}
    assert set(outcomes(packed.as_uri(), root, catalog, pins).values()) == {"there"}


def test_a_bundle_on_a_web_server(world, packed, monkeypatch):
    """The archive itself is fetched as any file: here from a folder that stands for the server."""
    _, catalog, pins, root = world
    asked = []

    def source(base):
        asked.append(base)
        return FolderSource(packed.parent)

    monkeypatch.setattr("harness.data.pull.open_source", source)
    half = packed.read_bytes()[:400]
    root.mkdir()
    (root / ".b.tar.gz.part").write_bytes(half[::-1])  # of another version: fetched again from the start
    found = outcomes("https://host/there/b.tar.gz?sig=1", root, catalog, pins)
    assert asked == ["https://host/there?sig=1"]
    assert found == dict.fromkeys([*TEXTS, "sts/de/Own/test.tsv"], "new")
    assert not list(root.glob(".b*"))


def test_sets_of_a_bundle(world, packed):
    _, catalog, pins, root = world
    assert outcomes(packed, root, catalog, pins, ["Q"]) == {"other/en/Q/dev.tsv": "new"}
    assert tree(root).keys() == {"other/en/Q/dev.tsv"}


def test_the_same_files_give_the_same_bundle_whatever_their_times(world, packed, tmp_path):
    mirror, catalog, pins, _ = world
    before = packed.read_bytes()
    for path in mirror.rglob("*.tsv"):
        path.touch()
        path.chmod(0o600)
    again = tmp_path / "other name.tar.gz"
    bundle(DataFolder(mirror), again, catalog, pins=pins)
    assert again.read_bytes() == before
    with tarfile.open(packed) as tar:
        infos = tar.getmembers()
        licences = tar.extractfile("LICENCES.txt").read().decode()
        sums = tar.extractfile(SUMS).read().decode()
    assert [i.name for i in infos] == sorted(i.name for i in infos)
    assert {(i.mtime, i.uid, i.gid, i.mode, i.uname) for i in infos} == {(0, 0, 0, 0o644, "")}
    assert "licence of sts/en/X" in licences
    assert "sts/de/Own/test.tsv" in licences
    assert sums.count("\n") == len(infos) - 1


def test_only_some_sets_are_bundled(world):
    mirror, catalog, _, _ = world
    write(mirror, "sts/de/Own/test.tsv", "1\teins\tzwei\n")
    assert chosen_places(mirror, catalog, ["sts/de"]) == ["sts/de/Own/test.tsv"]
    assert chosen_places(mirror, catalog, ["sts", "Q"]) == [
        "other/en/Q/dev.tsv",
        "sts/de/Own/test.tsv",
        "sts/en/X/dev.tsv",
        "sts/en/X/test.tsv",
    ]
    with pytest.raises(UsageError, match="no set 'none'"):
        chosen_places(mirror, catalog, ["none"])


def test_a_changed_file_is_bundled_only_as_it_is(world, tmp_path):
    mirror, catalog, pins, root = world
    write(mirror, "sts/en/X/dev.tsv", "1\tfive\tseven\n")
    out = tmp_path / "b.tar.zst"
    with pytest.raises(DataError, match=r"dev\.tsv is changed .*--as-is"):
        bundle(DataFolder(mirror), out, catalog, pins=pins)
    assert not out.exists()
    bundle(DataFolder(mirror), out, catalog, pins=pins, as_is=True)
    assert outcomes(out, root, catalog, pins)["sts/en/X/dev.tsv"] == "refused"


def repack(path, change):
    """Write the archive again with its members changed."""
    with tarfile.open(path) as tar:
        files = {i.name: tar.extractfile(i).read() for i in tar.getmembers()}
    change(files)
    with tarfile.open(path, "w:gz") as tar:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.pop("sts/en/X/dev.tsv"), r"it lacks sts/en/X/dev\.tsv"),
        (lambda f: f.update({"sts/en/X/dev.tsv": b"1\tx\ty\n"}), r"another content of sts/en/X/dev\.tsv"),
        (lambda f: f.update({"sts/en/Y/dev.tsv": b"1\tx\ty\n"}), r"does not list sts/en/Y/dev\.tsv"),
        (lambda f: f.pop(SUMS), "has no SHA256SUMS"),
        (lambda f: f.update({SUMS: b"noise\n"}), "no checksum"),
    ],
)
def test_an_archive_that_is_not_its_own_list_is_refused_whole(world, packed, change, words):
    _, catalog, pins, root = world
    repack(packed, change)
    with pytest.raises(DataError, match=words):
        run(packed, root, catalog, pins)
    assert tree(root) == {}


def test_an_interrupt_while_unpacking_leaves_nothing(world, packed):
    _, catalog, pins, root = world

    def interrupt(place, there, total):
        if place.startswith("sts"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(packed, root, catalog, pins, progress=interrupt)
    assert [p.name for p in root.iterdir()] == [".pull.lock"]


def test_a_file_that_is_no_archive(world, tmp_path):
    _, catalog, pins, root = world
    (tmp_path / "x.txt").write_text("words")
    with pytest.raises(DataError, match=r"x\.txt is no archive"):
        run(tmp_path / "x.txt", root, catalog, pins)
    assert not root.exists()
