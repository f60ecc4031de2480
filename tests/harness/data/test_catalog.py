"""The catalog: complete, free of sentences, its hashes measured; and what a file holds whatever its line ends."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.data import read_scored_pairs
from harness.data.catalog import CATALOG, load_catalog
from harness.data.checksums import places, update, with_contents
from harness.data.contents import Content, measure
from harness.data.folder import PARTS
from harness.data.labelled import read_labelled
from harness.errors import DataError, UsageError
from harness.tasks.sts import OFFICIAL_SPLITS, OFFICIAL_SUBSETS

FIELD = st.text(
    st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12
).filter(str.strip)


def test_every_set_says_what_a_user_must_know():
    catalog = load_catalog()
    for entry in catalog:
        assert all((entry.title, entry.source, entry.licence, entry.citation)), entry.name
        for place, file in entry.files.items():
            assert place.split("/")[0] in PARTS
            assert place.startswith(entry.name.rsplit("/", 1)[0])
            assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
            assert file.rows is None or file.rows > 0
    assert len(catalog.files()) == sum(len(entry.files) for entry in catalog)  # no file belongs to two sets
    unverified = {entry.name for entry in catalog if not entry.verified}
    assert {"other/en/QQP", "other/en/SNLI", "other/en/MNLI"} <= unverified
    assert not {name for name in unverified if name.startswith(("sts/", "transfer/"))}


@pytest.mark.parametrize("variant", ["en", "en-senteval"])
def test_the_rows_of_english_sts_are_the_official_ones(variant):
    files = load_catalog().files()
    for name, parts in {**OFFICIAL_SUBSETS, **OFFICIAL_SPLITS}.items():
        for part, rows in parts.items():
            assert files[f"sts/{variant}/{name}/{part}.tsv"].rows == rows


def test_what_is_not_said_is_taken_from_another_set():
    sets = load_catalog().sets
    tokens, text = sets["sts/en-senteval/STS12"], sets["sts/en/STS12"]
    assert (tokens.licence, tokens.citation) == (text.licence, text.citation)
    assert tokens.title != text.title
    assert not tokens.files.keys() & text.files.keys()
    assert tokens.rows == text.rows == 3108


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["sts/en/STS12"], {"sts/en/STS12"}),
        (["STS12"], {"sts/en/STS12", "sts/en-senteval/STS12"}),
        (["sts/zh/"], {f"sts/zh/{n}" for n in ("STS-B", "ATEC", "BQ", "LCQMC", "PAWSX", "AFQMC", "BUSTM")}),
        (["clustering/en/Tweet.tsv", "TREC"], {"clustering/en/Tweet", "transfer/en/TREC"}),
        ([], set(load_catalog().sets)),
    ],
)
def test_sets_are_chosen_by_name_folder_or_file(names, expected):
    assert {entry.name for entry in load_catalog().choose(names)} == expected


def test_a_folder_does_not_name_its_sets():
    catalog = load_catalog()
    assert catalog.named(["other", "sts/zh"]) == set()
    assert catalog.named(["QQP", "sts/zh/BQ/"]) == {"other/en/QQP", "sts/zh/BQ"}


def test_unknown_sets_are_told_the_close_ones():
    with pytest.raises(UsageError, match=r"no set 'STS21'.*STS1.*augbench data ls"):
        load_catalog().choose(["STS21"])


@settings(max_examples=30)
@given(
    rows=st.lists(st.tuples(st.integers(0, 5), FIELD, FIELD), min_size=1, max_size=5),
    bom=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    last=st.booleans(),
)
def test_line_ends_make_no_difference(tmp_path_factory, rows, bom, end, last):
    folder = tmp_path_factory.mktemp("contents")
    plain, other = folder / "a.tsv", folder / "b.tsv"
    text = ["\t".join(map(str, row)) for row in rows]
    plain.write_bytes(("\n".join(text) + "\n").encode())
    other.write_bytes(("\ufeff" * bom + end.join(text) + end * last).encode())
    for place in ("transfer/en/X/a.tsv", "sts/en/X/a.tsv", "corpus/en/a.txt"):
        assert measure(plain, place) == measure(other, place)
        assert measure(plain, place).rows == len(rows)
    # the hash is that of the object a task reads
    assert measure(plain, "sts/en/X/a.tsv").sha256 == read_scored_pairs(plain).sha256()
    assert measure(plain, "transfer/en/X/a.tsv").sha256 == read_labelled(plain, pairs=True).sha256()


def test_digits_of_a_score_make_no_difference_but_words_do(tmp_path):
    contents = []
    for index, text in enumerate(["1\ta\tb\n", "1.000\ta\tb\n", "1.1\ta\tb\n", "1\ta\tc\n"]):
        (tmp_path / f"{index}.tsv").write_text(text)
        contents.append(measure(tmp_path / f"{index}.tsv", "sts/en/X/test.tsv").sha256)
    assert contents[0] == contents[1]
    assert len(set(contents)) == 3


def test_borders_of_documents_and_sentences_count(tmp_path):
    path = tmp_path / "x"
    path.write_text("one\ntwo\n\n\nthree\n\n")
    there = measure(path, "corpus/en/x.txt")
    assert there.rows == 3
    assert measure(path, "treebank/en/x.conllu").rows == 2
    path.write_text("one\ntwo\n\n\nthree")
    assert measure(path, "corpus/en/x.txt") == there
    path.write_text("one\ntwo\nthree\n")
    assert measure(path, "corpus/en/x.txt").sha256 != there.sha256


@pytest.mark.parametrize(("place", "text"), [("corpus/en/x.txt", "\n\n"), ("sts/en/X/x.tsv", "high\ta\tb\n")])
def test_what_is_no_content(tmp_path, place, text):
    (tmp_path / "x").write_text(text)
    with pytest.raises(DataError, match=str(tmp_path / "x")):
        measure(tmp_path / "x", place)


def test_hashes_are_measured_into_the_catalog(tmp_path):
    catalog, folder = tmp_path / "catalog.toml", tmp_path / "data"
    shown = (
        '# words = { sha256 = "kept" }\n[sets."sts/en/X".files]\n'
        '"sts/en/X/test.tsv" = { rows = 7, sha256 = "old" }\n'
        '"sts/en/X/dev.tsv" = { sha256 = "unverified" }\n'
    )
    catalog.write_text(shown)
    assert places(shown) == ["sts/en/X/test.tsv", "sts/en/X/dev.tsv"]
    (folder / "sts/en/X").mkdir(parents=True)
    (folder / "sts/en/X/test.tsv").write_text("1\ta\tb\n2\tc\td\n")
    assert update(catalog, folder) == 1
    content = measure(folder / "sts/en/X/test.tsv", "sts/en/X/test.tsv")
    assert catalog.read_text() == shown.replace('rows = 7, sha256 = "old"', f'rows = 2, sha256 = "{content.sha256}"')


def test_the_catalog_of_the_package_can_be_measured_again():
    text = CATALOG.read_text(encoding="utf-8")
    files = load_catalog().files()
    assert places(text) == list(files)
    known = {place: Content(f.rows, f.sha256) for place, f in files.items() if f.rows and f.sha256}
    assert with_contents(text, known) == text
