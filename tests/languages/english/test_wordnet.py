"""WordNet's files: what is read from them, what is refused, and the nouns that `hypernym` and `hyponym` exchange."""

from __future__ import annotations

import random

import pytest

from harness.errors import DataError, Skipped
from harness.operators import resolve
from languages.english import load
from languages.english.augcse.wordnet import VARIABLE, WordNet, open_wordnet

PACK = load()
LICENCE = "  1 This is a small WordNet for tests.\n  2 Its words are common knowledge.\n"
#: name -> (words, above)
SYNSETS = {
    "entity": (["entity"], None),
    "thing": (["thing"], "entity"),
    "being": (["being"], "thing"),
    "animal": (["animal", "creature"], "being"),
    "dog": (["dog"], "animal"),
    "poodle": (["poodle"], "dog"),
    "terrier": (["terrier"], "dog"),
    "owl": (["owl"], "animal"),
    "bank of a river": (["bank"], "thing"),
    "bank for money": (["bank"], "thing"),
    "guide dog": (["guide_dog"], "dog"),
}


def write(folder, synsets=SYNSETS):
    """Write `index.noun` and `data.noun`; offsets are of eight digits, so that they can be computed in advance."""
    below = {name: [n for n, (_, above) in synsets.items() if above == name] for name in synsets}

    def line(name, offsets):
        words, above = synsets[name]
        pointers = [("@", above)] * (above is not None) + [("~", n) for n in below[name]]
        parts = [f"{offsets[name]:08d} 03 n {len(words):02x}", *(f"{w} 0" for w in words), f"{len(pointers):03d}"]
        return " ".join([*parts, *(f"{s} {offsets[n]:08d} n 0000" for s, n in pointers)]) + " | a gloss\n"

    offsets = dict.fromkeys(synsets, 0)
    position = len(LICENCE)
    for name in synsets:
        offsets[name], position = position, position + len(line(name, dict.fromkeys(synsets, 0)))
    (folder / "data.noun").write_text(LICENCE + "".join(line(name, offsets) for name in synsets), encoding="utf-8")
    senses: dict[str, list[int]] = {}
    for name, (words, _) in synsets.items():
        for word in words:
            senses.setdefault(word, []).append(offsets[name])
    rows = [
        f"{word} n {len(found)} 2 @ ~ {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  \n"
        for word, found in sorted(senses.items())
    ]
    (folder / "index.noun").write_text(LICENCE + "".join(rows), encoding="utf-8")
    return folder


@pytest.fixture
def wordnet(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(write(tmp_path)))
    return WordNet(tmp_path)


def made(name, text):
    (operator,) = resolve([name], PACK)
    (doc,) = PACK.parse([text])
    edits = [operator.apply(doc, random.Random(seed)) for seed in range(20)]
    return {edit and edit.text for edit in edits}


def test_senses_words_and_pointers_are_read(wordnet):
    (dog,) = wordnet.senses("Dog")
    synset = wordnet.synset(dog)
    assert synset.words == ("dog",)
    assert [wordnet.synset(o).words for o in synset.above] == [("animal", "creature")]
    assert sorted(wordnet.synset(o).words[0] for o in synset.below) == ["guide dog", "poodle", "terrier"]
    assert wordnet.senses("guide dog")
    assert len(wordnet.senses("bank")) == 2
    assert wordnet.senses("unicorn") == ()


def test_every_pointer_leads_back(wordnet):
    for words, _ in SYNSETS.values():
        for offset in wordnet.senses(words[0].replace("_", " ")):
            for above in wordnet.synset(offset).above:
                assert offset in wordnet.synset(above).below


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dog slept in the garden.", {"The animal slept in the garden."}),
        ("She bought an owl.", {"She bought an animal."}),
        ("They saw two poodles.", {"They saw two dogs."}),
        ("She sat on the bank.", {None}),  # two senses
        ("The animal was old.", {None}),  # what is above says nothing
        ("She lives in Paris.", {None}),
    ],
)
def test_hypernyms(wordnet, text, expected):
    assert made("hypernym", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She bought a dog.", {"She bought a guide dog.", "She bought a poodle.", "She bought a terrier."}),
        ("They saw two dogs.", {"They saw two guide dogs.", "They saw two poodles.", "They saw two terriers."}),
        ("An animal came.", {"A dog came.", "An owl came."}),
        ("She bought a poodle.", {None}),
    ],
)
def test_hyponyms(wordnet, text, expected):
    assert made("hyponym", text) == expected


def test_the_identity_is_the_files_and_no_path(wordnet, tmp_path, monkeypatch):
    (first,) = resolve(["hypernym"], PACK)
    other = tmp_path / "other"
    other.mkdir()
    monkeypatch.setenv(VARIABLE, str(write(other)))
    (same,) = resolve(["hypernym"], PACK)
    assert same.fingerprint() == first.fingerprint()
    assert str(tmp_path) not in str(first.fingerprint())
    more = tmp_path / "more"
    more.mkdir()
    monkeypatch.setenv(VARIABLE, str(write(more, {**SYNSETS, "cat": (["cat"], "animal")})))
    (different,) = resolve(["hypernym"], PACK)
    assert different.fingerprint() != first.fingerprint()


def test_without_files_the_reason_says_what_to_type(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    with pytest.raises(
        Skipped, match=r"no index\.noun and no data\.noun; type sudo apt-get install wordnet-base, or export"
    ):
        open_wordnet("hypernym")
    with pytest.raises(Skipped, match="hyponym reads WordNet"):
        resolve(["hyponym"], PACK)


@pytest.mark.parametrize("line", ["dog n", "dog n 2 1 @ 2 0 00000001", "dog n x 1 @ 1 0 00000001"])
def test_a_broken_index_names_file_and_line(tmp_path, line):
    write(tmp_path)
    (tmp_path / "index.noun").write_text(LICENCE + line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"index\.noun, line 3"):
        WordNet(tmp_path).senses("dog")


def test_files_of_two_wordnets_are_told_apart(tmp_path):
    write(tmp_path)
    with pytest.raises(DataError, match="not of one WordNet"):
        WordNet(tmp_path).synset(len(LICENCE) + 3)
