"""The teacher: learns a toy grammar, gives trees, and treats every sentence the same in any company."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from parsing_fakes import animals

from harness.errors import DataError
from harness.parsing.biaffine import BiaffineParser, case_class, make_batch
from harness.parsing.teacher import TeacherSettings, about_teacher, load_teacher, train_teacher
from harness.parsing.treebank import Sentence

SETTINGS = TeacherSettings(epochs=12, batch=200, rate=1e-3, head_rate=5e-3)


@pytest.fixture(scope="module")
def teacher(tiny_encoder):
    return train_teacher(str(tiny_encoder), animals(60), SETTINGS, device="cpu")


def plain(sentences):
    return [(s.words, s.spaces) for s in sentences]


def test_it_learns_the_grammar_it_is_shown(teacher):
    wanted = animals(20, 1000)
    got = teacher.parse(plain(wanted))
    assert [parse.sentence for parse in got] == wanted
    assert all(0.5 < parse.confidence <= 1 for parse in got)


def test_parses_do_not_depend_on_the_other_sentences(teacher):
    mixed = [*animals(5), Sentence(("cat", "."), (False, True), ("", ""), ("", ""), (-1, 0), ("root", "punct"))]
    together = teacher.parse(plain(mixed))
    for one, parse in zip(mixed, together, strict=True):
        (alone,) = teacher.parse(plain([one]))
        assert alone.sentence == parse.sentence
        assert alone.confidence == pytest.approx(parse.confidence, rel=1e-4)


def test_any_words_get_a_tree_with_one_root_labelled_root(teacher):
    odd = [(("and",) * n, (True,) * n) for n in (1, 2, 7, 20)]
    for parse in teacher.parse(odd):
        roots = [i for i, head in enumerate(parse.sentence.heads) if head < 0]
        assert len(roots) == 1
        assert [i for i, label in enumerate(parse.sentence.labels) if label == "root"] == roots


def test_sentences_beyond_the_encoders_limit_have_no_parse(teacher):
    assert teacher.limit == 62
    long, short = (("cat",) * 80, (True,) * 80), (("cat",), (True,))
    assert [parse is None for parse in teacher.parse([long, short, ((), ())])] == [True, False, True]


def test_a_saved_teacher_parses_the_same(teacher, tmp_path, tiny_encoder):
    teacher.save(tmp_path, {"made": "here"})
    assert about_teacher(tmp_path) == {"made": "here"}
    assert about_teacher(tmp_path / "no") is None
    again = load_teacher(tmp_path, str(tiny_encoder), device="cpu")
    sentences = plain(animals(4))
    assert again.parse(sentences) == teacher.parse(sentences)


def test_a_teacher_of_another_encoder_is_refused(teacher, tmp_path, tiny_mlm):
    from safetensors.torch import load_file, save_file

    teacher.save(tmp_path, {})
    weights = load_file(tmp_path / "teacher.safetensors")
    weights["root"] = torch.zeros(3)
    save_file(weights, tmp_path / "teacher.safetensors")
    with pytest.raises(DataError, match="not one of"):
        load_teacher(tmp_path, str(tiny_mlm), device="cpu")


def test_same_seed_same_teacher(tiny_encoder):
    settings = TeacherSettings(epochs=1, batch=100)
    first, second = (train_teacher(str(tiny_encoder), animals(12), settings, device="cpu") for _ in range(2))
    for name, weight in first.model.state_dict().items():
        assert torch.equal(weight, second.model.state_dict()[name]), name


def test_a_treebank_of_endless_sentences_is_refused(tiny_encoder):
    n = 90
    endless = Sentence(
        ("cat",) * n, (True,) * n, ("X",) * n, ("X",) * n, (-1, *range(n - 1)), ("root", *["dep"] * (n - 1))
    )
    with pytest.raises(DataError, match="no sentence of the treebank fits"):
        train_teacher(str(tiny_encoder), [endless], SETTINGS, device="cpu")


# -- the model --------------------------------------------------------------------------------------------------------
class Echo(torch.nn.Module):
    """An encoder whose state of a piece is its id, in every dimension."""

    class config:  # noqa: N801
        hidden_size = 4

    def forward(self, input_ids, attention_mask):
        states = input_ids[..., None].float().expand(-1, -1, 4)
        return type("Out", (), {"last_hidden_state": states})()


def test_words_are_the_means_of_their_pieces():
    rows = [([9, 1, 3, 5, 9], [0, 1, 1, 2, 0]), ([9, 7, 9], [0, 1, 0])]
    batch = make_batch(rows, [["un+do", "it"], ["x"]], pad=100, device=torch.device("cpu"))
    model = BiaffineParser(Echo(), labels=3, upos=2, xpos=2)
    pooled = model._pool(model.encoder(batch.ids, batch.mask).last_hidden_state, batch)
    assert pooled[..., 0].tolist() == [[2.0, 5.0], [7.0, 0.0]]


def test_no_word_is_its_own_head_or_has_padding_for_one():
    torch.manual_seed(0)
    model = BiaffineParser(Echo(), labels=3, upos=2, xpos=2).eval()
    torch.nn.init.normal_(model.arc)
    rows = [([9, 1, 3, 5, 9], [0, 1, 2, 3, 0]), ([9, 7, 9], [0, 1, 0])]
    batch = make_batch(rows, [["a", "b", "c"], ["x"]], pad=100, device=torch.device("cpu"))
    arcs = model(batch).arcs
    assert arcs.shape == (2, 3, 4)
    assert all(arcs[0, i, i + 1] == -1e4 for i in range(3))
    assert (arcs[1, 0, 1:] == -1e4).all()
    assert arcs[1, 0, 0] > -1e4


@given(st.text(max_size=6))
def test_every_word_has_a_case(word):
    assert 0 <= case_class(word) <= 5


def test_cases():
    words = ["...", "12", "cat", "NATO", "Cat", "iPod", "I", "McX", "文"]
    assert [case_class(w) for w in words] == [0, 1, 2, 3, 4, 5, 4, 4, 5]
