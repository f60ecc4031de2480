"""Is it certain what this predicate says and of whom? Only then is it flipped; all else is denied as a whole.

In outputs that were read blind, denials of whole texts were right in more than nine cases of ten, flips of a predicate in three
of four. What went wrong were words in between: adverbs that no longer fit, phrases and verbs that the parse had missed.
"""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar import labels
from languages.chinese.grammar.aspect import aspect_of
from languages.chinese.grammar.candidates import is_known
from languages.chinese.grammar.labels import form
from languages.chinese.grammar.lexicon import lexicon, words
from languages.chinese.grammar.pieces import Piece, is_word, pieces
from languages.chinese.grammar.predicates import Predicate, predicate_of
from languages.chinese.grammar.sentences import is_question
from languages.chinese.polarity.affirm import is_negative
from languages.chinese.polarity.scope import words_

#: a longer text is denied as a whole
LONGEST = 60
#: 为 is a copula in short texts only; in longer ones it is as often 以为, 成为 or a preposition
_SHORT = 18


def clear_predicate(doc: Any) -> Predicate | None:
    """Return the one predicate of a text that has one, behind times and causes; None if there are more or it is in doubt."""
    found = pieces(doc)
    if not found or len(doc.text) > LONGEST or not all(map(_leads_in, found[:-1])):
        return None
    predicate = predicate_of(found[-1])
    return predicate if predicate is not None and is_clear(predicate) else None


def clear_copula(doc: Any) -> Predicate | None:
    """Return the first clause of several if it says what something is (X是Y，…) and nothing behind it leans on that."""
    found = pieces(doc)
    while len(found) > 1 and _leads_in(found[0]):
        found = found[1:]
    if any(p.sentence for p in found) or any(map(_leans, found[1:])) or not found:
        return None
    predicate = predicate_of(found[0])
    if predicate is None or form(predicate.token) != "是" or not is_clear(predicate):
        return None
    return predicate


def clear_report(doc: Any) -> Predicate | None:
    """Return the predicate of `X指出，…`: a verb of saying right behind its subject and right in front of the mark."""
    found = pieces(doc)
    while len(found) > 1 and _leads_in(found[0]):
        found = found[1:]
    if len(found) < 2 or any(p.sentence for p in found):
        return None
    piece = found[0]
    last = piece.doc[piece.end - 1]
    if piece.mark is None or form(last) not in words_("report") or last.i == piece.start:
        return None
    subject = piece.doc[piece.start : last.i]
    if any(not labels.is_nominal(t) and form(t) not in ("的", "、", "和", "与") for t in subject):
        return None
    predicate = predicate_of(piece)
    return predicate if predicate is not None and predicate.token.i == last.i else None


def is_clear(found: Predicate) -> bool:
    """Whether subject, predicate and all between them are known words in known places, and the parse agrees."""
    token, piece, stretch = found.token, found.piece, found.stretch
    text, doc, negative = form(token), found.doc, is_negative(found)
    if not (found.sure or negative or stretch.modal is not None) or _opens(piece, "unsure"):
        return False
    noun = text in words_("nounish") and not aspect_of(piece, token).mark
    told = text in words_("report") and token.i + 1 == piece.end
    if text in words_("unclear") or noun or told or text[:1] == text[1:2]:
        return False  # 有关, 发展, 看看; 他笑着说
    if any(form(t) in words_("wh") for t in piece.tokens) and not is_question(doc):
        return False  # 没有什么事
    if token.dep_ not in labels.ROOT and token.head.dep_ not in labels.ROOT:
        return False
    if text in ("即", "乃", "系") or (text == "为" and (len(doc.text) > _SHORT or token.dep_ != "cop")):
        return False
    if not negative and (found.subject is None or not _is_known(found)):
        return False
    beside = stretch.start == stretch.region or (found.subject is not None and found.subject[1] == stretch.start)
    opened = stretch.region == piece.start or form(doc[piece.start]) in words("clauses", "conjunctions")
    return (
        beside
        and opened
        and not _left_over(found)
        and _known_between(found, negative)
        and not _goes_on(found, negative)
    )


