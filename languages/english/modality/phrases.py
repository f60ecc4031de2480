"""Which modal phrase may stand in this clause? Drawn from the lexicon, agreement filled in."""

from __future__ import annotations

import random

from languages.english.grammar.clauses import Clause
from languages.english.grammar.verbs import lemma, lexicon

_PEOPLE = {"he", "she", "i", "we", "you", "who"}
# verbs of being and having: nobody `has no choice but to` contain
_STATES = {"be", "have", "own", "belong", "contain", "consist", "comprise", "know", "live", "seem", "appear", "lie", "need",
           "want", "like", "become", "die", "remain", "mean", "cost", "lack", "possess", "resemble", "equal", "weigh",
           "use", "grow", "receive", "win", "lose"}  # fmt: skip


def people_act(clause: Clause) -> bool:
    """Tell whether the clause surely has a person acting in it (a personal pronoun and a verb of action)."""
    subject = clause.subject
    verb = clause.main_verb
    return (
        subject is not None
        and subject.lower_ in _PEOPLE
        and len(clause.verbs) == 1
        and lemma(verb.text, clause.tag) not in _STATES
    )


def _base(clause: Clause) -> str:
    return lemma(clause.main_verb.text, clause.tag)


def filled(phrase: str, clause: Clause) -> str:
    """Put the right form of have and be into a phrase."""
    low = clause.subject.lower_ if clause.subject is not None else ""
    is_form = "am" if low == "i" else "are" if clause.plural else "is"
    return phrase.replace("{has}", "have" if clause.plural or low == "i" else "has").replace("{is}", is_form)


def present_phrase(clause: Clause, rng: random.Random, *, negated: bool = False, plain: bool = False) -> str:
    """Return a phrase that takes a base form: a conclusion, never a duty; `plain` allows modals only."""
    words = lexicon("modals")
    if negated:
        return str(rng.choice(words["negated"]["present"]))
    if people_act(clause) and not clause.asks and not plain and _base(clause) in words["irresistible"]:
        return str(rng.choice(words["present"]["agent"]))
    copular = clause.lemma == "be" and clause.main_verb.i == clause.finite.i
    state = copular or (len(clause.verbs) == 1 and lemma(clause.main_verb.text, clause.tag) in _STATES)
    return str(rng.choice(words["present"]["being" if state else "doing"]))


def past_phrase(clause: Clause, rng: random.Random, *, plain: bool = False) -> tuple[str, bool]:
    """Return (phrase, whether it takes `have` + participle); `plain` allows modals that keep the participle only."""
    words = lexicon("modals")["past"]
    failing = any(t.dep_ == "advmod" and t.lower_.startswith("un") for t in clause.head.children)
    if not plain and not failing and people_act(clause) and rng.random() < 0.5:
        base = _base(clause)
        if base in lexicon("modals")["irresistible"]:
            return "could not help but", False
        if base in lexicon("modals")["compelled"]:
            return "had to", False
    choices = [p for p in words["have_participle"] if not plain or " " not in p]
    return str(rng.choice(choices)), True
