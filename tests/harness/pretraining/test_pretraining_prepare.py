"""From files to segments: what is learnt from, what is kept apart, what is taken out, and what is not done twice."""

from __future__ import annotations

import numpy as np
import pytest
from pretraining_fakes import documents, tiny_recipe, write_documents
from transformers import AutoTokenizer

from harness.data.folder import DataFolder
from harness.errors import DataError
from harness.pretraining.packing import Segments
from harness.pretraining.prepare import prepare

RECIPE = tiny_recipe(pieces=120)


@pytest.fixture(scope="module")
def marked():
    """Forty documents; each has a number of its own in all its lines."""
    return [[f"{line[:-1]} {number} {number}." for line in lines] for number, lines in enumerate(documents(40), 10)]


def run(files, work, *, recipe=RECIPE, data=None, language="en"):
    said = []
    return prepare(files, recipe, work, language=language, data=data, say=said.append), said


def words(prepared, segments: Segments):
    """The text of each segment."""
    tokeniser = AutoTokenizer.from_pretrained(str(prepared.tokeniser))
    return [tokeniser.decode(segments.ids[a:b].tolist()) for a, b in zip(segments.starts, segments.ends, strict=True)]


@pytest.fixture(scope="module")
def made(marked, tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    return run([write_documents(folder / "text.txt", marked)], folder / "work")[0]


def numbers(texts):
    return {word for text in texts for word in text.replace(".", " ").split() if word.isdigit()}


def test_held_out_documents_are_kept_apart(made):
    train, held_out = numbers(words(made, made.train)), numbers(words(made, made.held_out))
    assert train | held_out == {str(n) for n in range(10, 50)}
    assert train & held_out == set()
    assert 1 <= len(held_out) <= 12


def test_each_segment_is_of_one_document(made):
    for segments in (made.train, made.held_out):
        assert all(len(numbers([text])) == 1 for text in words(made, segments))
        assert (segments.ends - segments.starts <= 30).all()


def test_no_line_is_lost(made, marked):
    text = " ".join(words(made, made.train) + words(made, made.held_out)).replace(" ", "")
    assert sorted(text) == sorted("".join(line for lines in marked for line in lines).lower().replace(" ", ""))


def test_counts_and_vectors_are_of_the_training_part(made, marked, tmp_path):
    assert made.counts.sum() == made.train.pieces
    assert made.counts[:5].sum() == 0
    held_out = numbers(words(made, made.held_out))
    # the same text with other words in the held-out documents: nothing that is learnt may differ
    changed = [
        ["zzz qqq xxx zzz."] * 3 if str(number) in held_out else lines for number, lines in enumerate(marked, 10)
    ]
    other, _ = run([write_documents(tmp_path / "text.txt", changed)], tmp_path / "work")
    assert (other.tokeniser / "vocab.txt").read_bytes() == (made.tokeniser / "vocab.txt").read_bytes()
    assert (other.counts == made.counts).all()
    assert (other.vectors == made.vectors).all()
    assert (words(other, other.train), other.train.pieces) == (words(made, made.train), made.train.pieces)


def test_vectors(made, marked, tmp_path):
    assert made.vectors.shape == (len(made.counts), 16)
    files = [write_documents(tmp_path / "text.txt", marked)]
    without, _ = run(files, tmp_path / "work", recipe=RECIPE.model_copy(update={"cooccurrence": False}))
    assert without.vectors is None


def test_words_of_several_pieces_are_known(made):
    tokeniser = AutoTokenizer.from_pretrained(str(made.tokeniser))
    pieces = tokeniser.convert_ids_to_tokens(made.train.ids.tolist())
    inside = np.array([piece.startswith("##") for piece in pieces])
    assert inside.any()
    assert (made.train.word_starts == ~inside).all()


def test_nothing_is_done_twice(marked, tmp_path):
    files = [write_documents(tmp_path / "text.txt", marked)]
    first, said = run(files, tmp_path / "work")
    assert "learning the vocabulary" in said
    again, said = run(files, tmp_path / "work")
    assert said == ["reading the text"]
    for name in ("ids", "word_starts", "starts", "ends"):
        assert (getattr(again.train, name) == getattr(first.train, name)).all()
    assert (again.files, again.overlap, again.removed) == (first.files, None, 0)
    assert (again.vectors == first.vectors).all()
    assert run(files, tmp_path / "work", recipe=RECIPE.model_copy(update={"rate": 0.1, "tokens": 9}))[1] == said


@pytest.mark.parametrize("change", [{"pieces": 100}, {"seed": 1}, {"held_out": 0.3}, {"lowercase": False}])
def test_other_settings_are_prepared_anew(marked, tmp_path, change):
    files = [write_documents(tmp_path / "text.txt", marked)]
    run(files, tmp_path / "work")
    said = run(files, tmp_path / "work", recipe=RECIPE.model_copy(update=change))[1]
    assert "tokenising" in said


def test_what_was_interrupted_is_done_again(marked, tmp_path, made):
    files = [write_documents(tmp_path / "text.txt", marked)]
    first, _ = run(files, tmp_path / "work")
    (first.tokeniser.parent / "text.json").unlink()
    (first.tokeniser.parent / "counts.npy").write_bytes(b"half")
    again, said = run(files, tmp_path / "work")
    assert "tokenising" in said
    assert (again.counts == made.counts).all()


@pytest.fixture
def tests(tmp_path, marked):
    """A data folder that holds a line of the fourth document."""
    folder = tmp_path / "data" / "sts" / "en" / "Toy"
    folder.mkdir(parents=True)
    (folder / "dev.tsv").write_text(f"1.0\t{marked[3][1].upper()}\tsomething else altogether\n")
    return DataFolder(tmp_path / "data")


def test_test_sentences_are_taken_out(marked, tmp_path, tests):
    again = [[*lines, marked[3][1]] if number in (0, 7) else lines for number, lines in enumerate(marked)]
    made, said = run([write_documents(tmp_path / "text.txt", again)], tmp_path / "work", data=tests)
    assert "looking for test sentences in the text" in said
    text = " ".join(words(made, made.train) + words(made, made.held_out))
    assert marked[3][1].lower() not in text
    assert marked[3][0].lower() in text
    assert made.removed == 3
    assert [(found.name, found.equal) for found in made.overlap] == [("sts/en/Toy", 3)]
    loaded, said = run([tmp_path / "text.txt"], tmp_path / "work", data=tests)
    assert (said, loaded.removed, loaded.overlap) == (["reading the text"], 3, made.overlap)
    # unchecked text is another text
    assert run([tmp_path / "text.txt"], tmp_path / "work")[0].removed == 0


def test_other_test_sets_are_looked_for_anew(marked, tmp_path, tests):
    files = [write_documents(tmp_path / "text.txt", marked)]
    assert run(files, tmp_path / "work", data=tests)[0].removed == 1
    (tests.path / "sts" / "en" / "Toy" / "test.tsv").write_text(f"1.0\t{marked[4][0]}\t{marked[5][2]}\n")
    assert run(files, tmp_path / "work", data=tests)[0].removed == 3


def test_a_text_too_short(tmp_path):
    one = write_documents(tmp_path / "one.txt", [["a b c d e", "f g h i j"], ["k"]])
    with pytest.raises(DataError, match=r"too short to make a single segment of three pieces; give more\."):
        run([one], tmp_path / "work")
    (tmp_path / "two.txt").write_text("only one line\n")
    with pytest.raises(DataError, match="too short to keep a part of it for the perplexity; give more"):
        run([tmp_path / "two.txt"], tmp_path / "work")


def test_a_text_of_test_sentences_only(tmp_path, tests, marked):
    (tmp_path / "all.txt").write_text(f"{marked[3][1]}\n{marked[3][1]}\n")
    with pytest.raises(DataError, match="too short to keep a part"):
        run([tmp_path / "all.txt"], tmp_path / "work", data=tests)