def _is_known(found: Predicate) -> bool:
    modal = found.stretch.modal
    if modal is not None:
        return form(found.doc[modal]) in lexicon("verbs")["deny_modal"]
    return found.kind in ("shi", "possess") or is_known(found.token, found.piece)


def _known_between(found: Predicate, negative: bool) -> bool:
    """Whether all adverbs and phrases in front of the predicate are of those whose negation has a good form."""
    doc, stretch = found.doc, found.stretch
    inside = {i for a, b in stretch.phrases for i in range(a, b)}
    known = words_("clear_adverbs") | (
        words_("with_negator") | words("adverbs", "negators") if negative else frozenset()
    )
    for i in range(stretch.start, found.token.i):
        token = doc[i]
        moves = form(token) in ("来", "去") and i > stretch.start
        if (
            i not in inside
            and i in found.piece.visible
            and not (form(token) in known or labels.is_modal(token) or moves)
        ):
            return False
    return all(form(doc[a]) in words_("clear_phrases") for a, _ in stretch.phrases)


def _left_over(found: Predicate) -> bool:
    """Whether a verb, modal or preposition stands in front of the stretch and belongs to no attribute (`… 的 N`)."""
    doc, stretch = found.doc, found.stretch
    for i in range(stretch.region, stretch.start):
        token = doc[i]
        if form(token) in words("clauses", "places") or form(token) in words("adverbs", "times"):
            continue
        if i + 1 == stretch.start and form(token) + form(found.token) in words("known_verbs", "verbs"):
            return True  # one word cut in two
        cut = i + 1 == stretch.start and len(token.text) == 1 and form(token) in words("known_verbs", "verbs")
        if cut or form(token)[-1] in "不没未" or token.pos_ == "ADP" or labels.is_adposition(token):
            return True
        verbal = token.pos_ in ("VERB", "AUX", "ADV") or labels.is_copula(token)
        if verbal and not any(form(t) in ("的", "之") for t in doc[i + 1 : stretch.start]):
            return True
    return False


def _goes_on(found: Predicate, negative: bool) -> bool:
    """Whether a second assertion follows inside the piece (V1 并 V2, 是…而不是…, 有 N V), or a quantity that 不 would split."""
    behind = [t for t in found.piece.tokens if t.i > found.token.i]
    if any(form(t) in words_("goes_on") for t in behind):
        return True
    if found.kind == "shi":
        has = bool(behind) and form(behind[0]) in words_("not_is")
        return has or any(labels.is_copula(t) and form(t) != "为" for t in behind)
    if any(labels.is_copula(t) or form(t) in lexicon("verbs")["possess"] for t in behind):
        return True
    if found.kind == "possess" and not negative:
        # 有 N V: what there is does something; 有 3 N: 没有 3 N is no denial that there are some
        verbs = [t for t in behind if t.pos_ in ("VERB", "AUX") and form(t) not in ("了", "着", "过")]
        counted = bool(behind) and behind[0].text[:1].isdigit()
        return counted or any(not any(form(u) == "的" and u.i > t.i for u in behind) for t in verbs)
    runs = form(found.token) == "在" and bool(behind) and behind[0].pos_ == "VERB"  # 在追白马
    return runs or (not behind and form(found.token) in ("没", "有"))


def _leads_in(piece: Piece) -> bool:
    """Whether a piece only says when, where or why, and asserts nothing."""
    denies = any(form(t) in words("adverbs", "negators") for t in piece.tokens)
    if piece.ends_sentence or denies or _opens(piece, "unsure") or _opens(piece, "conjunctions"):
        return False
    if piece.subordinate:
        return True
    return not any(t.pos_ in ("VERB", "AUX", "ADJ") for t in piece.tokens) and len(piece.tokens) <= 8


def _leans(piece: Piece) -> bool:
    """Whether a piece goes on from the one in front of it (也是…, 但…)."""
    first = next((t for t in piece.tokens if is_word(t)), None)
    return _opens(piece, "leaning") or (first is not None and form(first)[0] in "也亦还却则又但而更就")


def _opens(piece: Piece, key: str) -> bool:
    first = next((t for t in piece.tokens if is_word(t)), None)
    return first is not None and form(first) in words("clauses", key)
