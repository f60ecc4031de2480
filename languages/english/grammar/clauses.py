"""Where are the clauses of a sentence, and how is each built? The one place that reads a parse for the polarity and modal rules.

A `Clause` looks the same whether the parse is UD (the predicate heads, the copula hangs below) or ClearNLP (the copula
heads). Parsers err; where tag and spelling disagree about a verb form, spelling and subject decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from languages.english.grammar import labels
from languages.english.grammar.verbs import BE, DO, HAVE, can_be, finite_tag, lemma

Mood = Literal["declarative", "question", "inverted", "imperative"]

_WH = {"who", "what", "which", "whose", "whom", "where", "when", "why", "how"}
_PLURAL_PRONOUNS = {"i", "you", "we", "they", "these", "those", "both", "many", "few", "several"}
_PLACES = {
    "in",
    "on",
    "at",
    "near",
    "behind",
    "under",
    "inside",
    "outside",
    "beside",
    "above",
    "below",
    "between",
    "among",
}
_COUNTS = {"dozen", "hundred", "thousand", "million", "billion", "couple", "lot", "few", "pair"}
_QUOTES = {'"', "“", "”", "``", "''", "'", "‘", "’", "«", "»"}


@dataclass(frozen=True)
class Clause:
    """One finite clause (or imperative).

    head     the word its arguments hang on (UD: the predicate of a copula)
    verbs    the verb group in text order: auxiliaries, copula, main verb
    finite   the verb that carries tense and agreement (an imperative's own verb);  tag: MD, VBZ, VBP, VBD or VB
    subject  head of the subject or expletive, None if it is shared with the clause it is coordinated to, or absent
    mood     inverted: the verb stands before its subject without asking (`In the middle stands a church`)
    """

    head: Any
    verbs: tuple[Any, ...]
    finite: Any
    tag: str
    subject: Any | None
    mood: Mood

    @property
    def doc(self) -> Any:
        """The document."""
        return self.head.doc

    @property
    def lemma(self) -> str:
        """Base form of the finite verb; `'s` in front of a participle is *has* (`he's gone`), unless it is a passive."""
        contracted = self.finite.lower_ in ("'s", "’s") and self.finite.dep_ == "aux" and len(self.verbs) > 1
        if contracted and (self.verbs[1].lower_ in ("been", "got") or self.verbs[1].tag_ in ("VBN", "VBD")):
            return "have"
        return lemma(self.finite.text, self.tag)

    @property
    def main_verb(self) -> Any:
        """The last verb of the group: the lexical verb or the copula."""
        return self.verbs[-1]

    @property
    def is_auxiliary(self) -> bool:
        """Whether the finite verb can carry `not` itself: a modal, a form of be, an auxiliary have or do."""
        if self.tag == "MD" or self.lemma == "be":
            return True
        # `gets caught` has an auxiliary by its label, but takes do-support
        return self.lemma in ("have", "do") and self.finite.i != self.main_verb.i

    @property
    def asks(self) -> bool:
        """Whether the clause's sentence is a question, inverted or not (`Who won?`)."""
        closing = [t for t in self.finite.sent if not t.is_space][-1:]
        return self.mood == "question" or any(t.text.startswith("?") for t in closing)

    @property
    def plural(self) -> bool:
        """Whether the finite verb agrees with a plural (or I, you)."""
        low = self.finite.lower_
        if low in ("are", "were", "have", "do", "'re", "'ve", "’re", "’ve"):
            return True
        if self.tag == "VBZ" or low in ("is", "was", "has", "does"):
            return False
        if self.tag == "VBP":
            return True
        return subject_is_plural(self.subject)


def subject_is_plural(subject: Any | None) -> bool:
    """Tell whether a subject takes a plural verb, from its own form."""
    if subject is None:
        return False
    if subject.lower_ in _PLURAL_PRONOUNS or subject.tag_ in ("NNS", "NNPS"):
        return True
    return any(child.dep_ == "conj" for child in subject.children) and any(
        child.lower_ == "and" for token in (subject, *subject.children) for child in token.children
    )


def span(token: Any) -> tuple[int, int]:
    """Return [start, end) of a token's subtree."""
    return token.left_edge.i, token.right_edge.i + 1


def clause_of(head: Any) -> Clause | None:
    """Return the finite clause or imperative a token heads, or None."""
    verbs = verb_group(head)
    if not verbs:
        return None
    subject = subject_of(head)
    found = _finite(head, verbs, subject)
    if found is None:
        return _imperative(head, verbs, subject)
    finite, tag = found
    # a verb in front of the finite one was read as an auxiliary by mistake
    verbs = tuple(v for v in verbs if v.i >= finite.i)
    return Clause(head, verbs, finite, tag, subject, _mood(finite, tag, verbs, subject))


def verb_group(head: Any) -> tuple[Any, ...]:
    """Return auxiliaries, copula and the head itself if it is a verb, in text order; `to` is left out."""
    below = [c for c in head.children if (c.dep_ in labels.AUXILIARY or c.dep_ == "cop") and c.tag_ != "TO"]
    # an auxiliary hung on another one (`there have been` + noun) is a parse gone wrong, its meaning is clear
    below += [c for b in below for c in b.children if c.dep_ in labels.AUXILIARY and c.tag_ != "TO"]
    copular = any(c.dep_ == "cop" for c in below)
    verbal = head.pos_ in ("VERB", "AUX") or head.tag_ in ("VB", "VBD", "VBZ", "VBP", "VBN", "VBG", "MD")
    if not copular and (verbal or (not below and _misread(head) is not None)):
        below.append(head)
    elif below and not copular:
        # an ellipsis (`as he did`) or a predicate the tagger took for a noun; only auxiliaries are safe to read
        return tuple(sorted(below, key=lambda t: t.i))
    # auxiliaries behind the verb belong to something else (a tag question, a parse error)
    limit = head.i if below and not copular else max((c.i for c in below), default=head.i)
    return tuple(sorted((t for t in below if t.i <= limit), key=lambda t: t.i))


def _misread(head: Any) -> str | None:
    """The tag of a verb that the tagger took for a plural noun (`It rains`): it has a subject of its own in front."""
    if head.tag_ != "NNS":
        return None
    noun = head.nbor(-1) if head.i else head
    compound = noun.dep_ == "compound" and noun.tag_ == "NN" and noun.lower_ not in _COUNTS
    if compound and any(c.lower_ in ("a", "an") and c.i < noun.i for c in (*head.children, *noun.children)):
        return "VBZ" if can_be(head.text, "VBZ") else None  # `a cat sits`: no plural has an article
    subjects = [c for c in head.children if c.dep_ == "nsubj" and c.i < head.i and c.pos_ in ("PRON", "PROPN", "NOUN")]
    if not subjects or any(c.dep_ in ("det", "amod", "nmod:poss", "poss") for c in head.children):
        return None
    return "VBZ" if can_be(head.text, "VBZ") else None


def subject_of(head: Any) -> Any | None:
    """Return the head's subject; an expletive `there`/`it` before the verb counts as one."""
    below = [c for b in head.children if b.dep_ in labels.AUXILIARY for c in b.children]
    expletive = [c for c in (*head.children, *below) if c.dep_ in labels.EXPLETIVE and c.lower_ in ("there", "it")]
    subjects = [c for c in head.children if c.dep_ in labels.SUBJECT and not _is_place(c)]
    nominal = [c for c in subjects if c.dep_ not in labels.CLAUSAL_SUBJECT]
    for group in (expletive, nominal, subjects):
        if group:
            return group[-1] if group is nominal else group[0]
    return None


def _is_place(noun: Any) -> bool:
    """`In the garden stands a tree`: what has a preposition is no subject, whatever its label."""
    return any(c.dep_ == "case" and c.lower_ in _PLACES and c.i < noun.i for c in noun.children)


def _finite(head: Any, verbs: tuple[Any, ...], subject: Any | None) -> tuple[Any, str] | None:
    if any(c.tag_ == "TO" and c.i < verbs[-1].i and c.dep_ in ("aux", "mark") for c in head.children):
        return None
    for verb in verbs:
        tag = finite_tag(verb)
        if tag is not None and (tag != "MD" or verb.i != verbs[-1].i or len(verbs) == 1):
            return _checked(verb, tag, subject) if len(verbs) == 1 else (verb, tag)
    verb = verbs[0]
    misread = _misread(verb)
    if misread is not None:
        return verb, misread
    if subject is None or subject.i > verb.i or len(verbs) > 1 or subject.dep_ in ("nsubj:pass", "nsubjpass"):
        return None
    # `He travelled` tagged VBN, `They live` tagged VB: a lone verb behind its subject is finite if its form can be
    if verb.tag_ == "VBN" and can_be(verb.text, "VBD"):
        return verb, "VBD"
    if verb.tag_ == "VB" and subject_is_plural(subject):
        return verb, "VBP"
    return None


def _checked(verb: Any, tag: str, subject: Any | None) -> tuple[Any, str] | None:
    """A lone participle tagged as past tense is no finite verb if its subject is passive (`Man killed in crash`)."""
    if tag == "VBD" and subject is not None and subject.dep_ in ("nsubj:pass", "nsubjpass") and verb.lower_ not in BE:
        return None
    if tag == "VBP" and subject is None and verb.dep_ in ("ROOT", "root"):
        return None
    return verb, tag


def _mood(finite: Any, tag: str, verbs: tuple[Any, ...], subject: Any | None) -> Mood:
    if subject is None or subject.i < finite.i:
        return "declarative"
    auxiliary = (
        tag == "MD" or finite.lower_ in BE | DO or finite.text[:1] in "'’" or (finite.lower_ in HAVE and len(verbs) > 1)
    )
    asks = any(t.text == "?" for t in finite.sent) or finite.doc[finite.sent.start].lower_ in _WH
    return "question" if auxiliary and asks else "inverted"


def _imperative(head: Any, verbs: tuple[Any, ...], subject: Any | None) -> Clause | None:
    verb = verbs[0]
    if subject is not None or head.dep_ not in ("ROOT", "root") or len(verbs) > 2 or verb.i > head.i:
        return None
    plain = verb.lower_ == "do" or (len(verbs) == 1 and verb.tag_ in ("VB", "VBP"))
    if not plain or any(c.tag_ == "TO" for c in head.children):
        return None
    start = verb.sent.start
    if any(t.text == "?" for t in verb.sent):
        # `Do the children like it?` whose verb the parser missed
        return Clause(head, verbs, verb, "VBP", None, "question") if verb.lower_ == "do" and verb.i == start else None
    before = [t for t in verb.doc[start : verb.i] if t.text not in _QUOTES]
    # If you are cold, close the window
    conditions = {t.i for c in head.children if c.dep_ == "advcl" and c.i < verb.i for t in c.subtree}
    before = [t for t in before if t.i not in conditions]
    if all(t.pos_ in ("ADV", "INTJ", "PUNCT", "PART", "SPACE") or t.lower_ == "please" for t in before):
        return Clause(head, verbs, verb, "VB", None, "imperative")
    return None


def had_better(clause: Clause) -> int | None:
    """The index of `better` in `had better` (`You had better go`, `We'd better not go`), None in other clauses."""
    doc, index = clause.doc, clause.finite.i + 1
    if clause.finite.lower_ not in ("had", "'d", "’d") or index + 1 >= len(doc) or doc[index].lower_ != "better":
        return None
    verb = doc[min(index + 2, len(doc) - 1)] if doc[index + 1].lower_ == "not" else doc[index + 1]
    return index if verb.tag_ == "VB" else None
