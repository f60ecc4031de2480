"""`synonym` for Chinese: a list that the user names, and nothing without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_docs import bare, documents, tree

from harness.errors import DataError, Skipped
from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.synonym import ENVIRONMENT, Synonym, candidates, read_table

SENTENCE = "医生|NOUN|nsubj|3 非常|ADV|advmod|3 高兴|ADJ|ROOT|3 。|PUNCT|punct|3"


def test_without_a_list_it_is_skipped_with_the_next_command(monkeypatch):
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    for variant in (None, "20"):
        with pytest.raises(Skipped, match=f"export {ENVIRONMENT}="):
            Synonym(variant)


def test_a_named_list_is_used_and_identifies_the_run(monkeypatch, tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("# comment\n医生\tNOUN\t大夫,医生,doctor\n高兴\tOTHER\t开心\n", encoding="utf-8")
    monkeypatch.setenv(ENVIRONMENT, str(path))
    operator = Synonym()
    assert read_table(path) == {("医生", "NOUN"): ("大夫",)}
    assert operator.apply(tree(SENTENCE), python_rng(0)).text == "大夫非常高兴。"
    assert str(tmp_path) not in str(operator.fingerprint())
    assert operator.fingerprint()["table"] != Synonym("examples").fingerprint()["table"]


def test_the_rate_counts_words():
    operator = Synonym("examples")
    operator.percent = 99.0
    edit = operator.apply(tree(SENTENCE), python_rng(0))
    # 99 % of three words are two or three
    assert [change.start for change in edit.changes] in ([0, 1, 2], [0, 1], [0, 2], [1, 2])


@pytest.mark.parametrize(
    "source",
    [
        "“|PUNCT|punct|2 医生|NOUN|ROOT|2 ”|PUNCT|punct|2",
        "《|PUNCT|punct|2 父亲|NOUN|ROOT|2 》|PUNCT|punct|2",
        "教师|NOUN|compound|2 节|NOUN|ROOT|2",
    ],
    ids=["quotation", "title", "compound"],
)
def test_what_stays(source):
    assert Synonym("examples").apply(tree(source), python_rng(0)) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [("医生 大夫\n", "line 1: 1 columns"), ("", "no usable row"), ("doctor\tNOUN\tphysician\n", "no usable row")],
)
def test_a_list_of_another_form_is_refused(tmp_path, content, message):
    path = tmp_path / "words.tsv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=message):
        read_table(path)


def test_a_list_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match="there is no list"):
        read_table(tmp_path / "none.tsv")


@pytest.mark.parametrize("variant", ["0", "100", "x", "paper", "-3"])
def test_a_rate_that_is_none_is_refused(variant):
    with pytest.raises(ValueError, match="synonym@20"):
        Synonym(variant)


@given(documents(), st.integers(0, 3))
def test_only_candidates_change(doc, seed):
    operator = Synonym("examples")
    found, edit = candidates(doc, operator.table), operator.apply(doc, python_rng(seed))
    assert (edit is None) == (not found)
    if edit is not None:
        assert render(doc, edit.changes) == edit.text
        assert all(change.text in found[change.start] for change in edit.changes)


def test_unparsed_text_is_left_alone():
    assert Synonym("examples").apply(bare("医生非常高兴"), python_rng(0)) is None


def test_a_traditional_sentence_takes_words_whose_traditional_form_is_known():
    doc = tree("醫生|NOUN|nsubj|3 非常|ADV|advmod|3 高興|ADJ|ROOT|3 。|PUNCT|punct|3")
    # the word itself stands in front of its synonyms: each is compared with its own Traditional form, not a neighbour's
    assert candidates(doc, {("医生", "NOUN"): ("医生", "大夫", "医师")}) == {0: ("醫師",)}
