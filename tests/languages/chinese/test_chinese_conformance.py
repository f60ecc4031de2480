"""The Chinese pack passes the battery every pack must pass."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baselines.edits import Crop, Delete, RandomPunctuation, Swap
from baselines.repetition import RepeatWords
from harness.conformance.language import check_language_pack
from harness.errors import Skipped
from harness.operators import resolve, variants
from harness.protocols import OperatorTools
from harness.protocols.operator import render
from harness.protocols.scripts import UNSPACED
from harness.seeds import python_rng
from languages.chinese import load

PACK = load()
NAMES = ("pi", "mv", "dn", "negation", "synonym")
#: needs a list that the user names
NEEDS = ("synonym",)
SPECS = [
    spec
    for name in PACK.operators()
    if name not in NEEDS
    for spec in (name, *(f"{name}@{v}" for v in variants(name, PACK)))
]
HAN = st.sampled_from(
    "我你他她们不没有是的了过着把被给在和也都很会能要去来说看买书天北京上海人学生老师好大小这那个本，。？！、“”《》："
)
LATIN = st.sampled_from(["iPhone", "A", "3.5", "2024", " ", "OK", "%", "\u3000", "🔥", ",", "!"])


def test_the_pack_has_all_operators():
    assert tuple(PACK.operators()) == NAMES


@pytest.mark.parametrize(("name", "check"), [pytest.param(n, c, id=n) for n, c in check_language_pack(PACK)])
def test_chinese_keeps_the_contract(name, check):
    try:
        check()
    except Skipped as reason:
        skipped = str(reason)
    else:
        return
    assert name.partition(":")[0].partition("@")[0] in NEEDS, f"{name} is skipped: {skipped}"
    pytest.skip(skipped)


@given(st.text(max_size=80), st.integers(0, 3))
def test_any_text_gives_an_edit_that_is_its_changes(text, seed):
    _check(text, seed)


@given(st.lists(st.one_of(HAN, HAN, HAN, LATIN), max_size=40).map("".join), st.integers(0, 3))
def test_any_chinese_text_gives_an_edit_that_is_its_changes_and_no_english(text, seed):
    for edit in _check(text, seed):
        assert set(re.findall("[A-Za-z]", edit.text)) <= set(re.findall("[A-Za-z]", text))


def _check(text, seed):
    (doc,) = PACK.parse([text])
    found = []
    for operator in resolve(SPECS, PACK):
        edit = operator.apply(doc, python_rng(seed, operator.spec, text))
        if edit is not None:
            assert edit.text == render(doc, edit.changes) != text
            found.append(edit)
    return found


# -- the edits that know no language ----------------------------------------------------------------------------------
SENTENCES = ("我昨天在北京买了一本新书。", "他用iPhone和iPad上网，很少看电视。", "这家饭店的菜又便宜又好吃！")


@pytest.mark.parametrize("text", SENTENCES)
def test_edits_work_on_chinese_words_and_write_no_blanks(text):
    tools = OperatorTools(pack=PACK)
    operators = (Crop("40"), Delete("40"), Swap("60"), RepeatWords("word", tools), RandomPunctuation(None, tools))
    (doc,) = PACK.tokenise_all([text])
    assert (
        max(len(token.text) for token in doc if re.fullmatch(f"[{UNSPACED}]+", token.text)) > 1
    )  # words, not characters
    for operator in operators:
        outputs = {
            edit.text for seed in range(20) if (edit := operator.apply(doc, python_rng(seed, operator.spec, text)))
        }
        assert len(outputs) > 3
        assert not any(re.search(f"[{UNSPACED}] | [{UNSPACED}]", output) for output in outputs)


def test_random_punctuation_is_full_width():
    (doc,) = PACK.tokenise_all([SENTENCES[2]])
    operator = RandomPunctuation(None, OperatorTools(pack=PACK))
    for seed in range(20):
        edit = operator.apply(doc, python_rng(seed, "punct", doc.text))
        assert all(change.text in "，。；：？！、" for change in edit.changes)
