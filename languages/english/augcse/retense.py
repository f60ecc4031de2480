"""How does one clause get into another tense? Its finite verb is re-inflected; *will* and *do* come and go with their words."""

from __future__ import annotations

from typing import Any, Literal

from harness.protocols import Change
from languages.english.grammar import labels
from languages.english.grammar.changes import behind, delete, gap, like, loud, replace
from languages.english.grammar.clauses import Clause, subject_is_plural
from languages.english.grammar.verbs import BE, DO, inflect, known_form, lemma

Tense = Literal["past", "present", "future"]
#: first person, plural (and you), third person singular
Person = Literal["I", "plural", "singular"]

_NOT = {"not", "n't", "n’t"}
_NT = {"n't", "n’t"}
#: adverbs that stand between `will` and `be`
_MIDDLE = {"also", "always", "often", "never", "still", "usually", "sometimes", "generally", "probably", "now", "not",
           "currently", "typically", "mainly", "mostly", "primarily", "only", "just", "already", "commonly", "widely",
           "frequently"}  # fmt: skip
#: *would* and *could* are more than past forms
_OF_MODALS: dict[str, Tense] = {
    "will": "future", "shall": "future", "'ll": "future", "’ll": "future", "wo": "future", "sha": "future", "can": "present",
    "ca": "present",
}  # fmt: skip
#: subjects whose number the words behind them decide
_OPEN = {"most", "some", "all", "half", "none", "any", "more", "rest", "majority", "number", "percent", "%", "lot", "what",
         "which", "who", "that", "there", "variety", "couple", "range", "minority"}  # fmt: skip


def tense_of(clause: Clause) -> Tense | None:
    """Return the tense of a clause; None for commands, `used to`, and modals other than *will*, *shall* and *can*."""
    if clause.mood == "imperative" or clause.finite.lower_ == "ai" or _in_name(clause.finite):
        return None
    if clause.tag == "MD":
        return _OF_MODALS.get(clause.finite.lower_)
    following = clause.doc[clause.finite.i + 1 : clause.finite.i + 2]
    if clause.finite.lower_ == "used" and len(following) and following[0].lower_ == "to":
        return None
    return "past" if clause.tag == "VBD" else "present"


def _in_name(verb: Any) -> bool:
    """`Rio Grande do Sul`."""
    beside = [verb.doc[i].text[:1] for i in (verb.i - 1, verb.i + 1) if 0 <= i < len(verb.doc)]
    return (
        verb.lower_ in DO
        and len(beside) == 2
        and all(letter.isupper() for letter in beside)
        and verb.nbor().lower_ != "i"
    )


def person_of(clause: Clause) -> Person | None:
    """Return how the finite verb agrees; None where neither its form nor the subject tells."""
    subject = clause.subject
    if subject is not None and subject.lower_ == "i" and not any(c.dep_ == "conj" for c in subject.children):
        return "I"
    if clause.tag in ("VBZ", "VBP") or clause.finite.lower_ in ("was", "were"):
        return "plural" if clause.plural else "singular"
    if subject is None or subject.lower_ in _OPEN or subject.tag_ in ("CD", "JJ", "JJS", "JJR", "FW", "DT"):
        return None
    return "plural" if subject_is_plural(subject) else "singular"


def retensed(clause: Clause, now: Tense, target: Tense, *, joined: bool = False) -> list[Change] | None:
    """Return the changes that put a clause into `target`, None if it cannot be done.

    joined  the clause shares the *will* and the subject of one in front of it
    """
    person = person_of(clause)
    if person is None and target != "future":
        return None
    if now == "future":
        return None if joined else _out_of_future(clause, target, person)
    if clause.tag == "MD":
        return _of_can(clause, target)
    if not known_form(clause.finite.text, clause.tag):
        return None
    if target == "future":
        return _into_future(clause, joined=joined)
    return [replace(clause.finite.i, _cased(clause.finite, _form(_base(clause), target, person)))]


def _base(clause: Clause) -> str:
    return "have" if clause.finite.lower_ in ("'ve", "’ve") else clause.lemma


def _form(base: str, target: Tense, person: Person | None) -> str:
    if target == "past":
        return inflect(base, "VBD", plural=person == "plural")
    if base == "be" and person == "I":
        return "am"
    return inflect(base, "VBZ" if person == "singular" else "VBP")


def _cased(token: Any, word: str) -> str:
    return gap(token) + (word if token.text[:1] in "'’" else like(token.text, word))


def _not_of(clause: Clause) -> Any | None:
    """The `not` of the clause, behind its finite verb."""
    subject_end = clause.subject.right_edge.i if clause.subject is not None else 0
    behind_verb = clause.doc[clause.finite.i + 1 : clause.finite.i + 4]
    found = [t for t in behind_verb if t.lower_ in _NOT and (t.i == clause.finite.i + 1 or t.i == subject_end + 1)]
    return found[0] if found and found[0].i <= max(v.i for v in (*clause.verbs, clause.head)) else None


def _asks(clause: Clause) -> bool:
    return clause.subject is not None and clause.subject.i > clause.finite.i and clause.is_auxiliary


