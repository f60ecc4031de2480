"""Archives: what is packed comes back, and what could do harm is refused by the name of its member."""

from __future__ import annotations

import gzip
import io
import os
import re
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data.archive import Limits, add, compression_of, is_archive, read_members, write_tar
from harness.errors import DataError, UsageError

NAME = st.from_regex(r"(sts|corpus|other)/[a-z]{1,3}(/[A-Za-z0-9][A-Za-z0-9 ._-]{0,8}){1,2}\.(tsv|txt)", fullmatch=True)


def packed(path, members, mode="w:gz"):
    """An archive of (name or TarInfo, bytes)."""
    with tarfile.open(path, mode) as tar:
        for name, data in members:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(data) if info.isreg() else 0
            tar.addfile(info, io.BytesIO(data))
    return path


def unpacked(path, limits=None):
    return {member.place: member.stream.read() for member in read_members(path, limits)}


@settings(max_examples=25)
@given(
    files=st.dictionaries(NAME, st.binary(max_size=3000), min_size=1, max_size=5), end=st.sampled_from(["gz", "zst"])
)
def test_what_is_packed_comes_back(tmp_path_factory, files, end):
    folder = tmp_path_factory.mktemp("archive")
    made = []
    for name in (f"one.tar.{end}", f"another.tar.{end}"):
        with write_tar(folder / name, compression_of(folder / name)) as tar:
            for place, data in files.items():
                add(tar, place, len(data), io.BytesIO(data))
        made.append((folder / name).read_bytes())
        os.utime(folder / name, (0, 0))
    assert made[0] == made[1]
    assert is_archive(folder / f"one.tar.{end}")
    assert unpacked(folder / f"one.tar.{end}") == files


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    ("member", "words"),
    [
        ("/sts/en/a.tsv", "leads out"),
        ("../sts/en/a.tsv", "leads out"),
        ("sts/../../a.tsv", "leads out"),
        ("sts/en/..", "leads out"),
        ("sts\\..\\a.tsv", "no plain path"),
        ("C:/sts/a.tsv", "no plain path"),
        ("sts//a.tsv", "no plain path"),
        ("sts/en/a\n.tsv", "no plain path"),
        ("sts/en/.a.tsv", "hidden"),
        (".ssh/keys.txt", "hidden"),
        ("bin/a.tsv", "belongs to no data folder"),
        ("sts", "belongs to no data folder"),
        ("sts/en/run.sh", "belongs to no data folder"),
        (special("sts/en/a.tsv", tarfile.SYMTYPE, "/etc/passwd"), "is a link"),
        (special("sts/en/a.tsv", tarfile.LNKTYPE, "sts/en/b.tsv"), "is a link"),
        (special("sts/en/a.tsv", tarfile.CHRTYPE), "no plain file"),
        (special("sts/en/a.tsv", tarfile.BLKTYPE), "no plain file"),
        (special("sts/en/a.tsv", tarfile.FIFOTYPE), "no plain file"),
        (special("../up", tarfile.DIRTYPE), "leads out"),
    ],
)
@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_harm_is_refused(tmp_path, member, words, mode):
    path = packed(tmp_path / "x.tar.gz", [("sts/en/good.tsv", b"x"), (member, b"harm")], mode)
    members = read_members(path)
    assert next(members).place == "sts/en/good.tsv"
    with pytest.raises(DataError, match=words) as caught:
        next(members)
    name = member if isinstance(member, str) else member.name
    assert repr(name) in str(caught.value)
    assert str(path) in str(caught.value)


@settings(max_examples=50)
@given(name=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40))
def test_no_name_leads_anywhere_else(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("names")
    path = packed(folder / "x.tar", [(f"sts/{name}.tsv", b"x")], "w")
    try:
        places = list(unpacked(path))
    except DataError:
        return
    for place in places:
        target = (folder / "data" / place).resolve()
        assert target.is_relative_to((folder / "data" / "sts").resolve())


def test_folders_and_leading_dots_are_harmless(tmp_path):
    members = [
        (special("./", tarfile.DIRTYPE), b""),
        (special("sts/en", tarfile.DIRTYPE), b""),
        ("./sts/en/a.tsv", b"x"),
    ]
    assert unpacked(packed(tmp_path / "x.tar.gz", members)) == {"sts/en/a.tsv": b"x"}


def test_a_name_twice_is_refused(tmp_path):
    path = packed(tmp_path / "x.tar.gz", [("sts/a.tsv", b"x"), ("./sts/a.tsv", b"y")])
    with pytest.raises(DataError, match=r"'\./sts/a\.tsv' stands in it twice"):
        unpacked(path)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(members=2), "more than 2 files"),
        (Limits(member_bytes=99), r"'sts/1\.tsv' is too large"),
        (Limits(bytes=150), r"'sts/1\.tsv' is too large"),
    ],
)
def test_limits(tmp_path, limits, words):
    path = packed(tmp_path / "x.tar.gz", [("sts/0.tsv", b"a"), ("sts/1.tsv", b"a" * 150), ("sts/2.tsv", b"a")])
    assert len(unpacked(path)) == 3
    with pytest.raises(DataError, match=words):
        unpacked(path, limits)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = packed(tmp_path / "x.tar.gz", [("sts/a.tsv", bytes(20_000_000))])
    members = read_members(path)
    member = next(members)
    assert len(member.stream.read(1 << 16)) == 1 << 16
    with pytest.raises(DataError, match="unpacks to more than 200 times"):
        member.stream.read()


def test_a_header_that_fills_the_memory_is_refused(tmp_path):
    info = tarfile.TarInfo("sts/a.tsv")
    info.pax_headers = {"comment": "".join(chr(33 + i % 90) for i in range(2_500_000))}
    info.size = 1
    with tarfile.open(tmp_path / "x.tar", "w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(info, io.BytesIO(b"x"))
    with pytest.raises(DataError, match="header of a member is too large"):
        unpacked(tmp_path / "x.tar")


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_a_damaged_archive_is_an_error_of_one_sentence(tmp_path, end):
    path = tmp_path / f"x.tar.{end}"
    data = os.urandom(300_000)
    with write_tar(path, compression_of(path)) as tar:
        add(tar, "sts/a.tsv", len(data), io.BytesIO(data))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="damaged or cut off"):
        unpacked(path)
    path.write_bytes(whole[:100] + bytes(200) + whole[300:])
    with pytest.raises(DataError, match=str(path)):
        unpacked(path)


@settings(max_examples=40)
@given(data=st.binary(max_size=2000), packed_twice=st.booleans())
def test_noise_is_no_archive(tmp_path_factory, data, packed_twice):
    path = tmp_path_factory.mktemp("noise") / "x.tar.gz"
    path.write_bytes(gzip.compress(data) if packed_twice else data)
    if set(data) <= {0} and len(data) >= 512:  # an empty archive
        assert unpacked(path) == {}
    else:
        with pytest.raises(DataError, match=re.escape(str(path))):
            unpacked(path)


@pytest.mark.parametrize(("name", "kind"), [("x.tar.gz", "gz"), ("x.tgz", "gz"), ("x.tar.zst", "zst")])
def test_endings(tmp_path, name, kind):
    assert compression_of(tmp_path / name) == kind


def test_other_endings(tmp_path):
    with pytest.raises(UsageError, match=r"x\.zip is no name of an archive"):
        compression_of(tmp_path / "x.zip")
