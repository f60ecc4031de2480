"""Put one negation into a clause: *is* → *is not*, *travelled* → *did not travel*, *there is a* → *there is no*."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change
from languages.english.grammar.changes import before, behind, delete, gap, like, loud, replace
from languages.english.grammar.clauses import Clause, had_better, span
from languages.english.grammar.fragments import small_first
from languages.english.grammar.sentences import shared_verbs
from languages.english.grammar.verbs import known_form, lemma, lexicon

#: finite forms that cannot take n't, or only with another spelling
_NO_CONTRACTION = {
    "am",
    "may",
    "might",
    "shall",
    "ought",
    "'s",
    "’s",
    "'re",
    "’re",
    "'m",
    "’m",
    "'d",
    "’d",
    "dare",
    "need",
}
_IRREGULAR = {"will": "won't", "can": "can't", "'ve": " haven't", "’ve": " haven't", "'ll": " won't", "’ll": " won't"}
_LONG = {"'ve": " have not", "’ve": " have not", "'ll": " will not", "’ll": " will not", "can": "cannot"}
_PERSONAL = {"i", "you", "he", "she", "it", "we", "they", "there", "this", "that"}


def deny(clause: Clause, rng: random.Random) -> list[Change] | None:
    """Return the changes that negate a positive clause once, None if its frame is not one of those known here."""
    short = rng.random() < 0.5
    if clause.mood == "imperative":
        return _imperative(clause, short)
    if (better := had_better(clause)) is not None:
        return [delete(better + 1)] if clause.doc[better + 1].lower_ == "not" else [behind(better, "not")]
    if _not_only(clause):
        return None
    if clause.mood == "question":
        return _question(clause, short)
    if clause.mood == "inverted" or (clause.subject is None and clause.head.left_edge.pos_ == "ADP"):
        return None  # `In the garden stands a tree`, whose subject parsers often take for an object
    if clause.is_auxiliary:
        return _no(clause, rng) or _auxiliary(clause, short)
    return _do_support(clause, short)


def _not_only(clause: Clause) -> bool:
    """Whether `not` would come to stand by `only` or a `not` that denies nothing (`is not only`), or in `few … not`."""
    finite = clause.finite
    beside = clause.doc[max(finite.i - 1, 0) : finite.i + 2]
    if any(t.lower_ in ("only", "merely", "solely") for t in beside):
        return True
    if clause.subject is not None and clause.subject.left_edge.lower_ in ("few", "little"):
        return True
    owners = (clause.head.i, finite.i)
    return any(t.lower_ in ("not", "n't", "n’t") and (t.head.i in owners or t.i == finite.i + 1) for t in clause.doc)


def _auxiliary(clause: Clause, short: bool) -> list[Change]:
    finite = clause.finite
    where = finite.i
    adverb = _sentence_adverb_behind(clause, finite)
    low = finite.lower_
    if adverb is not None:
        # is also not: no contraction over a distance
        return [behind(adverb, loud(finite.text, "not")), *_under(clause)]
    if low in _LONG and (low == "can" or low[0] in "'’"):
        form = _IRREGULAR[low] if short else _LONG[low]
        return [replace(where, like(finite.text, form)), *_under(clause)]
    if short and low not in _NO_CONTRACTION:
        own = _IRREGULAR.get(low)
        contracted = (
            replace(where, like(finite.text, own)) if own else behind(where, loud(finite.text, "n't"), glued=True)
        )
        return [contracted, *_under(clause)]
    return [behind(where, loud(finite.text, "not")), *_under(clause)]


def _sentence_adverb_behind(clause: Clause, finite: Any) -> int | None:
    """The index of an adverb right behind the finite verb that keeps its place before `not`."""
    words = lexicon("negation")["adverbs"]["before_not"]
    index = finite.i + 1
    last = None
    if clause.tag == "MD":
        words = [*words, "rather"]  # would rather not
    while (
        index < len(clause.doc)
        and clause.doc[index].lower_ in words
        and clause.doc[index].pos_ in ("ADV", "PRON", "DET")
    ):
        last = index
        index += 1
    return last


def _do_support(clause: Clause, short: bool) -> list[Change] | None:
    finite = clause.finite
    if not known_form(finite.text, clause.tag) or finite.lower_ == "lay":
        return None  # a slip of the pen (`receivedf`)
    base = loud(finite.text, lemma(finite.text, clause.tag))
    auxiliary = "did" if clause.tag == "VBD" else "do" if clause.plural else "does"
    if clause.subject is None and finite.dep_ in ("ROOT", "root"):
        if finite.i != clause.head.left_edge.i:
            return None  # something stands in front that is no subject (`In the garden stands a tree`)
        # a sentence without subject (`Lives in Paris.`): the auxiliary opens it
        auxiliary = like(finite.text, auxiliary)
    denied = loud(finite.text, auxiliary + ("n't" if short else " not"))
    place = _adverbs_in_front(clause, finite)
    if finite.lower_ in ("do", "does", "did") and (finite.i + 1 == len(clause.doc) or finite.nbor().is_punct):
        return [replace(finite.i, denied)]  # `Yes, he did.`
    if place == finite.i:
        changes = [replace(finite.i, f"{gap(finite)}{denied} {base}")]
    else:
        changes = [before(clause.doc, place, denied), replace(finite.i, base)]
    changes += _shared(clause)
    taken = {i for c in changes for i in range(c.start, c.end)}
    return changes + [c for c in _under(clause) if c.start not in taken]


def _adverbs_in_front(clause: Clause, finite: Any) -> int:
    """Return where `did not` goes: in front of the adverbs right before the verb that it may precede."""
    words = lexicon("negation")["adverbs"]["before_not"]
    place = finite.i
    edge = span(clause.subject)[1] if clause.subject is not None and clause.subject.i < finite.i else finite.i
    while place > edge:
        token = clause.doc[place - 1]
        owned = token.head.i == clause.head.i or place <= token.head.i < finite.i  # `very` often
        if token.pos_ != "ADV" or not owned or token.lower_ in words or token.is_punct:
            break
        if token.lower_ in ("who", "which", "that", "when", "where", "how", "why"):
            break
        place -= 1
    return place


def _shared(clause: Clause) -> list[Change]:
    """`travelled and wrote` → `did not travel or write`: verbs under the same `did` lose their ending."""
    verbs = shared_verbs(clause)
    if not verbs or any(tag == "MD" for _, tag in verbs):
        return []
    changes = []
    for verb, tag in verbs:
        if verb.lower_ in ("was", "were", "is", "are", "had", "has", "have", "did", "does") and _has_group(verb):
            return []
        changes.append(replace(verb.i, like(verb.text, lemma(verb.text, tag))))
    for verb, _ in verbs:
        for child in verb.children:
            if child.dep_ == "cc":
                if child.lower_ == "and":
                    changes.append(replace(child.i, like(child.text, "or")))
                elif child.lower_ != "or":
                    return []
    in_front = [t for t in clause.doc[clause.finite.i : verbs[-1][0].i] if t.dep_ == "cc"]
    done = {c.start for c in changes}
    heads = {verb.i for verb, _ in verbs} | {clause.head.i}
    for token in in_front:
        if token.i not in done and token.lower_ == "and" and token.head.i in heads:
            changes.append(replace(token.i, like(token.text, "or")))
    return changes


def _has_group(verb: Any) -> bool:
    return bool(verb.dep_ in ("aux", "aux:pass", "auxpass", "cop"))


def _no(clause: Clause, rng: random.Random) -> list[Change] | None:
    """`There is a church` → `There is no church`."""
    subject = clause.subject
    if subject is None or subject.lower_ != "there" or clause.lemma != "be" or clause.finite.i + 1 >= len(clause.doc):
        return None
    index = clause.finite.i + 1
    while index + 1 < len(clause.doc) and clause.doc[index].lower_ in lexicon("negation")["adverbs"]["before_not"]:
        index += 1
    following = clause.doc[index]
    if following.lower_ in ("a", "an", "some") and rng.random() < 0.8:
        return [replace(following.i, "no")]
    noun = following
    while noun.tag_ in ("JJ", "VBN") and noun.i + 1 < len(clause.doc):
        noun = noun.nbor()
    if noun.tag_ == "NNS" and noun.pos_ == "NOUN":
        return [before(clause.doc, following.i, "no")]
    return None


def _question(clause: Clause, short: bool) -> list[Change] | None:
    finite, subject = clause.finite, clause.subject
    low = finite.lower_
    pronoun = subject is not None and subject.i == finite.i + 1 and subject.lower_ in _PERSONAL
    if low in ("'s", "’s", "'re", "’re") and not pronoun:
        full = "are" if low.endswith("re") else "has" if clause.lemma == "have" else "is"
        return [replace(finite.i, f" {full}n't" if short else f" {full} not")]
    contraction = low not in _NO_CONTRACTION and low[:1] not in "'’"
    if contraction and (short or not pronoun):
        form = _IRREGULAR.get(low)
        return [
            replace(finite.i, like(finite.text, form))
            if form
            else behind(finite.i, loud(finite.text, "n't"), glued=True)
        ]
    if subject is None:
        return None
    return [behind(span(subject)[1] - 1, loud(finite.text, "not"))]


def _imperative(clause: Clause, short: bool) -> list[Change] | None:
    verb = clause.finite
    denied = "Don't" if short else "Do not"
    if verb.lower_ == "let" and verb.i + 1 < len(clause.doc) and clause.doc[verb.i + 1].lower_ in ("'s", "’s"):
        return [behind(verb.i + 1, "not")]
    if verb.lower_ == "do" and clause.main_verb.i != verb.i:
        return [behind(verb.i, "not")]
    return [replace(verb.i, f"{like(verb.text, denied.lower())} {_plain(verb)}"), *_under(clause)]


def _plain(verb: Any) -> str:
    text: str = verb.text
    return text if len(text) > 1 and text.isupper() else text.lower()


def _under(clause: Clause) -> list[Change]:
    """*some* → *any* on the object of a negated verb."""
    words = lexicon("negation")["under"]
    changes = []
    for token in clause.doc[clause.finite.i + 1 : clause.head.right_edge.i + 1]:
        if token.lower_ in words and token.dep_ in ("det", "obj", "dobj", "nsubj"):
            noun = token.head if token.dep_ == "det" else token
            if noun.head.i == clause.head.i and noun.dep_ in ("obj", "dobj"):
                changes.append(replace(token.i, like(token.text, words[token.lower_])))
    return changes


def deny_fragment(doc: Any, start: int, head: Any | None) -> list[Change]:
    """`Not` in front of a phrase that has no clause, `No` in front of a bare common noun; its first word loses its capital.

    `head` is the ROOT of the phrase.
    """
    word = "No" if head is not None and _is_bare_noun(doc, start, head) else "Not"
    first = doc[start]
    if doc.text.isupper() and sum(t.is_alpha for t in doc) > 1:
        word = word.upper()
    small = small_first(doc, start)
    changes = [before(doc, start, word if _opens(doc, start) else word.lower())]
    return changes + ([replace(start, small)] if small != first.text else [])


def _is_bare_noun(doc: Any, start: int, head: Any) -> bool:
    """Tell whether a phrase is a common noun, perhaps with adjectives, that lacks an article (`List of web awards`)."""
    if head.pos_ != "NOUN" or head.left_edge.i != start or doc[start].pos_ not in ("NOUN", "ADJ"):
        return False
    return not any(c.dep_ in _DETERMINED for c in head.children) and doc[start].tag_ not in ("CD", "JJS", "NNP")


_DETERMINED = {"det", "nummod", "nmod:poss", "poss", "nsubj", "case", "cop"}


def _opens(doc: Any, start: int) -> bool:
    return doc[start].text[:1].isupper() or not any(t.is_alpha for t in doc[:start])


def deny_participle(doc: Any, head: Any) -> list[Change] | None:
    """`A man playing guitar` → `A man not playing guitar`: a caption's participle right behind its noun."""
    for child in head.children:
        if child.dep_ != "acl" or child.tag_ not in ("VBG", "VBN") or child.i < head.i:
            continue
        if not any(c.dep_ in ("aux", "aux:pass", "auxpass", "neg") or c.tag_ == "TO" for c in child.children):
            return [before(doc, child.i, "not")]
    return None
