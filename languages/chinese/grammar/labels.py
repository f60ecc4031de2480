"""Which labels mean the same? Universal Dependencies as in GSDSimp, and the labels of spaCy's own `zh_core_web_*` models.

GSDSimp hangs copula, auxiliaries, 被 (`aux:pass`) and 把 (`case`) below the predicate and tags conjunctive adverbs SCONJ;
`zh_core_web_*` has `aux:modal`, `aux:asp`, `aux:ba`, `auxpass`, `neg`, `advcl:loc`, `advmod:rcomp` and no plain `aux` or
`advcl`. Rules ask the functions here and in `predicates`; only this file knows the labels.
"""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.script import simplified

ROOT = {"ROOT", "root"}
SUBJECT = {"nsubj", "nsubj:pass", "nsubjpass", "nsubj:outer", "nsubj:xsubj", "csubj", "csubj:pass", "top"}
CLAUSAL_SUBJECT = {"csubj", "csubj:pass", "csubjpass", "csubj:outer"}
#: what stands inside a noun phrase in front of its head
ATTRIBUTIVE = {
    "acl", "acl:relcl", "relcl", "amod", "amod:ordmod", "nmod", "nmod:assmod", "nmod:prep", "nmod:poss", "compound",
    "compound:nn", "compound:vc", "det", "nummod", "appos", "flat", "flat:name", "flat:foreign",
}  # fmt: skip
#: words of a clause that are never its predicate, whatever their part of speech
FUNCTION = {
    "mark", "mark:rel", "mark:adv", "mark:clf", "case", "case:loc", "clf", "aux:asp", "discourse", "discourse:sp", "punct",
    "cc", "det", "nummod", "aux:prtmod",
}  # fmt: skip
_VERBAL = {"VERB", "AUX"}
_NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "X", "SYM"}


def form(token: Any) -> str:
    """The token's text in simplified characters."""
    return simplified(token.text)


def is_nominal(token: Any) -> bool:
    """A noun, name, pronoun, number, foreign word, or a suffix that ends a noun (`度` in 加速度)."""
    return token.pos_ in _NOMINAL or token.tag_ in ("SFN", "SFA", "M", "NNB")


def is_modal(token: Any) -> bool:
    """A modal verb; by its form, since parsers confuse 要, 想, 将 … with other words."""
    if token.i > 0 and form(token.doc[token.i - 1]) in ("的", "之"):
        return False  # 众生的需要
    if form(token) in words("verbs", "modals"):
        # one character may be a piece of another word: 委员|会, 官|能
        return len(token.text) > 1 or (token.pos_ in ("AUX", "VERB") and not _ends_a_name(token))
    return form(token) not in words("adverbs", "negators") and (
        token.tag_ == "MD" and token.dep_ in ("aux", "aux:modal")
    )


def _ends_a_name(token: Any) -> bool:
    previous = form(token.doc[token.i - 1]) if token.i > 0 else ""
    return form(token) == "会" and previous.endswith(tuple(words("verbs", "societies")))


def is_copula(token: Any) -> bool:
    """是 and its compounds (也是, 则是, 就是), 为 where it is a verb of its own, 即, 系."""
    text = form(token)
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if following is not None and form(following) in ("否", "不是", "非", "什么", "何"):
        return False  # 是否, 是不是, 为什么
    if text == "还是" and following is not None and following.pos_ in ("VERB", "ADV", "AUX"):
        return False  # 还是决定: still
    if text == "是" and following is not None and form(following) in ("年", "月", "日", "次", "役"):
        return False  # 是年: that year
    if text == "系":
        return token.tag_ == "VC" and token.dep_ == "cop"
    if text in words("verbs", "shi"):
        return True
    if text == "为":
        return token.tag_ == "VC" or token.dep_ == "cop"
    return False


def is_ba(token: Any) -> bool:
    """把, and 将 where it marks an object."""
    text = form(token)
    if text == "把":
        return token.pos_ not in ("NOUN",) and token.dep_ not in ("clf", "mark:clf")
    if text != "将":
        return False
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if following is not None and following.pos_ == "PRON":
        return True  # 将其升格, whatever the tag
    return token.tag_ in ("BB", "BA") or token.dep_ == "aux:ba" or token.pos_ == "ADP"


def is_bei(token: Any) -> bool:
    """被, the mark of the passive."""
    return form(token) == "被"


def is_adposition(token: Any) -> bool:
    """A preposition (coverb) in front of its noun: 在, 对, 与, 从 …; by its form where the tag is doubtful."""
    return form(token) in words("verbs", "coverbs") or is_ba(token) or is_bei(token)


def is_adverb(token: Any) -> bool:
    """An adverb; GSDSimp tags conjunctive ones (也, 则, 就) SCONJ."""
    return (
        token.pos_ == "ADV"
        or (token.pos_ == "SCONJ" and token.tag_ == "RB")
        or form(token) in words("verbs", "adverbs")
    )
