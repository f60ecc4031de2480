"""`contraction`: *do not* → *don't*, *it is* → *it's*, and the other way round."""

from __future__ import annotations

import random
from typing import Any

from harness.protocols import Change, Edit
from languages.english.augmentation import Augmentation, finish
from languages.english.grammar import labels
from languages.english.grammar.changes import behind, delete, like, loud, replace
from languages.english.grammar.clauses import subject_of
from languages.english.grammar.verbs import finite_tag, lexicon

_LEXICON = "augcse/contraction"


class Contraction(Augmentation):
    """Write every contraction of a sentence out, or contract all that can be (AugCSE, Table 3: ContractionExpansions).

    A sentence that holds both goes one way at random. Left alone: possessive *'s*, *ain't*, a verb at the end of its clause
    (`what it is`), a verb whose contraction nobody writes (*may not*).
    """

    name = "contraction"
    meaning = "kept"
    lexicons = (_LEXICON,)

    def apply(self, doc: Any, rng: random.Random) -> Edit | None:
        """Return the sentence written out or contracted, None if there is nothing to do."""
        ways = [changes for changes in (written_out(doc), contracted(doc, rng)) if changes]
        return finish(doc, rng.choice(ways)) if ways else None


def written_out(doc: Any) -> list[Change]:
    """Return the changes that write every contraction out."""
    changes: list[Change] = []
    for token in doc:
        if not token.i or doc[token.i - 1].whitespace_:
            continue
        low = token.lower_.replace("’", "'")
        changes += _not(token) if low == "n't" else _verb(token, low)
    return changes


def _not(token: Any) -> list[Change]:
    words = lexicon(_LEXICON)
    verb = token.nbor(-1)
    stem = words["stems"].get(verb.lower_, verb.lower_)
    if stem not in words["not"]:
        return []
    subject = _behind(token, verb)
    if subject is None:
        full = "cannot" if stem == "can" else f"{stem} not"
        return [replace(verb.i, like(verb.text, full), token.i + 1)]
    if subject.lower_ == "i" and stem == "are":
        stem = "am"
    if any(t.lower_ == "not" for t in token.doc[token.i : subject.right_edge.i + 2]):
        return []
    return [replace(verb.i, like(verb.text, stem), token.i + 1), behind(subject.right_edge.i, loud(verb.text, "not"))]


def _behind(token: Any, verb: Any) -> Any | None:
    """The subject right behind a contracted verb (`Didn't they know?`): *not* goes behind it."""
    following = token.nbor() if token.i + 1 < len(token.doc) else None
    if following is None:
        return None
    subject = subject_of(verb.head if verb.dep_ in labels.AUXILIARY | {"cop"} else verb)
    if subject is not None and subject.left_edge.i == token.i + 1 and subject.right_edge.i - token.i <= 4:
        return subject
    pronoun = following.lower_ in lexicon(_LEXICON)["persons"]
    return following if pronoun and verb.sent.text.rstrip().endswith("?") else None


def _verb(token: Any, low: str) -> list[Change]:
    words = lexicon(_LEXICON)
    before = token.nbor(-1)
    full = words["endings"].get(low)
    if low == "'s":
        full = _of_s(token, before)
    elif low == "'d":
        asks = before.lower_ in ("where", "how", "why", "what") and before.i + 2 < len(token.doc)
        full = None if asks else {"VBD": "had", "MD": "would"}.get(finite_tag(token) or "")
    if full is None or token.i + 1 == len(token.doc) or not token.whitespace_:
        return []
    return [replace(token.i, f" {loud(token.text.strip(chr(39) + '’'), full) if before.text.isupper() else full}")]


def _of_s(token: Any, before: Any) -> str | None:
    if before.lower_ == "let":
        return "us"
    verbal = token.dep_ in labels.AUXILIARY | {"cop"} and token.head.i > token.i
    if token.tag_ == "POS" or not (
        before.lower_ in lexicon(_LEXICON)["before_s"] or (verbal and before.pos_ == "NOUN")
    ):
        return None
    following = [t for t in token.doc[token.i + 1 : token.i + 4] if t.tag_ not in ("RB", "RBR")][:1]
    if following and following[0].lower_ in ("been", "got", "had"):
        return "has"
    perfect = bool(following) and following[0].tag_ in ("VBN", "VBD") and token.dep_ == "aux"
    return "has" if perfect else "is"


def contracted(doc: Any, rng: random.Random) -> list[Change]:
    """Return the changes that contract all that can be contracted; where two ways are right, one at random."""
    mark = "’" if "’" in doc.text and "'" not in doc.text else "'"
    changes = []
    for token in doc:
        options = [*_with_subject(token, mark), *_with_not(token, mark)]
        if options:
            changes += rng.choice(options)
    return changes


def _with_not(verb: Any, mark: str) -> list[list[Change]]:
    """`did not` → `didn't`."""
    words, doc, end = lexicon(_LEXICON), verb.doc, verb.i + 2
    short = words["not"].get(verb.lower_)
    if not short or end > len(doc) or doc[verb.i + 1].lower_ != "not" or verb.pos_ not in ("AUX", "VERB"):
        return []
    if end < len(doc) and doc[end].lower_ in words["behind_not"]:
        return []
    if not verb.whitespace_ and verb.lower_ != "can":
        return []
    return [[replace(verb.i, like(verb.text, short.replace("'", mark)), end)]]


def _with_subject(verb: Any, mark: str) -> list[list[Change]]:
    """`it is` → `it's`, where the verb does not end its clause."""
    words, doc = lexicon(_LEXICON), verb.doc
    if (
        not verb.i
        or verb.i + 1 >= len(doc)
        or not doc[verb.i + 1].text[:1].isalnum()
        or verb.nbor(-1).whitespace_ != " "
    ):
        return []
    subject = verb.nbor(-1)
    short = words["short"].get(verb.lower_)
    if short is None or subject.lower_ not in words["subjects"].get(verb.lower_, ()):
        return []
    if subject.dep_ == "conj" or any(c.dep_ in ("cc", "conj") for c in subject.children) or not _leans(verb):
        return []
    return [[delete(verb.i), replace(subject.i, subject.text + loud(verb.text, short).replace("'", mark))]]


def _leans(verb: Any) -> bool:
    """Whether what the verb belongs to stands behind it: only then it may be contracted."""
    auxiliary = verb.dep_ in labels.AUXILIARY and verb.head.i > verb.i
    if verb.lower_ in ("have", "has", "had"):
        return auxiliary and verb.head.tag_ in ("VBN", "VBD")
    if auxiliary or (verb.dep_ == "cop" and verb.head.i > verb.i):
        return True
    return (verb.pos_ == "AUX" or verb.nbor(-1).lower_ == "there") and any(
        c.i > verb.i and c.dep_ in ("attr", "acomp", "nsubj") for c in verb.children
    )
