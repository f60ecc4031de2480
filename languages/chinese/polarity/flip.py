"""Which predicate of a text is flipped, and how? Questions, commands and noun phrases included."""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.candidates import is_known
from languages.chinese.grammar.changes import Patch
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.pieces import pieces
from languages.chinese.grammar.predicates import Predicate, main_of, main_predicate, predicates
from languages.chinese.grammar.sentences import a_not_a, is_imperative, is_question
from languages.chinese.polarity.affirm import affirm, is_negative
from languages.chinese.polarity.deny import Flip, deny

#: a predicate found with less trust is left to a template
TRUST = 1.0
#: in longer texts, and in texts of several clauses, only the plainest predicate is flipped
_SHORT = 18


def flip_text(doc: Any, rng: random.Random) -> Flip | None:
    """Return the flip of the predicate that can be flipped most safely, None if there is none to trust."""
    everything = predicates(doc)
    main = main_of(everything)
    first = next((p.start for p in pieces(doc)), 0)
    scored = [(trust(p, main, first), p) for p in candidates(everything)]
    if len(doc.text) > _SHORT or len(pieces(doc)) > 1:
        scored = [(score, found) for score, found in scored if is_plain(found)]
    for score, found in sorted(scored, key=lambda pair: (-pair[0], pair[1].token.i))[:3]:
        if score < TRUST:
            break
        flip = flip_predicate(doc, found, rng)
        if flip is not None:
            return flip
    return _in_question(doc) if is_question(doc) else None


def is_plain(found: Predicate) -> bool:
    """Tell whether subject and predicate stand side by side and the parse agrees: nothing between them can go wrong.

    In outputs read blind these were right more often than all others, and templates more often still.
    """
    if not found.sure or found.stretch.start != found.token.i or form(found.token) in ("为", "是为"):
        return False  # 为 is as often a coverb or the second half of 成为, 追尊…为
    if found.kind == "shi":
        return True
    beside = found.subject is not None and found.subject[1] == found.stretch.start
    return beside and (found.token.dep_ in labels.ROOT or found.token.head.dep_ in labels.ROOT)


def _in_question(doc: Any) -> Flip | None:
    """A question whose predicate is in doubt is flipped at its first modal, copula or 有: 电脑能上网吗 → 电脑不能上网吗."""
    found = pieces(doc)
    main = main_predicate(doc)
    if len(found) != 1 or main is None:
        return None
    for token in found[0].tokens:
        text = form(token)
        if text in ("能", "能够", "可以", "会", "应该", "是", "有"):
            word = "没有" if text == "有" else f"不{text}"
            return Flip(main, (Patch(token.idx, token.idx + len(text), word),), token.idx, True, "question", word)
    return None


def flip_predicate(doc: Any, found: Predicate, rng: random.Random) -> Flip | None:
    """Return the flip of one predicate."""
    if is_negative(found):
        return affirm(found)
    return deny(found, rng, imperative=is_imperative(doc, found))


def candidates(found: list[Predicate]) -> list[Predicate]:
    """Return those of a text's predicates that stand in the first sentence that asserts something."""
    free = [p for p in found if not p.piece.subordinate and not _concedes(p)]
    if not free:
        only = {p.piece.sentence for p in found}
        return found if len(found) == 1 and len(only) == 1 else []
    return [p for p in free if p.piece.sentence == free[0].piece.sentence]


def _concedes(found: Predicate) -> bool:
    """虽, 如果 … behind the subject: the clause is subordinate (`他虽有才华，但…`)."""
    if found.piece.ends_sentence:
        return False
    return any(form(t) in words("clauses", "inner_subordinators") for t in found.doc[found.piece.start : found.token.i])


def trust(found: Predicate, main: Predicate | None, first: int) -> float:
    """How safe it is to flip this predicate: parse and position agree, the construction is clear, it is the main one.

    first  index of the token with which the text's first piece begins
    """
    score = 0.0 if found.sure else -1.0
    score += {"shi": 1.0, "possess": 1.0, "modal": 1.0, "bei": 1.0, "ba": 0.5, "verb": 0.0, "adjective": -0.5}[
        found.kind
    ]
    sign = found.stretch.negator is not None or is_negative(found)
    if found.kind in ("verb", "adjective", "bei", "ba") and not sign and not is_known(found.token, found.piece):
        score -= 3.0
    if found.kind == "verb" and (
        aspect_of(found.piece, found.token).mark or form(found.token) in words("verbs", "states")
    ):
        score += 0.5
    if main is not None and main.token.i == found.token.i:
        score += 1.0
    if found.piece.start == first:
        score += 0.5
    if found.subject is not None:
        score += 0.5
    if found.piece.start > 0 and found.kind == "possess" and form(found.doc[max(found.token.i - 1, 0)]) == "还":
        score -= 2.0  # …，还有 N joins a noun
    score -= _left_over(found)
    # attributes that reach over a comma end in 的 N
    last = found.doc[found.piece.end - 1]
    if labels.is_nominal(last) and _de_after(found):
        score -= 0.5
    return score


def _left_over(found: Predicate) -> float:
    """What stands in front of the stretch and belongs to no subject: a modal, 被, 把, a verb. The analysis has missed something."""
    score = 0.0
    for i in range(found.stretch.region, found.stretch.start):
        token = found.doc[i]
        if i not in found.piece.visible or any(form(t) == "的" for t in found.doc[i + 1 : found.stretch.start]):
            continue
        if labels.is_modal(token) or labels.is_bei(token) or labels.is_ba(token) or form(token) == "了":
            score += 1.5
        elif token.pos_ in ("ADP", "VERB") and i > found.stretch.region:
            score += 0.5
    return min(score, 2.0)


def _de_after(found: Predicate) -> bool:
    if labels.is_copula(found.token) or found.kind == "possess":
        return False
    return any(form(t) == "的" and t.i > found.token.i for t in found.piece.tokens) and not found.sure


def flip_polar_question(doc: Any) -> Flip | None:
    """V不V and 是否 in a question: 能不能去？ → 不能去吗？ None if the text has none."""
    where = a_not_a(doc)
    if where is None or not is_question(doc):
        return None
    main = main_predicate(doc)
    if main is None:
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
