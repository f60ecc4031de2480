"""Which predicate of a text is flipped, and how? Questions and commands included; None where a template is safer."""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.pieces import pieces
from languages.chinese.grammar.predicates import Predicate, main_predicate
from languages.chinese.grammar.sentences import a_not_a, is_imperative, is_question
from languages.chinese.polarity.affirm import affirm, is_negative
from languages.chinese.polarity.clear import clear_copula, clear_predicate, clear_report
from languages.chinese.polarity.deny import Flip, deny
from languages.chinese.polarity.kinds import is_open, is_order, is_set_phrase
from languages.chinese.polarity.scope import words_

#: a longer text is no command, whatever its words
_COMMAND = 25


def flip_text(doc: Any, rng: random.Random) -> Flip | None:
    """Return the flip of the text's one clear predicate, None if there is none."""
    if is_open(doc):
        return None
    if is_question(doc):
        return _question(doc, rng)
    main = main_predicate(doc)
    if main is not None and is_command(doc):
        if is_negative(main):
            return affirm(main)
        return _forbid_all(main) if is_order(doc) else deny(main, rng, imperative=True)
    if len(pieces(doc)) == 1 and pieces(doc)[0].tokens and is_set_phrase(doc):
        return None
    found = clear_predicate(doc) or clear_copula(doc)
    if found is not None:
        return affirm(found) if is_negative(found) else deny(found, rng)
    report = clear_report(doc)
    if report is None:
        return None
    word = "并不" if form(report.token) in words("verbs", "states") else "并没有"
    return Flip(report, (Patch(report.token.idx, report.token.idx, word),), report.token.idx, True, "report", word)


def is_command(doc: Any) -> bool:
    """Whether a text is one command: behind 请, 别, 快 …, or a short one that begins with a verb."""
    main = main_predicate(doc)
    if main is None or len(doc.text) > _COMMAND:
        return False
    if form(main.doc[main.piece.start]) in words("clauses", "interjections"):
        return False
    return is_order(doc) or (main.piece.start == pieces(doc)[0].start and is_imperative(doc, main))


def _forbid_all(main: Predicate) -> Flip:
    at = int(main.doc[main.piece.start].idx)
    return Flip(main, (Patch(at, at, "别"),), at, True, "imperative", "别")


def _question(doc: Any, rng: random.Random) -> Flip | None:
    """V不V and 是否 lose their second half; 吗 questions are flipped; of those with a question word only the negative ones."""
    if a_not_a(doc) is not None:
        return flip_polar_question(doc)
    found = clear_predicate(doc)
    asked = any(form(t) in words("questions", "wh") - {"吗", "呢"} for t in doc)
    if found is not None and (is_negative(found) or not asked):
        return affirm(found) if is_negative(found) else deny(found, rng)
    return None if asked else _first_word(doc)


def _first_word(doc: Any) -> Flip | None:
    """A short 吗 question is flipped at its modal, copula or 有: 电脑能上网吗 → 电脑不能上网吗."""
    found = pieces(doc)
    main = main_predicate(doc)
    if len(found) != 1 or main is None or any(form(t) == "的" for t in found[0].tokens[:-2]):
        return None
    verbs = [t for t in found[0].tokens if labels.is_modal(t) or t.pos_ in ("VERB", "AUX") or form(t) == "是"]
    if verbs and form(verbs[0]) in words_("asked"):
        token, text = verbs[0], form(verbs[0])
        word = "没有" if text == "有" else f"不{text}"
        return Flip(main, (Patch(token.idx, token.idx + len(text), word),), token.idx, True, "question", word)
    return None


def flip_polar_question(doc: Any) -> Flip | None:
    """V不V and 是否 in a question: 能不能去？ → 不能去吗？ None if the text has none."""
    where = a_not_a(doc)
    main = main_predicate(doc)
    if where is None or main is None or len(pieces(doc)) != 1:
        return None
    start, end, text = where
    word = {"是否": "不", "能否": "不能", "可否": "不可以"}.get(text) or text[1 if text[1] in "不没" else 2 :]
    patches = [Patch(start, end, "没有" if word == "没有" or text == "有没有" else word)]
    following = next((t for t in doc if t.idx >= end), None)
    if text == "是否" and following is not None and form(following).startswith("有"):
        patches = [Patch(start, following.idx + 1, "没有")]
    patches += _asking(doc)
    return Flip(main, tuple(patches), start, True, "V-not-V question", word)


def _asking(doc: Any) -> list[Patch]:
    """A question that loses its V不V takes 吗 at its end."""
    tokens = [t for t in doc if not t.is_space]
    last = tokens[-1]
    body = [t for t in tokens if any(map(str.isalnum, t.text))]
    if not body:
        return []
    final = body[-1]
    if form(final) in ("吗", "么"):
        return []
    if form(final) in ("呢", "啊", "呀"):
        return [Patch(final.idx, final.idx + 1, "吗")]
    at = final.idx + len(final.text) if last.i != final.i else last.idx + len(last.text)
    return [Patch(at, at, "吗")]
