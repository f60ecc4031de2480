"""Records as one file: the same files come out, and what a stranger sends is unpacked safely or not at all."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
from board_records import write_board

from harness.errors import DataError
from harness.submission import check
from harness.submission.archive import results_folder, unpacked, write_archive


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def archive_of(path: Path, *members: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:xz") as archive:
        for member in members:
            archive.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def named(name: str, **more: object) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = 3
    for field, value in more.items():
        setattr(member, field, value)
    return member


def test_the_same_files_come_out(tmp_path: Path) -> None:
    board = write_board(tmp_path / "board")
    size = write_archive(board, tmp_path / "board.tar.xz")
    assert size == (tmp_path / "board.tar.xz").stat().st_size < sum(map(len, contents(board).values())) / 2
    found = results_folder(tmp_path / "board.tar.xz")
    assert contents(found) == contents(board)
    assert unpacked(tmp_path / "board.tar.xz") == found
    assert results_folder(board) == board


def test_equal_folders_give_equal_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_archive(write_board(tmp_path / name), tmp_path / f"{name}.tar.xz")
    assert (tmp_path / "a.tar.xz").read_bytes() == (tmp_path / "b.tar.xz").read_bytes()


def test_an_archive_is_checked_like_its_folder(tmp_path: Path) -> None:
    board = write_board(tmp_path / "board")
    (board / "stray.txt").write_text("x")
    write_archive(board, tmp_path / "board.tar.xz")
    there, here = check(tmp_path / "board.tar.xz"), check(board)
    assert [(f.path.name, f.text) for f in there] == [(f.path.name, f.text) for f in here]
    assert any("stray" in str(f.path) for f in there)


@pytest.mark.parametrize(
    "member",
    [
        named("../outside.json"),
        named("/tmp/outside.json"),
        named("0000/run.json", type=tarfile.SYMTYPE, linkname="/etc/passwd", size=0),
        named("0000/run.json", type=tarfile.LNKTYPE, linkname="x", size=0),
        named("0000/pipe", type=tarfile.FIFOTYPE, size=0),
    ],
    ids=["up", "absolute", "symbolic link", "hard link", "pipe"],
)
def test_nothing_gets_out_of_its_folder(tmp_path: Path, member: tarfile.TarInfo) -> None:
    path = archive_of(tmp_path / "evil.tar.xz", named("0000/fine.json"), member)
    try:
        found = unpacked(path)
    except DataError:
        assert not [p for p in (tmp_path / "cache").rglob("*") if p.is_file()]
    else:  # an absolute name becomes one inside
        assert set(contents(found)) == {"0000/fine.json", "tmp/outside.json"}
    assert not (tmp_path / "cache" / "records" / "outside.json").exists()
    assert not Path("/tmp/outside.json").exists()


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.submission.archive.MOST_BYTES", 5)
    with pytest.raises(DataError, match="more than"):
        unpacked(archive_of(tmp_path / "big.tar.xz", named("a"), named("b")))


def test_what_is_no_archive_says_so(tmp_path: Path) -> None:
    path = tmp_path / "no.tar.xz"
    path.write_bytes(b"nothing")
    with pytest.raises(DataError, match="damaged, or no archive"):
        unpacked(path)
    (finding,) = check(path)
    assert finding.problem
    with pytest.raises(DataError, match="cannot be read"):
        unpacked(tmp_path / "absent.tar.xz")
