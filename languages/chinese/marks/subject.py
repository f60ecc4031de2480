"""Which noun phrase is the subject of a clause, whole and beyond doubt? Marks go around it, or a comma behind it.

The tree proposes, the words decide: the phrase begins where its clause begins (behind what is fronted), holds nothing but a noun
phrase, and a word follows that can only begin a predicate. What looks like a parsing error is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from harness.protocols import Change
from languages.chinese.grammar.labels import ROOT
from languages.chinese.grammar.lexicon import words
from languages.chinese.grammar.script import simplified
from languages.chinese.marks.characters import counts
from languages.chinese.marks.front import begins_with_time, fronted
from languages.chinese.marks.gaps import Gaps, Place, Segment, attributive_behind

_SUBJECT = {"nsubj", "nsubj:pass", "nsubjpass", "nsubj:outer", "top", "nsubj:xsubj"}
_NOMINAL = {"NOUN", "PROPN", "PRON", "NUM", "X"}
_INNER = {
    "compound",
    "nmod",
    "amod",
    "acl",
    "acl:relcl",
    "flat",
    "flat:name",
    "nummod",
    "det",
    "clf",
    "mark:clf",
    "compound:nn",
    "nmod:assmod",
    "case",
    "mark:rel",
    "appos",
    "conj",
    "cc",
    "compound:vc",
    "nmod:prep",
}
_LONGEST = 14
#: characters a subject needs to be set off as a topic
_LONG = 6
_NO_START = {"ADP", "CCONJ", "SCONJ", "PUNCT", "PART", "AUX", "SYM", "ADV", "INTJ"}
_NO_END = {"ADP", "CCONJ", "SCONJ", "DET", "AUX", "PUNCT", "ADV", "VERB", "ADJ"}


@dataclass(frozen=True)
class Subject:
    """The tokens `[start, end)` of a subject; `pronoun` if it is a bare pronoun."""

    start: int
    end: int
    pronoun: bool


def subject_places(doc: Any, gaps: Gaps, segment: Segment) -> Iterator[Place]:
    """Yield the places of the rule: `quotes` around a subject and a `comma` behind it."""
    subject = subject_of(doc, segment) or _bare_pronoun(doc, segment)
    if subject is None:
        return
    start, end = subject.start, subject.end
    first = simplified(doc[start].text)
    size = sum(len(token.text) for token in doc[start:end])
    quotable = not subject.pronoun and first not in words("punctuation", "no_quotes") and size > 1
    quotable = quotable and first[0] not in words("punctuation", "pointing") and doc[start].pos_ not in ("NUM", "DET")
    quotable = quotable and simplified(doc[end].text) not in words("punctuation", "doubtful")
    if quotable and gaps.takes_quotes(start, end) and not (doc[start].text == "《" and doc[end - 1].text == "》"):
        yield Place("quotes", quoted(start, end, gaps))
    if not quotable and size < 4 and first in words("punctuation", "personal") and gaps.takes_quotes(start, end):
        yield Place("pronoun", quoted(start, end, gaps))
    # behind a short subject a comma reads as if somebody were spoken to
    if size >= _LONG and not subject.pronoun and gaps.takes_comma(end):
        yield Place("topic", (Change("insert", end, end, "，"),))


def quoted(start: int, end: int, gaps: Gaps) -> tuple[Change, ...]:
    """Return the changes that put quotation marks around the tokens `[start, end)`."""
    return (Change("insert", start, start, gaps.opening), Change("insert", end, end, gaps.closing))


def subject_of(doc: Any, segment: Segment) -> Subject | None:
    """Return the subject of the clause in a segment if tree and words agree on it, else None."""
    ends = [end for end, _ in fronted(doc, segment)]
    starts = {segment.start, *ends}
    for start in sorted(starts, reverse=True):
        for token in doc[start : min(segment.end, start + _LONGEST)]:
            if token.dep_ in _SUBJECT and token.left_edge.i in starts:
                found = _checked(doc, token, max(s for s in starts if s <= token.i), segment)
                if found is not None:
                    return found
    return None


def _bare_pronoun(doc: Any, segment: Segment) -> Subject | None:
    """Return the personal pronoun with which a clause begins and which a predicate follows, None for others.

    No name or noun was cut there, so that any verb behind it will do.
    """
    for at in (segment.start, *(end for end, _ in fronted(doc, segment))):
        if segment.end - at < 2 or simplified(doc[at].text) not in words("punctuation", "addressing"):
            continue
        following = doc[at + 1]
        plain = following.pos_ in ("VERB", "AUX", "ADV") and following.dep_ not in _INNER
        # `你瞧，`: said to somebody, not of anybody
        plain = plain and not (segment.end - at == 2 and segment.stop in ("，", ","))
        if plain and not attributive_behind(doc, at + 1, segment):
            return Subject(at, at + 1, True)
    return None


def _checked(doc: Any, token: Any, start: int, segment: Segment) -> Subject | None:
    # a fronted time that the parser took into the subject is none of it
    end = token.right_edge.i + 1
    if end >= segment.end or end - start > _LONGEST or token.i < start:
        return None
    if not _is_main(token.head) or token.head.i < end or _inside_modifier(doc, token.head.i, segment):
        return None
    if not _nominal_span(doc, start, end, token) or not _predicate_follows(doc, token, end, segment):
        return None
    return Subject(start, end, end - start == 1 and token.pos_ in ("PRON", "DET"))


def _is_main(head: Any) -> bool:
    """Whether a predicate stands in a clause of its own, not in one that modifies a noun."""
    return head.dep_ in ROOT or head.dep_ in ("conj", "parataxis", "dep", "advcl", "ccomp")


def _inside_modifier(doc: Any, verb: int, segment: Segment) -> bool:
    """Whether the predicate found may modify the subject of another (`英国设立新加坡的目的在于…`)."""
    if simplified(doc[verb].text) in words("punctuation", "predicate_certain") or any(
        simplified(t.text) in words("punctuation", "predicate_certain") for t in doc[verb].children if t.i < verb
    ):
        return False
    forms = [simplified(t.text) for t in doc[verb + 1 : segment.end]]
    return "的" in forms and any(f in ("是", "在于", "就是", "为", "被") for f in forms[forms.index("的") + 1 :])


def _holds_verb(forms: list[str]) -> bool:
    """Whether a verb that was taken for a noun stands in the phrase, without a 的 that closes its clause."""
    verbs = words("known_verbs", "verbs")
    found = [i for i, form in enumerate(forms[:-1]) if form in verbs]
    return bool(found and "的" not in forms[found[-1] :]) or (
        len(forms) > 1 and len(forms[-1]) == 1 and forms[-1] in verbs
    )


def _nominal_span(doc: Any, start: int, end: int, token: Any) -> bool:
    tokens = doc[start:end]
    first, last = tokens[0], tokens[-1]
    forms = [simplified(t.text) for t in tokens]
    if first.pos_ in _NO_START and first.text not in ("《", "〈"):
        return False
    if last.pos_ in _NO_END and last.text not in ("》", "〉", "）", ")"):
        return False
    if (last.pos_ == "PART" and last.tag_ != "SFN") or last.pos_ == "NUM" or last.dep_ in ("clf", "mark:clf"):
        return False
    if _holds_verb(forms) or begins_with_time(doc[start:end].text) or counts("".join(forms)):
        return False
    if forms[-1] in words("punctuation", "when_or_where") or forms[0] in words("punctuation", "when_or_where"):
        return False
    if len(forms[-1]) < 3 and forms[-1][-1] in "上下里中内外间" and last.pos_ != "PROPN":
        return False
    if (
        forms[-1] in words("punctuation", "closers")
        or forms[-1][-1] in "年月日号时的地得了着过"
        or forms[0] in ("的", "者", "地")
    ):
        return False
    depth = 0
    for position, (t, form) in enumerate(zip(tokens, forms, strict=True)):
        if form in "（(《〈":
            depth += 1
        elif form in "）)》〉":
            depth -= 1
        elif depth == 0 and not _may_stand_inside(t, form, forms[position + 1 :]):
            return False
    return depth == 0 and token.pos_ in _NOMINAL | {"PART"}


def _may_stand_inside(token: Any, form: str, rest: list[str]) -> bool:
    """Whether a word may be part of a noun phrase of which `rest` is still to come."""
    if form in words("punctuation", "predicate_certain") or form in ("了", "着", "过", "吗", "呢"):
        return "的" in rest
    if (
        form in ("以", "在", "从", "由", "将", "把", "对", "向", "为", "于", "给", "比", "像", "如")
        and "的" not in rest
    ):
        return False
    if form in ("把", "被", "地") or token.dep_ in ("aux:pass", "mark:adv"):
        return False
    if token.pos_ in ("VERB", "AUX", "ADV") and "的" not in rest:
        return token.pos_ == "VERB" and token.dep_ in _INNER | _SUBJECT
    return not (token.is_punct and form not in ("、", "·", "・", "-", "–", "—", "•")) and not token.is_space


def _predicate_follows(doc: Any, token: Any, end: int, segment: Segment) -> bool:
    following = doc[end]
    form = simplified(following.text)
    if form in ("的", "之", "等", "、") or following.is_punct:
        return False
    if attributive_behind(doc, end, segment):
        return False
    if form in words("punctuation", "predicate"):
        return not (
            form in ("为", "以", "在", "对", "有", "将", "可", "要", "多", "共")
            and following.dep_ in _INNER - {"case", "acl:relcl"}
        )
    if following.pos_ not in ("VERB", "AUX", "ADJ", "ADV"):
        return False
    if len(form) == 1 and form not in words("punctuation", "one_character"):
        return False
    behind = simplified(doc[end + 1].text) if end + 1 < segment.end else ""
    if behind in ("是", "的", "之") or (form in ("说", "道") and simplified(doc[end - 1].text)[-1] in "问答说喊叫"):
        return False  # `基因组 | 进化是`, `袁隗问 | 说`
    # a verb that the noun phrase might swallow: `研究 所`, `发展 迅速 的 …`
    if following.dep_ in _INNER or following.dep_ in _SUBJECT:
        return False
    return following.i == token.head.i or following.head.i == token.head.i or token.head in following.ancestors
