"""The cache folder, content keys, and files that appear whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from harness.cache import atomic_path, atomic_write, cache_dir, content_key
from harness.errors import DataError


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def test_the_environment_variable_wins(monkeypatch, tmp_path):
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "mine"))
    assert cache_dir() == tmp_path / "mine"
    assert not cache_dir().exists()
    monkeypatch.setenv("AUGBENCH_CACHE", "~/c")
    assert cache_dir() == Path.home() / "c"
    monkeypatch.setenv("AUGBENCH_CACHE", "")
    assert cache_dir() == Path.home() / ".cache" / "augbench"


def test_without_a_home_the_variable_is_asked_for(monkeypatch):
    monkeypatch.delenv("AUGBENCH_CACHE")

    def homeless():
        raise RuntimeError("no home")

    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(DataError, match="export AUGBENCH_CACHE=DIR"):
        cache_dir()


def test_keys_depend_on_content_only():
    assert content_key({"a": 1, "b": [2]}) == content_key({"b": [2], "a": 1})
    assert content_key({"a": 1}) != content_key({"a": 2})
    assert len(content_key(None)) == 32
    with pytest.raises(TypeError):
        content_key({"path": Path("x")})


def test_content_is_written_with_missing_folders_and_usual_permissions(tmp_path):
    path = tmp_path / "a" / "b.json"
    atomic_write(path, b"one")
    atomic_write(path, b"two")
    assert path.read_bytes() == b"two"
    assert names(path.parent) == ["b.json"]
    plain = tmp_path / "plain"
    plain.write_bytes(b"")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "x"
    path.write_text("old")

    def fail():
        with atomic_path(path) as temporary:
            temporary.write_text("half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert names(tmp_path) == ["x"]


def test_links_keep_pointing_where_they_did(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to("real")
    atomic_write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_devices_are_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        atomic_write(pipe, b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    atomic_write(Path(os.devnull), b"gone")
    assert Path(os.devnull).is_char_device()


@pytest.mark.parametrize("name", ["file/inside", "folder"])
def test_what_the_system_refuses_names_the_path_and_the_next_step(tmp_path, name):
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    with pytest.raises(DataError, match=rf"cannot write .*{name}: .*\. Give another --out\."):
        atomic_write(tmp_path / name, b"", hint="Give another --out.")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_sentence():
    with pytest.raises(DataError, match=r"cannot write /dev/full: No space left on device\. Free some space"):
        atomic_write(Path("/dev/full"), b"x")


def test_errors_of_libraries_inside_the_block_are_not_blamed_on_the_file(tmp_path):
    with pytest.raises(OSError, match="cannot load model"), atomic_path(tmp_path / "x"):
        raise OSError("cannot load model")
    assert names(tmp_path) == []
