"""A modal into a declarative clause: *is* → *must be*, *travelled* → *must have travelled*, *does not go* → *must not go*."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change
from languages.english.grammar.changes import before, behind, gap, like, loud, replace
from languages.english.grammar.clauses import Clause, had_better, span
from languages.english.grammar.sentences import shared_verbs
from languages.english.grammar.verbs import known_form, lemma, lexicon, participle
from languages.english.modality.phrases import past_phrase, people_act, present_phrase
from languages.english.polarity.negators import negator_of

_AFTER_MODAL = {"not", "never", "always", "often", "frequently", "rarely", "seldom", "only", "long", "ever", "yet", "hardly",
                "barely", "scarcely", "no", "longer"}  # fmt: skip


class Unsafe(Exception):
    """The clause is coordinated in a way whose verb forms cannot be put right with confidence."""


def modal_into(clause: Clause, rng: random.Random) -> list[Change] | None:
    """Return the changes that give a clause without modal one, None if its frame is not known here.

    Raises Unsafe where verbs coordinated with the clause would be left in the wrong form.
    """
    finite, doc = clause.finite, clause.doc
    past = clause.tag == "VBD"
    if had_better(clause) is not None:
        return None
    if _hedged(clause):
        return None
    if not clause.is_auxiliary and (not known_form(finite.text, clause.tag) or finite.lower_ == "lay"):
        raise Unsafe  # a slip of the pen, or a verb in no dictionary
    contracted = finite.i + 1 < len(doc) and doc[finite.i + 1].lower_ in ("n't", "n’t")
    negator = negator_of(clause)
    if past:
        crowded = _adverbs_in_front(clause) != finite.i or _adverb_behind(clause) is not None
        plain = negator is not None or clause.asks or crowded
        phrase, perfect = past_phrase(clause, rng, plain=plain)
    else:
        denied = negator is not None and negator.kind in ("not", "never")
        plain = _adverbs_in_front(clause) != finite.i  # `cannot but often travel`
        if _reads_as_a_duty(clause, denied=negator is not None, crowded=plain) and (plain or rng.random() < 0.5):
            raise Unsafe  # behind a template instead
        phrase, perfect = present_phrase(clause, rng, negated=denied, plain=plain), False
    if negator is not None and negator.kind in ("pronoun", "determiner", "neither", "quantifier"):
        phrase, perfect = "must", past  # `nobody must certainly` would be two claims
    auxiliary = clause.is_auxiliary
    changes = _auxiliary(clause, phrase, perfect, contracted) if auxiliary else _lexical(clause, phrase, perfect)
    if changes is None:
        return None
    shared = _shared(clause, perfect=perfect)
    if negator is not None and negator.kind in ("not", "never") and shared_verbs(clause):
        raise Unsafe  # `did not succeed and was abandoned`: the modal would deny both
    if negator is not None and negator.kind == "neither" and negator.token.i == finite.i - 1:
        raise Unsafe  # `neither drinks nor smokes`
    return changes + shared


def _reads_as_a_duty(clause: Clause, *, denied: bool, crowded: bool) -> bool:
    """`The film stars X`, `it slowly changes`, `there is no division`: in the present a modal seems to demand it."""
    if clause.head.dep_ not in ("ROOT", "root") or clause.mood != "declarative" or clause.asks:
        return False
    if clause.subject is not None and clause.subject.lower_ == "there":
        return denied
    doing = clause.lemma != "be" or clause.main_verb.i != clause.finite.i
    return doing and not people_act(clause) and (crowded or not denied)


def _hedged(clause: Clause) -> bool:
    """`He apparently left`: certainty would contradict the hedge."""
    words = lexicon("modals")["hedges"]
    return any(t.lower_ in words for t in clause.doc[max(clause.finite.i - 2, 0) : clause.main_verb.i + 2])


def _auxiliary(clause: Clause, phrase: str, perfect: bool, contracted: bool) -> list[Change] | None:
    finite, base = clause.finite, clause.lemma
    if base == "do":
        verb = clause.main_verb
        if verb.i < finite.i:
            return None
        form = f"have {participle(verb.text, 'VB')}" if perfect else verb.text
        head = _modal(finite, f"{phrase} not" if contracted else phrase, 2 if contracted else 1)
        return [head] if form == verb.text else [head, replace(verb.i, form)]
    be = "have been" if perfect else "be"
    second = "have" if base == "have" else be  # has gone, had gone -> must have gone
    if base not in ("be", "have"):
        return None
    if not perfect and base == "have" and clause.tag == "VBD":
        return None
    if contracted:
        return [_modal(finite, f"{phrase} not {second}", 2)]
    place = _adverb_behind(clause)
    if place is None:
        return [_modal(finite, f"{phrase} {second}")]
    return [_modal(finite, phrase), behind(place, loud(finite.text, second))]


def _modal(finite: Any, words: str, count: int = 1) -> Change:
    """Put words in the place of the finite verb; a contraction (`'s`) needs a blank in front."""
    glued = finite.i > 0 and not finite.nbor(-1).whitespace_ and finite.text[:1] in "'’"
    return replace(finite.i, f" {words}" if glued else like(finite.text, words), finite.i + count)


def _adverb_behind(clause: Clause) -> int | None:
    """The last of the adverbs right behind the auxiliary that go between the modal and `be` or `have`."""
    words = _between()
    index, last = clause.finite.i + 1, None
    while index < clause.head.right_edge.i and clause.doc[index].lower_ in words:
        if clause.doc[index].pos_ not in ("ADV", "PART", "PRON", "DET"):
            break
        if clause.doc[index].lower_ == "no" and clause.doc[index + 1].lower_ != "longer":
            break
        last = index
        index += 1
    return last


def _lexical(clause: Clause, phrase: str, perfect: bool) -> list[Change] | None:
    finite, doc = clause.finite, clause.doc
    base = lemma(finite.text, clause.tag)
    following = doc[finite.i + 1] if finite.i + 1 < len(doc) else None
    if following is not None and following.lower_ in ("not", "n't", "n’t"):
        return None  # No, I don't
    if base == "do" and (following is None or following.is_punct):
        return None  # Yes, he did
    if following is not None and following.tag_ == "TO" and base in ("have", "use"):
        return _to_phrase(clause, base)
    form = f"have {participle(finite.text, clause.tag)}" if perfect else base
    place = _adverbs_in_front(clause)
    if place == finite.i:
        words = f"{gap(finite)}{phrase} {form}"
        return [replace(finite.i, like(finite.text, words) if finite.i == 0 else loud(finite.text, words))]
    if perfect and not any(t.lower_ in _between() for t in doc[place : finite.i]):
        # a manner adverb stays by its verb: must have clearly stated
        verb = replace(finite.i, loud(finite.text, participle(finite.text, clause.tag)))
        return [before(doc, place, loud(finite.text, f"{phrase} have")), verb]
    return [before(doc, place, loud(finite.text, phrase)), replace(finite.i, loud(finite.text, form))]


def _between() -> set[str]:
    """The adverbs that stand between a modal and `have` or `be`."""
    return {*lexicon("negation")["adverbs"]["before_not"], *_AFTER_MODAL}


def _to_phrase(clause: Clause, base: str) -> list[Change] | None:
    """*has to go* → *must go*, *had to go* → *must have had to go*, *used to go* → *must once have gone*."""
    finite, doc = clause.finite, clause.doc
    if base == "have":
        if clause.tag == "VBD":
            return [replace(finite.i, "must have had")]
        return [replace(finite.i, "must", finite.i + 2)]
    verb = doc[finite.i + 2] if finite.i + 2 < len(doc) else None
    if verb is None or verb.tag_ != "VB" or finite.lower_ != "used":
        return None
    return [replace(finite.i, "must once have", finite.i + 2), replace(verb.i, participle(verb.text, "VB"))]


def _adverbs_in_front(clause: Clause) -> int:
    """Where the modal goes: in front of adverbs between subject and verb (`He often travels` → `He must often travel`)."""
    place = clause.finite.i
    if clause.is_auxiliary or clause.subject is None or clause.subject.i > place:
        return place
    edge = span(clause.subject)[1]
    while place > edge:
        token = clause.doc[place - 1]
        owned = token.head.i == clause.head.i or place <= token.head.i < clause.finite.i  # `very` often, `no` longer
        if not owned or (token.pos_ != "ADV" and token.lower_ != "no"):
            break
        if token.lower_ in ("who", "which", "that", "when", "where"):
            break
        place -= 1
    return place


def _shared(clause: Clause, *, perfect: bool) -> list[Change]:
    """Verbs coordinated under the modal follow its form: *must have travelled and written*, *must travel and write*."""
    changes = []
    shared = shared_verbs(clause)
    if shared is None:
        raise Unsafe
    for verb, tag in shared:
        low = verb.lower_
        following = verb.nbor().lower_ if verb.i + 1 < len(verb.doc) else ""
        if tag == "MD" or (low in ("do", "does", "did") and verb.dep_ == "aux") or following in ("n't", "n’t"):
            raise Unsafe
        if low[:1] in "'’":
            raise Unsafe
        form = participle(verb.text, tag) if perfect else lemma(verb.text, tag)
        if form != low:
            changes.append(replace(verb.i, like(verb.text, form)))
    return changes
