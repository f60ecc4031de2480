"""Which modal fits this clause?

A conclusion (一定, 想必) for states and for what has happened, a duty (必须) only for what persons do. 必须 and
应该 in front of a verb of doing read as a duty; where nobody is meant to do anything they would change the story,
so there the clause becomes a conclusion.
"""

from __future__ import annotations

import random

from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.modality.place import listed

_SELF = {"我", "我们", "咱", "咱们", "俺", "本人", "你", "你们", "您"}


def statement_phrase(predicate: Predicate, rng: random.Random) -> str:
    """Return a modal for a clause that states something and has none."""
    words = lexicon("modals")
    person = subject_word(predicate)
    plain = predicate.token.i == predicate.stretch.start
    if plain and person in words["driven"]["persons"] and form(predicate.token) in words["driven"]["verbs"]:
        return str(rng.choice(words["driven"]["phrases"]))
    if is_state(predicate):
        named = person in _SELF and predicate.kind != "shi"
        choices = list(words["epistemic"]["self" if named else "state"])
    elif person in words["deontic"]["persons"]:
        if not _free_to_act(predicate):
            return str(rng.choice(words["epistemic"]["self"]))
        return str(rng.choice(words["deontic"]["phrases" if predicate.stretch.negator is None else "negated"]))
    else:
        choices = list(words["epistemic"]["event"])
    if person not in _SELF:
        choices += words["epistemic"]["third"]
    return str(rng.choice(choices))


def speaks_in_clause(predicate: Predicate) -> bool:
    """Tell whether the clause itself can take a modal: a state, what 了 or 过 marks as past, or what persons do.

    一定 in front of a bare verb (`1990年毕业`) is a promise or a guess about the future; such a statement takes an opener.
    """
    return is_state(predicate) or subject_word(predicate) in lexicon("modals")["deontic"]["persons"]


def _free_to_act(predicate: Predicate) -> bool:
    """Whether nothing in the clause says that it has happened or happens as a rule."""
    forms = {form(t) for t in predicate.doc}
    return not forms & {
        "了",
        "过",
        "刚",
        "刚刚",
        "时候",
        "时",
        "后",
        "之后",
        "当时",
        "后来",
        "昨天",
        "去年",
        "曾",
        "已",
        "常",
        "经常",
        "常常",
    }


def subject_word(predicate: Predicate) -> str:
    """Return the subject's text if it is one word, else ""."""
    span = predicate.subject
    return form(predicate.doc[span[0]]) if span is not None and span[1] - span[0] == 1 else ""


def is_state(predicate: Predicate) -> bool:
    """Tell whether a clause says how things are or what has happened, instead of what somebody does."""
    if predicate.kind in ("shi", "possess", "adjective", "bei") or form(predicate.token) in listed("words", "states"):
        return True
    doc, at, end = predicate.doc, predicate.token.i, predicate.piece.end
    if any(form(doc[i]) in listed("words", "aspects") for i in range(at + 1, min(at + 3, end))):
        return True
    if any(form(t) in ("了", "过") for t in doc[max(end - 2, at) : end]) or form(doc[at])[-1:] in "了着过于":
        return True
    front = {form(doc[i]) for i in range(predicate.piece.start, at)}
    return bool(front & {"曾", "曾经", "已", "已经", "正", "正在", "没", "没有", "未", "从未"})
