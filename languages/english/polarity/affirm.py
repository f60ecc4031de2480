"""Take the negation out of a clause: *does not sell* → *sells*, *nobody* → *somebody*, *neither … nor* → *both … and*."""

from __future__ import annotations

from typing import Any

from harness.protocols import Change
from languages.english.grammar.changes import delete, like, replace
from languages.english.grammar.clauses import Clause, clause_of
from languages.english.grammar.verbs import DO, inflect, lemma, lexicon
from languages.english.polarity.negators import Negator

_FULL = {"wo": "will", "ca": "can", "sha": "shall"}


def affirm(clause: Clause, negator: Negator) -> list[Change] | None:
    """Return the changes that take `negator` away and put right what it governed, None if that cannot be done."""
    rule = {
        "not": _drop_not,
        "never": _drop_word,
        "no_longer": _still,
        "quasi": _quasi,
        "neither": _both,
        "determiner": _determiner,
        "pronoun": _pronoun,
        "quantifier": _quantifier,
    }[negator.kind]
    changes = rule(clause, negator.token)
    if changes is None:
        return None
    taken = {i for change in changes for i in range(change.start, change.end)}
    return changes + [c for c in _polarity_items(clause, negator.token.i) if c.start not in taken]


def _drop_not(clause: Clause, token: Any) -> list[Change] | None:
    finite = clause.finite
    if _corrects(token):
        return None
    if clause.mood == "imperative":
        # Don't go -> Go; Do not go -> Go
        if finite.lower_ in DO and finite.i != clause.main_verb.i:
            following = clause.doc[token.i + 1] if token.i + 1 < len(clause.doc) else None
            if following is None:
                return None
            return [delete(finite.i, token.i + 1), replace(following.i, like(finite.text, following.text))]
        return [delete(token.i)]
    if finite.lower_ in DO and clause.main_verb.i != finite.i and clause.mood != "question":
        verb = clause.main_verb
        if verb.tag_ not in ("VB", "VBP", "VBD", "VBZ", "VBN") or verb.i < token.i:
            return None
        form = inflect(lemma(verb.text, "VB"), _tense(finite), plural=clause.plural)
        between = range(finite.i + 1, token.i)
        removed = [delete(finite.i, token.i + 1)] if not between else [delete(finite.i), delete(token.i)]
        return [*removed, replace(verb.i, form)]
    if finite.lower_ in _FULL:
        end = token.i + 1 if token.i == finite.i + 1 else finite.i + 1
        changes = [replace(finite.i, like(finite.text, _FULL[finite.lower_]), end)]
        return changes if end > token.i else [*changes, delete(token.i)]
    if finite.lower_ == "need" and token.i == finite.i + 1:
        return [replace(finite.i, like(finite.text, "need to" if clause.plural else "needs to"), token.i + 1)]
    if token.i == finite.i + 1 and not clause.is_auxiliary and finite.lower_ not in DO and _closes(token):
        return [replace(token.i, "so")]  # I hope not
    if finite.lower_ == "are" and clause.subject is not None and clause.subject.lower_ == "i":
        return [replace(finite.i, like(finite.text, "am"), token.i + 1)]  # Aren't I?
    if finite.lower_ == "ai" and token.i == finite.i + 1:
        return [replace(finite.i, like(finite.text, _is(clause)), token.i + 1)]
    return [delete(token.i)]


def _corrects(token: Any) -> bool:
    """Whether the negation is put right by what follows (`not in London but in Leeds`): without it nothing would be left."""
    for but in token.doc[token.i + 1 :]:
        if but.lower_ == "but" and but.dep_ == "cc" and but.nbor(-1).text != ",":
            # UD hangs `but` on the second part, ClearNLP on the first
            parts = (
                [but.head] if but.head.i > but.i else [t for t in but.head.children if t.dep_ == "conj" and t.i > but.i]
            )
            second = next(iter(parts), None)
            if second is not None and clause_of(second) is None:
                return True
    return False


def _is(clause: Clause) -> str:
    subject = clause.subject.lower_ if clause.subject is not None else ""
    return "am" if subject == "i" else "are" if clause.plural and subject not in ("he", "she", "it") else "is"


def _tense(finite: Any) -> str:
    return {"did": "VBD", "does": "VBZ", "do": "VBP"}[finite.lower_]


def _drop_word(clause: Clause, token: Any) -> list[Change] | None:
    # `Never before has …` is inverted because of the word
    if clause.mood not in ("declarative", "imperative"):
        return None
    if clause.finite.lower_ in DO and clause.finite.i != clause.main_verb.i:
        return None
    if token.i and token.nbor(-1).lower_ in ("almost", "nearly", "practically", "virtually"):
        return [replace(token.i, "always")]
    return _drop_first(clause, token)


def _drop_first(clause: Clause, token: Any) -> list[Change] | None:
    """Delete a word; the next one takes over its capital."""
    if token.i + 1 >= len(clause.doc):
        return [delete(token.i)]
    following = clause.doc[token.i + 1]
    if token.text[:1].isupper() and following.text[:1].islower():
        word = lexicon("negation")["polarity"].get(following.lower_) or following.text
        return [delete(token.i), replace(following.i, like(token.text, word))]
    return [delete(token.i)]


