"""Is this text a noun phrase standing alone (a title, a caption), or a sentence whose parse went wrong?"""

from __future__ import annotations

from typing import Any

from languages.english.grammar.changes import before, lowered, replace
from languages.english.grammar.sentences import roots
from languages.english.grammar.verbs import can_be, finite_tag

_MARKUP = set("|=\\{}<>[]*#_~")
_DETERMINERS = {"det", "nummod", "nmod:poss", "poss", "predet", "det:predet"}
_SUBORDINATE = {"acl", "acl:relcl", "relcl", "advcl", "advcl:relcl", "ccomp"}
#: a text with a full stop and so many words is a sentence rather than a title
_SENTENCE = 8
_OPEN_ENDS = {":", ",", ";", "-", "–", "—", "(", "?", "..."}


def nominal(doc: Any, start: int) -> Any | None:
    """Return the head of a text that is one noun phrase from token `start` on, None for any other text.

    The phrase must be one that can follow `this is`: a name, a plural, or a noun with a determiner; without a finite verb
    outside relative clauses, markup, or an open end (`Most awarded pitcher:`).
    """
    heads = roots(doc)
    if len(heads) != 1 or start >= len(doc) or heads[0].pos_ not in ("NOUN", "PROPN"):
        return None
    head, last = heads[0], doc[-1]
    if doc[start].lower_ in ("no", "not", "what", "how", "such"):
        return None  # `No entry`, `What a day!`
    if last.text in _OPEN_ENDS or any(set(t.text) & _MARKUP for t in doc) or not doc[start].text[:1].isalnum():
        return None
    if doc[start].pos_ in ("ADP", "SCONJ", "VERB", "AUX", "ADV", "CCONJ", "PART") or doc[start].tag_ in ("VBN", "VBG"):
        return None
    if any(child.dep_ in ("nsubj", "nsubj:pass", "csubj", "cop", "case", "mark", "expl") for child in head.children):
        return None
    if seems_finite(doc) or sum(t.text == "," for t in doc) > 1:
        return None
    dated = doc[start].text.isdigit() and head.tag_ in ("NN", "NNP")
    named = head.tag_ in ("NNP", "NNPS") and not dated and not _is_described(doc, start, head)
    determined = not dated and any(child.dep_ in _DETERMINERS and child.i < head.i for child in head.children)
    return head if named or determined or head.tag_ == "NNS" else None


def _is_described(doc: Any, start: int, head: Any) -> bool:
    """`1898 Senior Championship`, `New Synagogue (Darmstadt)`: a name that ends in a common noun wants an article."""
    import lemminflect

    last = max((t for t in doc if t.head.i == head.i or t.i == head.i), key=lambda t: t.i if t.tag_ == "NNP" else -1)
    common = any("NOUN" in lemminflect.getAllLemmas(t.lower_) for t in {head, last} if len(t) > 3)
    return (common and doc[start].lower_ not in ("the", "a", "an")) or any(t.text == "(" for t in doc)


def small_first(doc: Any, start: int) -> str:
    """Return the first word of a phrase behind other words; the article of a title (`The Ship (1921 film)`) stays large."""
    article, rest = (
        doc[start].lower_,
        [t for t in doc[start + 1 :] if t.is_alpha and t.pos_ not in ("DET", "ADP", "CCONJ", "PART")],
    )
    titled = bool(rest) and doc[-1].text not in (".", "!") and all(t.text[:1].isupper() for t in rest)
    # `A Good Night's Love`, `The Ship (1921 film)`, but: the Battle of Hastings
    large = (article in ("a", "an") and titled) or (
        article in ("the", "a", "an") and any(t.text == "(" for t in doc[start:])
    )
    return str(doc[start].text) if large else lowered(doc[start])


def predicated(doc: Any, start: int, head: Any, verb: str) -> list[Any]:
    """Return the changes that put `this` (`these`) and a form of be in front: `must be`, `is not` (`are not`)."""
    import lemminflect

    known = bool(lemminflect.getAllLemmas(head.lower_).get("NOUN"))  # `Schoenoplectus torreyi` is no plural
    plural = head.tag_ in ("NNS", "NNPS") and known and doc[start].lower_ not in ("a", "an", "one", "this", "that")
    subject = "These" if plural else "This"
    words = f"{subject} {'are' + verb.removeprefix('is') if plural and verb.startswith('is') else verb}"
    small = small_first(doc, start)
    return [before(doc, start, words), *([replace(start, small)] if small != doc[start].text else [])]


def seems_finite(doc: Any) -> bool:
    """Tell whether a text seems to have a finite main verb although no clause was found.

    A finite verb form outside subordinate clauses; or, in a text as long as a sentence and with a full stop, a word that may
    be one (`photoreceptors finish at the axon`, tagged as a noun).
    """
    if any(set(t.text) & set("<>|") for t in doc):
        return False
    if any(finite_tag(t) and not _below_subordinate(t) for t in doc):
        return True
    words = [t for t in doc if any(map(str.isalnum, t.text))]
    if len(words) < _SENTENCE or not any(t.text in (".", "!") for t in doc[-2:]):
        return False
    return any(_may_be_finite(t) for t in words[1:-1])


def _may_be_finite(token: Any) -> bool:
    if _below_subordinate(token) or token.pos_ == "AUX":
        return False
    previous, following = token.nbor(-1), token.nbor()
    if token.tag_ in ("VBN", "VB"):
        free = previous.tag_ not in ("TO", "VBZ", "VBP", "VBD", "VB", "DT", "IN", "JJ", "PRP$") and token.dep_ != "amod"
        return free and (token.tag_ == "VB" or can_be(token.text, "VBD"))
    if following.pos_ not in ("DET", "PRON", "ADP", "ADV"):
        return False
    if token.tag_ == "NNS":
        return previous.tag_ in ("NN", "NNP", "RB", "PRP") and can_be(token.text, "VBZ")
    return token.tag_ == "NN" and previous.tag_ in ("NNS", "RB") and can_be(token.text, "VBP")


def _below_subordinate(token: Any) -> bool:
    return any(t.dep_ in _SUBORDINATE for t in (token, *token.ancestors))
