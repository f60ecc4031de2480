"""`tense`: the main clause, and what depends on its time, in another tense."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augcse.retense import Tense, retensed, tense_of
from languages.english.augmentation import Augmentation, finish, plain
from languages.english.grammar.clauses import Clause, clause_of, had_better
from languages.english.grammar.sentences import main_clause, shared_verbs
from languages.english.grammar.verbs import can_be

_TENSES: tuple[Tense, ...] = ("past", "present", "future")
#: clauses in the time of the clause they depend on
_MARKS = {"when", "while", "as", "if", "after", "before", "until", "because", "once", "whenever", "although", "though",
          "whereas", "where", "unless"}  # fmt: skip


class Tenses(Augmentation):
    """Put the verbs into a random other tense: past, present or future (AugCSE, Table 3: TenseTransformation).

    Main clauses, verbs joined to them and clauses of time and condition change together; relative and reported clauses keep
    theirs. Perfect, passive, progressive, questions and negations keep their build. Modals other than *will*, *shall* and *can*,
    and commands, have no tense to change: they are refused, and so is a clause whose number cannot be told where it would show.
    """

    name = "tense"
    meaning = "near"

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence in another tense, None if it has none or cannot be put into any other."""
        clause = main_clause(doc) if plain(doc) else None
        now = tense_of(clause) if clause is not None else None
        if clause is None or now is None or had_better(clause) is not None:
            return None
        for target in rng.sample([t for t in _TENSES if t != now], 2):
            changes = sentence_changes(clause, now, target)
            if changes:
                return finish(doc, changes)
        return None


def sentence_changes(clause: Clause, now: Tense, target: Tense) -> list[Change] | None:
    """Return the changes that put a clause and what shares its time from `now` into `target`, None if it cannot be done."""
    own = _with_shared(clause, now, target)
    if own is None:
        return None
    changes = list(own)
    for other in _beside(clause, now):
        changes += _with_shared(other, now, target) or []
    if not any(verb.lower_ in ("have", "has", "had", "'ve", "’ve") for verb in clause.verbs[:-1]):
        changes += _of_time(clause, now, target)
    unique = {(c.start, c.end, c.kind): c for c in changes}
    return list(unique.values())


def _with_shared(clause: Clause, now: Tense, target: Tense) -> list[Change] | None:
    changes = retensed(clause, now, target)
    shared = shared_verbs(clause)
    if changes is None or shared is None:
        return None
    participle = any(v.dep_ in ("aux:pass", "auxpass") for v in clause.verbs)
    for verb, tag in [*shared, *_misread(clause)]:
        if verb.text in ("do", "da") and verb.nbor(-1).text[:1].isupper():
            continue  # `Rio Grande do Sul`
        if participle and can_be(verb.text, "VBN"):
            continue  # `was built in 1900 and destroyed in 1905`
        other = clause_of(verb.head if verb.dep_ in ("aux", "aux:pass", "cop") else verb) or clause_of(verb)
        verbs = other.verbs if other is not None and other.finite.i == verb.i else (verb,)
        joined = Clause(other.head if other else verb, verbs, verb, tag, clause.subject, "declarative")
        of_verb = retensed(joined, now, target, joined=True)
        if of_verb is None:
            return None
        changes += of_verb
    return changes


def _misread(clause: Clause) -> list[tuple[Any, str]]:
    """Verbs joined to the clause that the tagger took for nouns (`went home and slept`), in the past tense."""
    import lemminflect

    return [
        (word, "VBD")
        for word in clause.head.children
        if word.dep_ == "conj" and word.pos_ == "NOUN" and clause.tag == "VBD" and can_be(word.text, "VBD")
        if not lemminflect.getAllLemmas(word.lower_).get("NOUN") and all(c.dep_ == "cc" for c in word.children)
    ]


def _beside(clause: Clause, now: Tense) -> list[Clause]:
    """The main clauses joined to a clause that have a subject of their own and are in the same tense."""
    found = []
    for child in clause.head.children:
        if (
            child.dep_ in ("conj", "parataxis")
            and not any(c.dep_ == "mark" for c in child.children)
            and child.i > clause.finite.i
        ):
            other = clause_of(child)
            if (
                other is not None
                and other.subject is not None
                and other.mood == "declarative"
                and tense_of(other) == now
            ):
                found.append(other)
    return found


def _of_time(clause: Clause, now: Tense, target: Tense) -> list[Change]:
    """Change the clauses of time and condition; English has the present tense in them where the main clause is future."""
    before: Tense = "present" if now == "future" else now
    after: Tense = "present" if target == "future" else target
    changes: list[Change] = []
    if before == after:
        return changes
    for child in clause.head.children:
        if child.dep_ not in ("advcl", "advcl:relcl") or not any(
            t.lower_ in _MARKS for t in child.subtree if t.i < child.i
        ):
            continue
        other = clause_of(child)
        if (
            other is not None
            and other.subject is not None
            and other.mood == "declarative"
            and tense_of(other) == before
        ):
            changes += _with_shared(other, before, after) or []
    return changes