def _still(clause: Clause, token: Any) -> list[Change] | None:
    start = token.i - 1
    if token.i + 1 == len(clause.doc) or token.nbor().is_punct:
        return [replace(start, "still", token.i + 1)] if clause.lemma == "be" else None
    return [replace(start, like(clause.doc[start].text, "still"), token.i + 1)]


def _quasi(clause: Clause, token: Any) -> list[Change] | None:
    word = lexicon("negation")["quasi"][token.lower_]
    if clause.mood != "declarative":
        return None
    if token.i + 1 < len(clause.doc) and token.nbor().lower_ == "ever":
        return [replace(token.i, like(token.text, "often"), token.i + 2)]
    return [replace(token.i, like(token.text, word))] if word else _drop_first(clause, token)


def _both(clause: Clause, token: Any) -> list[Change] | None:
    nor = next(t for t in clause.doc[token.i + 1 :] if t.lower_ == "nor")
    changes = [replace(token.i, like(token.text, "both")), replace(nor.i, like(nor.text, "and"))]
    # parsers often give `neither he nor she` two subjects; what counts is that the pair stands in front of the verb
    in_subject = clause.subject is not None and max(nor.i, clause.subject.i) < clause.finite.i
    return changes + (_agree_plural(clause) if in_subject else [])


def _agree_plural(clause: Clause) -> list[Change]:
    plural = {"is": "are", "was": "were", "has": "have", "does": "do"}
    low = clause.finite.lower_
    if low in plural:
        return [replace(clause.finite.i, like(clause.finite.text, plural[low]))]
    if clause.tag == "VBZ" and low not in ("'s", "’s"):
        return [replace(clause.finite.i, lemma(low, "VBZ"))]
    return []


def _determiner(clause: Clause, token: Any) -> list[Change] | None:
    if token.lower_ == "neither":
        return [replace(token.i, like(token.text, "either"))]
    noun = token.head
    following = clause.doc[token.i + 1]
    if noun.i + 1 < len(clause.doc) and noun.nbor().lower_ == "but":
        return None  # no choice but to go
    word = "some"
    if noun.tag_ in ("NN", "NNP") and noun.lower_ not in lexicon("negation")["mass"]:
        word = "an" if following.lower_[:1] in "aeiou" else "a"
        if following.lower_ == "other":
            return [replace(token.i, like(token.text, "another"), token.i + 2)]
        if following.lower_ == "such":
            article = "an" if following.nbor().lower_[:1] in "aeiou" else "a"
            return [replace(token.i, like(token.text, f"such {article}"), token.i + 2)]
    if token.dep_ == "advmod" or following.tag_ in ("JJR", "RBR") or noun.tag_ in ("JJ", "JJR", "RB"):
        return None  # no better, no different: not a count
    return [replace(token.i, like(token.text, word))]


def _pronoun(clause: Clause, token: Any) -> list[Change] | None:
    if token.lower_ == "no":
        return [replace(token.i, like(token.text, "someone"), token.i + 2)]
    word = lexicon("negation")["pronouns"][token.lower_]
    changes = [replace(token.i, like(token.text, word))]
    is_subject = clause.subject is not None and clause.subject.i == token.i
    of_one = [t for t in clause.doc[token.i + 1 : token.i + 3] if t.lower_ in ("this", "that", "it")]
    if of_one:  # none of this
        return changes if token.lower_ == "none" else None
    return changes + (_agree_plural(clause) if is_subject and token.lower_ in ("none", "neither") else [])


def _quantifier(clause: Clause, token: Any) -> list[Change] | None:
    return _drop_first(clause, token)


def _polarity_items(clause: Clause, index: int) -> list[Change]:
    """*any* → *some* and the like, behind the negation and inside the same clause."""
    items = lexicon("negation")["polarity"]
    changes = []
    doc = clause.doc
    for token in doc[index + 1 : clause.head.right_edge.i + 1]:
        if token.lower_ == "all" and token.i > 0 and token.nbor(-1).lower_ == "at" and _closes(token):
            changes.append(delete(token.i - 1, token.i + 1))
        if (
            token.lower_ == "or"
            and not any(t.lower_ in items for t in doc[index + 1 : token.i])
            and token.dep_ == "cc"
            and token.head.pos_ in ("NOUN", "PROPN")
            and token.head.dep_ == "conj"
        ):
            changes.append(replace(token.i, like(token.text, "and")))
    for token in clause.doc[index + 1 : clause.head.right_edge.i + 1]:
        word = items.get(token.lower_)
        if word is None or _in_lower_clause(token, clause):
            continue
        if token.lower_ in ("either", "yet", "anymore") and not _closes(token) and token.i != index + 1:
            continue
        if token.lower_ == "any" and token.head.lower_ in ("longer", "more", "better", "worse"):
            continue
        changes.append(replace(token.i, like(token.text, word)) if word else delete(token.i))
    return changes


def _closes(token: Any) -> bool:
    return bool(token.i + 1 == len(token.doc) or token.nbor().is_punct)


def _in_lower_clause(token: Any, clause: Clause) -> bool:
    for above in (token, *token.ancestors):
        if above.i == clause.head.i:
            return False
        if above.dep_ in ("acl", "acl:relcl", "relcl", "advcl", "ccomp", "parataxis", "conj") and above.i != token.i:
            return bool(above.dep_ != "conj")
    return True
