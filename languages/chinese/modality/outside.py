"""Where a clause takes no modal itself: a noun phrase is predicated, a statement goes behind an opener.

`三只猫` → `一定是三只猫`; else `毋庸置疑，…`. The opener stands in front of the whole sentence, behind its conjunction (但, 因此),
behind a word that goes on telling (`后来，毫无疑问，…`) and behind what only calls or exclaims (`是的，…`, `先生，…`). A sentence
whose subject is understood takes a word of certainty at its beginning (`确实是…的门户`).
"""

from __future__ import annotations

import random
from typing import Any

from languages.chinese.grammar.changes import Patch, before
from languages.chinese.grammar.labels import form, is_copula, is_nominal
from languages.chinese.grammar.lexicon import lexicon
from languages.chinese.grammar.pieces import Piece
from languages.chinese.grammar.predicates import predicate_of
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import CUTS, PAIRS, STOPS
from languages.chinese.marks.front import begins_with_time
from languages.chinese.modality.place import begins_word, behind_front, fits, listed

_LONGEST_FRAGMENT = 12
#: characters of a statement; `我说。` is none that anybody affirms
_SHORTEST = 4


def predicated(piece: Piece, rng: random.Random) -> list[Patch] | None:
    """Return the patch that makes a statement of a noun phrase that is the whole text, None if it is something else."""
    doc, tokens = piece.doc, piece.tokens
    if not tokens or len(tokens) > _LONGEST_FRAGMENT or tokens[0].i != piece.start or not fits(doc, piece.start):
        return None
    words = lexicon("modals")
    first, last = tokens[0], tokens[-1]
    if last.i != piece.end - 1 or not is_nominal(last) or last.pos_ in ("PRON", "NUM"):
        return None
    if form(last) in listed("fragment", "no_end") or _barred(doc, piece.start):
        return None
    modified = len(tokens) > 2 and "的" in {form(t) for t in tokens[-3:-1]}
    if first.pos_ in ("VERB", "ADP"):
        noun_phrase = modified  # `弹吉他的人` is one, `学习英语` is none
    else:
        verbal = ("AUX", "INTJ") if modified else ("VERB", "AUX", "ADV", "ADP", "INTJ")
        noun_phrase = first.pos_ in ("NOUN", "PROPN", "NUM", "DET", "ADJ", "X") and not any(
            t.pos_ in verbal for t in tokens
        )
    if not noun_phrase or any(is_copula(t) for t in tokens):
        return None
    return [before(first, rng.choice(words["fragment"]["phrases"]))]


def understood(found: list[Piece], rng: random.Random) -> list[Patch] | None:
    """Return the patch for a statement that leaves its subject out and begins with its predicate, None for others."""
    words = lexicon("modals")["understood"]
    doc, at = found[0].doc, found[0].start
    said = simplified(doc.text[doc[at].idx :])
    if not said.startswith(tuple(words["begin"])) or said.startswith(tuple(words["other"])):
        return None
    last = form(found[0].tokens[-1]) if found[0].tokens else ""
    if not fits(doc, at) or last in (*lexicon("modals")["opener"]["no_affirming"], *words["no_end"]):
        return None
    return [before(doc[at], rng.choice(words["phrases"]))]


def opened(found: list[Piece], rng: random.Random) -> list[Patch] | None:
    """Return the patch that puts a statement behind an opener, None for texts that are none or do not begin like one."""
    words = lexicon("modals")["opener"]
    doc, at = found[0].doc, _opening(found)
    if at is None or not begins_word(doc, at) or _barred(doc, at) or _speech(doc, at):
        return None
    rest = [p for p in found if p.end > at]
    plain, said = simplified(doc.text), simplified(doc.text[doc[at].idx :])
    if any(word in plain for word in (*words["exclaims"], *words["impressions"])) or not _states(rest, at):
        return None
    if said.startswith((*words["notices"], *words["telling"], *words["vouching"])):
        return None
    hedged = any(
        word in simplified(piece.text)
        for piece in rest
        for word in words["hedges"]
        if piece.sentence == rest[0].sentence
    )
    joined = any(form(t)[:1].isalnum() for t in doc[:at])
    if hedged and plain.startswith(tuple(words["leading"])):
        return None  # `比如，不可否认，…`
    phrase = str(rng.choice(words["hedged" if hedged else "joined" if joined else "phrases"]))
    told = simplified(doc.text[: doc[at].idx]).endswith(tuple(words["telling"]))
    return [before(doc[at], f"，{phrase}" if told else phrase)]


