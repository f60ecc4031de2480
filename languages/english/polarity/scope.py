"""Would one `not` at the verb deny just the proposition? What makes its reach unclear, so that a template is clearer."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from languages.english.grammar import labels
from languages.english.grammar.changes import NUMBERS, lowered
from languages.english.grammar.clauses import Clause, clause_of, span
from languages.english.grammar.sentences import shared_verbs
from languages.english.grammar.verbs import lexicon
from languages.english.polarity.negators import negator_of


def quantified_subject(clause: Clause, *, numerals: bool = True) -> bool:
    """`Many officers were not sent`: many officers, or not many? Numerals count too unless told otherwise."""
    words = lexicon("scope")
    if clause.subject is None or clause.subject.i > clause.finite.i:
        return False
    start, end = span(clause.subject)
    subject = clause.doc[start:end]
    if clause.doc[clause.head.sent.start].lower_ in words["quantifiers"]:
        return True
    indefinite = any(t.lower_ in ("a", "an") and t.head.i == clause.subject.i for t in subject)
    if numerals and indefinite and clause.main_verb.i != clause.finite.i:
        return True  # `A dam was not built`: there was none, or one was not?
    if any(t.lower_ in words["quantifiers"] for t in subject[:4]) or clause.subject.lower_ in words["quantity_nouns"]:
        return True
    return numerals and (
        any(t.dep_ == "nummod" and t.head.i == clause.subject.i and t.i < clause.subject.i for t in subject)
        or lowered(subject[0]) in NUMBERS
        or any(t.tag_ == "CD" and t.i <= clause.subject.i for t in subject)
    )


def joined_predicates(clause: Clause) -> list[Clause]:
    """Return the finite clauses coordinated with a clause that share its subject, in text order."""
    found = []
    queue = [c for c in clause.head.children if c.dep_ in labels.CONJUNCT]
    while queue:
        conjunct = queue.pop(0)
        queue.extend(c for c in conjunct.children if c.dep_ in labels.CONJUNCT)
        other = clause_of(conjunct)
        if other is not None and other.subject is None and other.mood == "declarative":
            found.append(other)
    # verbs that the parser hung on an object (`runs a shop and writes books`)
    known = {clause.finite.i, *(c.finite.i for c in found)}
    for verb, _ in shared_verbs(clause) or []:
        if verb.i not in known and (other := clause_of(verb)) is not None:
            found.append(other)
    return sorted(found, key=lambda c: c.finite.i)


def under_one_verb(clause: Clause, joined: list[Clause]) -> bool:
    """`did not travel or write`: one lexical verb joined by a plain `and`, of the same tense, goes under the same `did`."""
    if not joined:
        return True
    shared = shared_verbs(clause)
    if not shared or len(joined) != 1 or clause.is_auxiliary or joined[0].is_auxiliary or len(shared) != 1:
        return False
    index = shared[0][0].i
    return index > 0 and clause.doc[index - 1].lower_ in ("and", "or")


def trailing_comment(clause: Clause) -> bool:
    """A participle or reason behind the clause that takes its truth for granted (`won the race, becoming …`)."""
    words = lexicon("scope")
    doc, end = clause.doc, clause.head.sent.end
    for token in doc[clause.finite.i + 1 : end]:
        if token.lower_ in words["reasons"] and token.i > clause.main_verb.i:
            return True
        if token.dep_ in ("advcl", "acl") and token.tag_ == "VBG" and token.i > clause.head.i:
            start = token.left_edge.i
            if start > 0 and doc[start - 1].text == ",":
                return True
        if token.text == "," and token.i + 1 < end and token.nbor().lower_ == "with":
            return True
        behind = doc[token.i + 1 : min(token.i + 3, end)]
        if (
            token.text == ","
            and token.i > clause.main_verb.i
            and any(t.tag_ == "VBG" and t.pos_ == "VERB" for t in behind)
        ):
            return True
    return False


def joined_phrases(clause: Clause) -> bool:
    """`is an engineer and currently a writer`, `won a title, and a cup`: the second phrase may escape the negation."""
    doc = clause.doc
    for token in doc[clause.finite.i + 1 : clause.head.sent.end]:
        if (
            token.lower_ == "as"
            and token.i + 2 < len(doc)
            and token.nbor().lower_ == "well"
            and token.nbor(2).lower_ == "as"
        ):
            return True
        if token.dep_ != "cc" or token.i + 1 >= len(doc) or not _in_own_clause(token, clause):
            continue
        if token.nbor(-1).text == "," or token.nbor().pos_ == "ADV" or token.nbor().lower_ in ("a", "an", "one", "two"):
            return True
        # the predicate itself is coordinated (UD: below the head, ClearNLP: below the attribute)
        if token.head.head.i == clause.head.i and clause.lemma == "be" and token.head.dep_ == "conj":
            return True
    return False


def _in_own_clause(token: Any, clause: Clause) -> bool:
    """Whether a coordination stands in the clause itself: not in a clause below it, not between whole clauses."""
    for above in (token, *token.ancestors):
        if above.i == clause.head.i:
            return True
        if above.dep_ in labels.CLAUSE:
            return False
        if above.dep_ == "conj" and clause_of(above) is not None:
            return False
    return False


def focus_adverb(clause: Clause) -> bool:
    """`almost`, `mostly`, `unsuccessfully`, `automatically` by the verb: the negation would deny the adverb."""
    words = lexicon("scope")["focus"]
    owners = {clause.head.i, *(v.i for v in clause.verbs)}
    for token in clause.doc[max(clause.finite.i - 2, 0) : clause.main_verb.i + 3]:
        manner = token.lower_.endswith("ly") and token.pos_ == "ADV" and token.head.i in owners
        if token.lower_ in words or (manner and (token.i < clause.main_verb.i or token.lower_.startswith("un"))):
            return True
    return False


def infinitive_predicate(clause: Clause) -> bool:
    """`The plan was to wait`: `was not to wait` says that nobody was to."""
    index = clause.finite.i + 1
    return clause.lemma == "be" and index < len(clause.doc) and clause.doc[index].tag_ == "TO"


def contrast_behind(clause: Clause) -> bool:
    """`consisted of music, not speech`: a second negation stands behind the clause."""
    tokens = clause.doc[clause.finite.i + 1 : clause.head.sent.end]
    return any(a.text in (",", "–", "—", "-") and b.lower_ in ("not", "never") for a, b in pairwise(tokens))


def concession_in_front(clause: Clause) -> bool:
    """`Although it was late, …`: a flipped main clause no longer contrasts with it."""
    return any(
        t.lower_ in ("although", "though", "despite") for t in clause.doc[clause.head.sent.start : clause.finite.i]
    )


def joined_clause(clause: Clause) -> bool:
    """Whether a clause with a subject of its own is coordinated: a template would seem to deny it too."""
    for child in clause.head.children:
        if child.dep_ in ("conj", "parataxis") and child.i > clause.finite.i:
            other = clause_of(child)
            if other is not None and other.subject is not None:
                return True
    return False


def sentence_adverb(clause: Clause) -> bool:
    """`also`, `finally` by the verb: it would stand over one of two negations."""
    words = lexicon("negation")["adverbs"]["before_not"]
    start, end = max(clause.finite.i - 2, 0), clause.main_verb.i + 2
    return any(t.lower_ in words and t.pos_ == "ADV" for t in clause.doc[start:end])


def addition_in_front(clause: Clause) -> bool:
    """`In addition to acting, …`: a denial adds nothing."""
    first = clause.doc[clause.head.sent.start : clause.head.sent.start + 2].text.lower()
    return first in ("in addition", "apart from", "besides being", "aside from", "along with", "as well")


def loose_verb(clause: Clause) -> bool:
    """A verb behind `and` that no coordination accounts for (`was born in Rome and trained in Paris`)."""
    known = {verb.i for other in joined_predicates(clause) for verb in other.verbs}
    known.update(verb.i for verb, _ in shared_verbs(clause) or [])
    for token in clause.doc[clause.main_verb.i + 1 : clause.head.sent.end]:
        if token.pos_ != "VERB" or token.tag_ not in ("VBD", "VBN", "VBZ", "VBP") or token.i in known:
            continue
        before = token.nbor(-1)
        if before.pos_ == "ADV" and before.i:
            before = before.nbor(-1)
        if before.lower_ == "and":
            return True
    return False


def open_modal(clause: Clause) -> bool:
    """`may not`, `must not`: the negation of the verb is not that of the modal."""
    return clause.finite.lower_ in ("may", "might", "must")


def unclear(clause: Clause) -> bool:
    """Tell whether a template denies a positive declarative clause more clearly than `not` at its verb."""
    joined = joined_predicates(clause)
    return (
        quantified_subject(clause)
        or trailing_comment(clause)
        or joined_phrases(clause)
        or focus_adverb(clause)
        or sentence_adverb(clause)
        or addition_in_front(clause)
        or loose_verb(clause)
        or open_modal(clause)
        or infinitive_predicate(clause)
        or contrast_behind(clause)
        or not under_one_verb(clause, joined)
    )


def negative_beside(clause: Clause) -> bool:
    """Tell whether a predicate joined to the clause is negative itself."""
    listed = [
        t for t in clause.doc[clause.finite.i : clause.head.sent.end] if t.lower_ == "no" and t.dep_ in ("det", "neg")
    ]
    return len(listed) > 1 or any(negator_of(other) is not None for other in joined_predicates(clause))