# -- into the future --------------------------------------------------------------------------------------------------
def _into_future(clause: Clause, *, joined: bool) -> list[Change] | None:
    verb, base = clause.finite, _base(clause)
    no = _not_of(clause)
    if not clause.is_auxiliary or (base == "have" and verb.i == clause.main_verb.i):
        if no is not None or _asks(clause):
            return None  # `I hope not`, `Have you a pen?`
        if joined:
            return [replace(verb.i, base)]
        return _will_in_front(verb, base)
    if joined:
        return [replace(verb.i, gap(verb) + base)] if no is None else None
    will = "wo" if no is not None and no.lower_ in _NT else "will"
    if base == "do":
        return [replace(verb.i, like(verb.text, will))]
    if base == "be" and no is not None and no.lower_ in _NT and verb.lower_ == "ai":
        return None
    place = _place(clause, no)
    if place == verb.i:
        return [replace(verb.i, _cased(verb, f"{loud(verb.text, will)} {base}"))]
    return [replace(verb.i, _cased(verb, will)), behind(place, loud(verb.text, base))]


def _place(clause: Clause, no: Any | None) -> int:
    """The token behind which `be` or `have` goes: the verb, or the subject, negation and adverbs behind it."""
    place = clause.finite.i
    if _asks(clause) and clause.subject is not None:
        place = clause.subject.right_edge.i
    if no is not None:
        place = max(place, no.i)
    doc = clause.doc
    while place + 1 < len(doc) and doc[place + 1].lower_ in _MIDDLE and doc[place + 1].pos_ in ("ADV", "PART"):
        if place + 2 >= len(doc) or not doc[place + 2].text[:1].isalnum():
            break
        place += 1
    return place


def _will_in_front(verb: Any, base: str) -> list[Change]:
    """`often went` → `will often go`."""
    first = verb.i
    while first and _is_middle(verb.doc[first - 1], verb):
        first -= 1
    if first == verb.i:
        return [replace(verb.i, like(verb.text, "will") + f" {loud(verb.text, base)}")]
    adverb = verb.doc[first]
    return [
        replace(first, like(adverb.text, f"will {adverb.text}") if first else f"Will {adverb.lower_}"),
        replace(verb.i, base),
    ]


def _is_middle(token: Any, verb: Any) -> bool:
    adverb = token.tag_ == "RB" and token.dep_ in ("advmod", "neg") and token.head.i in (verb.i, verb.head.i)
    return adverb and bool(token.whitespace_) and token.i > verb.sent.start and not any(True for _ in token.children)


# -- out of the future ------------------------------------------------------------------------------------------------
def _out_of_future(clause: Clause, target: Tense, person: Person | None) -> list[Change] | None:
    will, no = clause.finite, _not_of(clause)
    verbs = [v for v in clause.verbs if v.i > will.i]
    if not verbs or verbs[0].tag_ not in ("VB", "VBP", "VBN", "VBD"):
        return None
    second = verbs[0]
    auxiliary = second.lower_ == "be" or (second.lower_ == "have" and len(verbs) > 1)
    end = will.i + 1
    if auxiliary or no is not None or _asks(clause):
        word = _form(second.lower_ if auxiliary else "do", target, person)
        if no is not None and no.lower_ in _NT and word == "am":
            word, end = "am not", no.i + 1
        changes = [replace(will.i, _cased(will, loud(will.text, word)), end)]
        if auxiliary:
            changes.append(delete(second.i))
    else:
        base = lemma(second.text, "VB")
        changes = [delete(will.i), replace(second.i, loud(second.text, _form(base, target, person)))]
        if will.text[:1].isupper():
            return None
    if not auxiliary and (no is not None or _asks(clause)):
        return changes  # the verbs behind `did` stay as they are
    return changes + _joined(clause, target, person)


def _joined(clause: Clause, target: Tense, person: Person | None) -> list[Change]:
    """The infinitives that share the *will*: `will go home and sleep`."""
    heads = [c for c in clause.head.children if c.dep_ == "conj" and c.tag_ == "VB" and c.i > clause.finite.i]
    changes = []
    for verb in heads:
        own = [c for c in verb.children if c.dep_ in labels.AUXILIARY | labels.SUBJECT | {"mark", "cop"}]
        if not own:
            changes.append(replace(verb.i, _form(lemma(verb.text, "VB"), target, person)))
    return changes


def _of_can(clause: Clause, target: Tense) -> list[Change] | None:
    can, no = clause.finite, _not_of(clause)
    if target == "past":
        if no is not None and no.i == can.i + 1 and not can.whitespace_ and no.lower_ == "not":
            return [replace(can.i, like(can.text, "could not"), no.i + 1)]
        return [replace(can.i, like(can.text, "could"))]
    if target != "future" or clause.lemma != "can" or len(clause.verbs) > 2 or clause.verbs[-1].lower_ in BE | DO:
        return None
    if no is None and not _asks(clause):
        return [replace(can.i, like(can.text, "will") + " " + loud(can.text, "be able to"))]
    return None
