"""`mv` for Chinese: which modal, where, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_docs import bare, documents, latin, tree

from harness.protocols.operator import render
from harness.seeds import python_rng
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.modal import ModalVerbs, form_of

OPERATOR = ModalVerbs()
SURE = {"一定", "肯定", "想必", "确实", "的确"}
OPENERS = {"毋庸置疑，", "不可否认，", "毫无疑问，", "无可否认，", "可以肯定的是，"}


def made(source: str, seeds=range(40)) -> set[str | None]:
    doc = tree(source)
    found = {OPERATOR.apply(doc, python_rng(seed)) for seed in seeds}
    return {None if edit is None else edit.text for edit in found}


COPULA = "她|PRON|nsubj|3 是|AUX|cop|3 医生|NOUN|ROOT|3 。|PUNCT|punct|3"
PASSIVE = "小偷|NOUN|nsubj:pass|4 被|AUX|aux:pass|4 警察|NOUN|obl|4 抓住|VERB|ROOT|4 了|AUX|aux|4 。|PUNCT|punct|4"
BA = "妹妹|NOUN|nsubj|4 把|ADP|case|3 花瓶|NOUN|obl|4 打碎|VERB|ROOT|4 了|AUX|aux|4 。|PUNCT|punct|4"
ALSO = "他|PRON|nsubj|3 也|ADV|advmod|3 喜欢|VERB|ROOT|3 音乐|NOUN|obj|3 。|PUNCT|punct|3"
NOT = "他们|PRON|nsubj|3 没有|ADV|advmod|3 回来|VERB|ROOT|3 。|PUNCT|punct|3"


@pytest.mark.parametrize(
    ("source", "left", "right"),
    [
        (PASSIVE, "小偷", "被警察抓住了。"),
        (BA, "妹妹", "把花瓶打碎了。"),
        (NOT, "他们", "没有回来。"),
    ],
    ids=["passive", "ba", "negation"],
)
def test_the_modal_stands_in_front_of_the_whole_predicate(source, left, right):
    assert made(source) == {f"{left}{phrase}{right}" for phrase in SURE}


def test_what_something_is_may_be_beyond_doubt():
    # not 一定 or 想必: a plain classification would become a guess
    assert made(COPULA) == {f"她{phrase}是医生。" for phrase in ("确实", "的确", "无疑")}


def test_figures_and_first_persons_take_no_conclusion():
    assert made(COPULA.replace("她|", "我|")) == {f"我{phrase}是医生。" for phrase in ("确实", "的确", "无疑")}
    dated = "他|PRON|nsubj|3 1998年|NOUN|nmod:tmod|3 结婚|VERB|ROOT|3 了|AUX|aux|3 。|PUNCT|punct|3"
    assert not any(word in text for text in made(dated) for word in ("一定", "想必"))


@pytest.mark.parametrize(
    ("source", "front", "rest"),
    [
        (ALSO, "", "他也喜欢音乐。"),
        (COPULA.replace("她|PRON|nsubj|3", "一位姑娘|NUM|nsubj|3"), "", "一位姑娘是医生。"),
        (
            "但|SCONJ|mark|5 他|PRON|nsubj|5 却|ADV|advmod|5 没有|ADV|advmod|5 回来|VERB|ROOT|5 。|PUNCT|punct|5",
            "但",
            "他却没有回来。",
        ),
        (
            "是的|INTJ|discourse|5 ，|PUNCT|punct|1 他|PRON|nsubj|5 也|ADV|advmod|5 回来|VERB|ROOT|5 。|PUNCT|punct|5",
            "是的，",
            "他也回来。",
        ),
    ],
    ids=["linking adverb", "indefinite", "conjunction", "exclamation"],
)
def test_the_opener_stands_in_front_of_the_whole_sentence(source, front, rest):
    openers = lexicon("modals")["opener"]["joined"] if front else OPENERS
    assert made(source) == {f"{front}{opener}{rest}" for opener in openers}


@pytest.mark.parametrize(
    ("source", "front", "rest"),
    [
        (
            "后来|NOUN|nmod:tmod|3 他|PRON|nsubj|3 也|ADV|advmod|4 回来|VERB|ROOT|4 。|PUNCT|punct|4",
            "后来，",
            "他也回来。",
        ),
        # cut in two
        (
            "接|VERB|ROOT|1 着|AUX|aux|1 他|PRON|nsubj|5 也|ADV|advmod|5 回来|VERB|conj|1 。|PUNCT|punct|1",
            "接着，",
            "他也回来。",
        ),
        (
            "例如|VERB|ROOT|1 ，|PUNCT|punct|1 他|PRON|nsubj|5 也|ADV|advmod|5 回来|VERB|conj|1 。|PUNCT|punct|1",
            "例如，",
            "他也回来。",
        ),
    ],
    ids=["telling", "telling, cut", "leading"],
)
def test_an_opener_goes_behind_what_ties_a_sentence_to_the_one_before(source, front, rest):
    assert made(source) == {f"{front}{opener}{rest}" for opener in lexicon("modals")["opener"]["joined"]}


def test_a_fronted_phrase_is_no_subject():
    source = (
        "在|VERB|ROOT|1 北|NOUN|compound|3 岛|NOUN|obj|1 ，|PUNCT|punct|1 他|PRON|nsubj|7 也|ADV|advmod|7 喜欢|VERB|conj|1"
        " 音乐|NOUN|obj|7 。|PUNCT|punct|1"
    )
    assert made(source) == {f"{opener}在北岛，他也喜欢音乐。" for opener in OPENERS}
    alone = "在|VERB|ROOT|1 北|NOUN|compound|3 岛|NOUN|obj|1 过年|VERB|conj|1 。|PUNCT|punct|1"
    assert made(alone) == {None}


@pytest.mark.parametrize(
    ("source", "rest"),
    [
        ("是|AUX|cop|2 医生|NOUN|ROOT|2 。|PUNCT|punct|2", "是医生。"),
        ("曾|ADV|advmod|2 任|VERB|ROOT|2 校长|NOUN|obj|2 。|PUNCT|punct|2", "曾任校长。"),
        ("共|ADV|advmod|2 有|VERB|ROOT|2 三|NUM|nummod|4 种|NOUN|obj|2 。|PUNCT|punct|2", "共有三种。"),
    ],
)
def test_a_sentence_whose_subject_is_understood_is_affirmed_where_it_begins(source, rest):
    assert made(source) == {f"确实{rest}", f"的确{rest}"}


@pytest.mark.parametrize(
    "source",
    [
        "是|AUX|cop|3 日|NOUN|nmod|3 休息|VERB|ROOT|3 。|PUNCT|punct|3",
        "是|AUX|cop|2 医生|NOUN|ROOT|2 吧|PART|discourse|2 。|PUNCT|punct|2",
        "曾|PROPN|compound|2 祖父|NOUN|nsubj|3 去世|VERB|ROOT|3 。|PUNCT|punct|3",
    ],
    ids=["that day", "proposal", "a word of its own"],
)
def test_what_only_looks_like_an_understood_subject(source):
    assert not {f"{word}{source[0]}" for word in ("确实", "的确")} & {text and text[:3] for text in made(source)}


@pytest.mark.parametrize(
    "source",
    [
        "另请|ADV|advmod|2 参阅|VERB|ROOT|2 附录|NOUN|obj|2 。|PUNCT|punct|2",
        "其实|ADV|advmod|3 他|PRON|nsubj|3 也|ADV|advmod|4 回来|VERB|ROOT|3 。|PUNCT|punct|3",
    ],
    ids=["notice", "impression"],
)
def test_no_opener_in_front_of_notes_and_impressions(source):
    assert not any(text and text.startswith(tuple(OPENERS)) for text in made(source))


@pytest.mark.parametrize(
    "source",
    [
        "也|ADV|advmod|2 是|AUX|cop|3 医生|NOUN|ROOT|3 。|PUNCT|punct|3",
        "树林|NOUN|nsubj|3 多么|ADV|advmod|3 温暖|ADJ|ROOT|3 ！|PUNCT|punct|3",
        "据说|VERB|ROOT|1 他|PRON|nsubj|3 回来|VERB|ccomp|1 了|AUX|aux|3 。|PUNCT|punct|1",
        "我们|PRON|nsubj|2 吃饭|VERB|ROOT|2 吧|PART|discourse|2 。|PUNCT|punct|2",
    ],
    ids=["no beginning", "exclamation", "hearsay", "proposal"],
)
def test_what_nobody_can_affirm_is_left_alone(source):
    assert made(source) == {None}


def test_a_modal_is_strengthened_and_never_doubled():
    source = "他|PRON|nsubj|3 会|AUX|aux|3 游泳|VERB|ROOT|3 。|PUNCT|punct|3"
    assert made(source) == {"他一定会游泳。", "他肯定会游泳。"}
    source = "你|PRON|nsubj|3 应该|AUX|aux|3 休息|VERB|ROOT|3 。|PUNCT|punct|3"
    assert made(source) == {"你必须休息。", "你一定要休息。"}


def test_duties_are_for_persons_only():
    person = made("我们|PRON|nsubj|2 保护|VERB|ROOT|2 环境|NOUN|obj|2 。|PUNCT|punct|2")
    assert "我们必须保护环境。" in person
    thing = made("火车|NOUN|nsubj|2 穿过|VERB|ROOT|2 隧道|NOUN|obj|2 。|PUNCT|punct|2")
    assert not any(text and ("必须" in text or "不得不" in text) for text in thing)


def test_what_one_is_driven_to():
    assert made("他|PRON|nsubj|2 放弃|VERB|ROOT|2 了|AUX|aux|2 比赛|NOUN|obj|2 。|PUNCT|punct|2") == {
        "他不得不放弃了比赛。",
    }


def test_a_hedged_clause_goes_behind_an_opener_and_says_so():
    doc = tree("她|PRON|nsubj|4 大概|ADV|advmod|4 已经|ADV|advmod|4 走|VERB|ROOT|4 了|AUX|aux|4 。|PUNCT|punct|4")
    edit = OPERATOR.apply(doc, python_rng(0))
    assert edit.text in {"不可否认，她大概已经走了。", "必须承认，她大概已经走了。"}
    assert form_of(edit) == "opener"
    assert form_of(OPERATOR.apply(tree(COPULA), python_rng(0))) == "clause"


@pytest.mark.parametrize(
    ("source", "outputs"),
    [
        ("请|VERB|ROOT|1 关门|VERB|ccomp|1 。|PUNCT|punct|1", {"请务必关门。", "请一定要关门。"}),
        ("别|ADV|advmod|2 关门|VERB|ROOT|2 。|PUNCT|punct|2", {"千万别关门。"}),
        (
            "如何|ADV|advmod|2 学习|VERB|ROOT|2 英语|NOUN|obj|2",
            {"应该如何学习英语", "应当如何学习英语"},
        ),
        (
            "你|PRON|nsubj|3 是否|ADV|advmod|3 同意|VERB|ROOT|3",
            {"请务必告诉我，你是否同意", "请一定要告诉我，你是否同意"},
        ),
        ("祝|VERB|ROOT|1 你|PRON|obj|1 快乐|ADJ|ccomp|1", {None}),
    ],
    ids=["please", "do not", "how", "whether", "wish"],
)
def test_orders_questions_and_wishes(source, outputs):
    assert made(source) == outputs


def test_traditional_text_gets_traditional_characters():
    source = "這|DET|det|2 橋|NOUN|nsubj|4 應該|AUX|aux|4 關閉|VERB|ROOT|4 。|PUNCT|punct|4"
    assert made(source) == {"這橋必須關閉。", "這橋一定要關閉。"}


def test_what_is_written_has_traditional_forms():
    from languages.chinese.grammar.script import in_script_of

    assert in_script_of("這們個", "必须应该应当认显") == "必須應該應當認顯"


@given(documents(), st.integers(0, 5))
def test_any_parse_is_changed_or_refused_and_no_letter_comes_in(doc, seed):
    edit = OPERATOR.apply(doc, python_rng(seed))
    assert edit == OPERATOR.apply(doc, python_rng(seed))
    if edit is None:
        return
    assert render(doc, edit.changes) == edit.text != doc.text
    assert latin(edit.text) == latin(doc.text)


@given(st.text(max_size=80))
def test_any_text_survives_unparsed(text):
    edit = OPERATOR.apply(bare(text), python_rng(0))
    assert edit is None or edit.text != text


def test_long_lines_and_no_words_are_left_alone():
    assert OPERATOR.apply(bare("好" * 10_000), python_rng(0)) is None
    assert OPERATOR.apply(bare("😀...abc"), python_rng(0)) is None
    assert OPERATOR.apply(bare(""), python_rng(0)) is None


def test_no_phrase_is_doubtful_and_unknown_variants_are_refused():
    words = lexicon("modals")
    assert not {"可能", "也许"} & {
        *(phrase for phrases in words["affirm"].values() for phrase in phrases),
        *words["duty"]["phrases"],
    }
    with pytest.raises(ValueError, match="paper"):
        ModalVerbs("loud")
