"""Where in a clause may a modal go? Only where tree and words agree: behind the subject, in front of the whole pre-verbal part.

The tree finds the predicate and what belongs in front of it (adverbs, 把, 被, phrases, negation); the words find the subject
(`marks.subject`). Where the two do not meet, or a word in front of the predicate (也, 并, 则, 通常 …) would have to stand
before the modal or contradicts it, the clause has no place for one.
"""

from __future__ import annotations

from typing import Any

from languages.chinese.grammar.candidates import is_known
from languages.chinese.grammar.labels import form, is_adposition, is_copula, is_modal
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.predicates import Predicate
from languages.chinese.marks.characters import counts
from languages.chinese.marks.front import fronted
from languages.chinese.marks.gaps import Gaps, Segment
from languages.chinese.marks.subject import subject_of


def listed(*keys: str) -> frozenset[str]:
    """Return a list of `lexicon/modals.toml` by its table and name, as a set."""
    found: Any = lexicon("modals")
    for key in keys:
        found = found[key]
    return frozenset(found)


def clear_gap(predicate: Predicate) -> int | None:
    """Return the token in front of which a modal goes for certain, None if there is no such place."""
    doc, at, verb = predicate.doc, predicate.stretch.start, predicate.token.i
    if not predicate.sure or not fits(doc, at) or _blocked(predicate) or _nested(predicate):
        return None
    # a word that nobody has listed may be half of one, or of a name
    listed_ = predicate.kind in ("shi", "possess") or predicate.stretch.modal is not None
    if not listed_ and not is_known(predicate.token, predicate.piece):
        return None
    if form(predicate.token) in listed("words", "saying") or verb - at > _FAR:
        return None
    segment = segment_of(predicate)
    subject = None if segment is None else subject_of(doc, segment)
    if subject is None:
        return at if _bare(predicate) else None
    # of `一个男人` nobody says that he 确实 does something
    indefinite = doc[subject.start].pos_ == "NUM" or form(doc[subject.start])[0] in "一两几"
    return at if subject.end == at and not indefinite else None


#: tokens that may stand between a modal and the verb before a reader loses it
_FAR = 8


def subject_text(predicate: Predicate) -> str:
    """Return the subject that the words show, "" for none."""
    segment = segment_of(predicate)
    found = None if segment is None else subject_of(predicate.doc, segment)
    return "" if found is None else "".join(form(t) for t in predicate.doc[found.start : found.end])


def segment_of(predicate: Predicate) -> Segment | None:
    """Return the run between two marks in which the predicate stands, None if it stands in brackets or quotation marks."""
    at = predicate.token.i
    return next((s for s in Gaps(predicate.doc).segments if s.start <= at < s.end), None)


def behind_front(doc: Any, start: int, end: int) -> int:
    """Return the first token of the run `[start, end)` that is no time, linking word or fronted phrase."""
    return max([start, *(stop for stop, _ in fronted(doc, Segment(start, end, True, "")))])


def _bare(predicate: Predicate) -> bool:
    """Tell whether a known verb opens its sentence, or follows a time that does (`1937年 | 考入…`): its subject is understood."""
    doc, at, piece, verb = predicate.doc, predicate.stretch.start, predicate.piece, predicate.token
    if behind_front(doc, piece.start, piece.end) != at or verb.pos_ != "VERB" or len(verb.text) < 2:
        return False
    if (
        behind_front(doc, 0, piece.start) < piece.start - 1
        or piece.end - at < 3
        or doc.text.rstrip("”」』")[-1:] != "。"
    ):
        return False
    return is_known(verb, piece) and not any(is_copula(t) or form(t) == "的" for t in doc[at : piece.end])


def _blocked(predicate: Predicate) -> bool:
    doc, stretch, first = predicate.doc, predicate.stretch, predicate.piece.start
    blocking = listed("words", "blocking")
    opening = [form(doc[i]) for i in range(first, min(stretch.region + 1, predicate.token.i))]
    before = [form(doc[i]) for i in range(stretch.start, predicate.token.i + 1) if i != stretch.modal]
    # a word may be cut in two, or joined with its neighbour
    text = "".join(before)
    return any(word in blocking for word in opening + before) or text.startswith(
        ("也", "还", "并", "则", "却", "就", "又", "亦")
    )


def _nested(predicate: Predicate) -> bool:
    """Whether the verb found may belong to a modifier, a phrase or another verb: a 的 near behind it, verbs in front of it."""
    doc, piece, at = predicate.doc, predicate.piece, predicate.token.i
    front = [t for t in doc[predicate.stretch.region : predicate.stretch.start] if t.pos_ not in ("NOUN", "PROPN")]
    if any(is_modal(t) or t.pos_ in ("AUX", "VERB") for t in front) and not any(form(t) == "的" for t in front):
        return True
    if predicate.kind == "shi":
        return False
    behind = [form(t) for t in doc[at + 1 : piece.end]]
    if "的" in behind:
        later = at + 1 + behind.index("的")
        near = behind.index("的") < 2 and predicate.kind != "possess"
        return near or any(t.dep_ in ("ROOT", "root") for t in doc[later : piece.end])
    return False


def begins_word(doc: Any, at: int) -> bool:
    """Tell whether token `at` is a word, or opens a title or a quotation."""
    return at < len(doc) and (doc[at].text[:1].isalnum() or doc[at].text[:1] in "《〈“「『")


def fits(doc: Any, at: int) -> bool:
    """Tell whether words may be put in front of token `at`: not inside a Latin word or number, not behind 的 or a preposition."""
    if not begins_word(doc, at):
        return False
    if at == 0:
        return True
    before, here = doc[at - 1], doc[at]
    if before.text[-1:].isascii() and here.text[:1].isascii() and before.text[-1:].isalnum() and not before.whitespace_:
        return False
    if before.text[-1:] in "《〈“‘「『（([-–—/·‧•、":
        return False
    if form(here) in listed("words", "never_in_front_of"):
        return False
    if form(here)[0] in "了着过" and form(here) not in ("过去", "过年", "着手", "着迷", "了解"):
        return False
    if before.dep_ in ("clf", "mark:clf", "det") or counts(form(before)):
        return False  # `一个 | 穿着雪裤的小孩`
    if at > 1 and counts(form(doc[at - 2]) + form(before)):
        return False
    if is_adposition(before) and before.pos_ == "ADP":
        return False
    return form(before) not in listed("words", "never_behind") and not form(before).endswith(("得", "的"))