def _opening(found: list[Piece]) -> int | None:
    """The token in front of which the statement begins, behind calls, exclamations and conjunctions."""
    words = lexicon("modals")["opener"]
    n = 0
    while n < len(found) - 1 and (simplified(found[n].text) in words["exclamations"] or _called(found[n])):
        n += 1
    piece, at = found[n], found[n].start
    text = simplified(piece.text)
    joins = max((c for c in (*words["conjunctions"], *words["telling"]) if text.startswith(c)), key=len, default="")
    if text in words["leading"]:
        joins = text
    size = 0
    while size < len(joins):
        size += len(piece.doc[at].text)
        at += 1
    if size != len(joins):
        return None
    if at >= piece.end:
        return found[n + 1].start if n + 1 < len(found) else None
    return at


def _called(piece: Piece) -> bool:
    """Whether a piece is a name or word that somebody calls out: `莫雷尔！上尉喊了一声。`"""
    return piece.ends_sentence and len(piece.text) < _SHORTEST and not _verbal(piece)


def _states(rest: list[Piece], at: int) -> bool:
    """Whether the first sentence of the pieces says something of a subject, and does not only guess, propose or exclaim."""
    words = lexicon("modals")["opener"]
    sentence = [p for p in rest if p.sentence == rest[0].sentence]
    first = [p for p in sentence if p.tokens]
    if (
        not first
        or form(first[-1].tokens[-1]) in words["no_affirming"]
        or sum(len(p.text) for p in sentence) < _SHORTEST
    ):
        return False
    told = [t for t in first[0].tokens if form(t) in words["hearsay"]]
    if any(t.i == at or form(t.nbor(-1)) != "的" for t in told):
        return False
    if simplified(first[0].doc[at:].text).startswith(tuple(words["guesses"])):
        return False
    if any(simplified(p.text).startswith(tuple(words["exclaiming"])) for p in first):
        return False
    if not any(_verbal(p) for p in first):
        return False
    mark = first[0].mark
    if mark is not None and first[0].doc[mark].text in "：:" and not _verbal(first[0]):
        return False  # a heading: `名单：…`
    time = behind_front(first[0].doc, first[0].start, first[0].end) >= first[0].end
    if (
        len(first) > 1
        and not time
        and not _verbal(first[0])
        and not _verbal(first[1])
        and is_nominal(first[0].tokens[-1])
    ):
        return False  # `某某，演员，歌手，…`
    return _has_subject(first, at)


def _verbal(piece: Piece) -> bool:
    """Whether a piece has a predicate, or a word that is one although the tagger does not see it."""
    if predicate_of(piece) is not None:
        return True
    return any(form(t) in _VERBS or (t.pos_ == "VERB" and form(t) not in ("等", "例如")) for t in piece.tokens[1:])


#: predicates that taggers take for something else
_VERBS = frozenset({"在", "站", "坐", "朝", "道", "说", "叫", "走", "看", "称", "为"})


def _has_subject(first: list[Piece], at: int) -> bool:
    """Whether something may be the subject of the first main clause; a verb at its very beginning shows that nothing is."""
    for piece in first:
        doc = piece.doc
        start = behind_front(doc, max(at, piece.start), piece.end)
        if start >= piece.end:
            continue  # a time alone
        found = predicate_of(piece)
        if (
            found is None
            or doc[start].pos_ in ("ADP", "PRON")
            or found.stretch.start > start
            or form(doc[start]) in ("有", "没有")
        ):
            return True
        if start > piece.start and found.kind == "shi":
            return True  # `1970年是…`
        if not piece.subordinate:
            # `穿着红衣服的 | 男孩跳下来`
            if any(form(t) == "的" for t in doc[found.token.i : piece.end - 1]) and not found.sure:
                return True
            if piece is first[-1] or not _only_fronts(simplified(doc[max(at, piece.start) : piece.end].text)):
                return False
    return False


def _only_fronts(text: str) -> bool:
    """Whether a piece is a phrase in front of a clause, whatever the tagger sees in it: `建安二十三年`, `在德国北方的小岛`."""
    if begins_with_time(text) and text.endswith(("年", "月", "日", "代")):
        return True
    heads, tails = lexicon("modals")["opener"]["fronting"], lexicon("modals")["opener"]["fronting_ends"]
    return text.startswith(tuple(heads)) or any(text.startswith(a) and text.endswith(z) for a, z in tails)


def _speech(doc: Any, at: int) -> bool:
    """Whether the text begins with a quotation that is no name: `“没有，”我撒谎了。`"""
    closing = PAIRS.get(doc[at].text[:1], "")
    if doc[at].text[:1] in "《〈" or not closing:
        return False
    inside = doc.text[doc[at].idx :].partition(closing)[0]
    return any(c in STOPS or c in CUTS for c in inside)


def _barred(doc: Any, at: int) -> bool:
    words = lexicon("modals")["opener"]
    text = form(doc[at])
    said = simplified(doc.text[doc[at].idx :])
    if said.startswith(tuple(words["subjects"])):
        return False
    if doc[at].pos_ in ("INTJ", "SYM") or text in words["no_sentence"] or text[0] in "哪谁":
        return True
    return said.startswith(tuple(words["wishes"]))
