"""Which form does this verb take? Inflection by lemminflect, with the few choices it leaves open made here."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from languages.english.grammar.inflection import bases, bases_of, forms

FINITE = {"VBZ", "VBP", "VBD"}
_LEXICON = Path(__file__).parents[1] / "lexicon"

#: contracted or archaic finite forms -> (lemma, tag)
_CONTRACTED = {
    "'s": ("be", "VBZ"), "’s": ("be", "VBZ"), "'re": ("be", "VBP"), "’re": ("be", "VBP"), "'m": ("be", "VBP"),
    "’m": ("be", "VBP"), "'ve": ("have", "VBP"), "’ve": ("have", "VBP"), "'d": ("would", "MD"), "’d": ("would", "MD"),
    "'ll": ("will", "MD"), "’ll": ("will", "MD"), "wo": ("will", "MD"), "ca": ("can", "MD"), "sha": ("shall", "MD"),
    "ai": ("be", "VBZ"),
}  # fmt: skip
BE = {"am", "is", "are", "was", "were", "be", "been", "being"}
HAVE = {"have", "has", "had", "having"}
DO = {"do", "does", "did"}
_IRREGULAR_TAGS = {
    "am": "VBP", "is": "VBZ", "are": "VBP", "was": "VBD", "were": "VBD", "be": "VB", "been": "VBN", "being": "VBG",
    "has": "VBZ", "have": "VBP", "having": "VBG", "does": "VBZ", "did": "VBD", "do": "VBP",
}  # fmt: skip


@cache
def lexicon(name: str) -> dict[str, Any]:
    """Return a word list of the pack, `lexicon/<name>.toml`."""
    return tomllib.loads((_LEXICON / f"{name}.toml").read_text(encoding="utf-8"))


def modals() -> frozenset[str]:
    """The modal verbs, contractions included."""
    return frozenset(lexicon("modals")["modals"])


@cache
def lemma(form: str, tag: str = "VBD") -> str:
    """Return the base form of a verb form: `travelled` -> `travel`, `'re` -> `be`."""
    low = form.lower()
    if low in ("'d", "’d") and tag == "VBD":
        return "have"
    if low in _CONTRACTED:
        return _CONTRACTED[low][0]
    known = lexicon("inflection")["lemma"]
    if low in known:
        return str(known[low])
    if tag in ("VB", "VBP") and low not in BE | HAVE | DO:
        return low
    candidates = bases_of(low, "VERB", tag) or bases(low, "VERB")
    return candidates[0] if candidates else low


@cache
def inflect(base: str, tag: str, *, plural: bool = False) -> str:
    """Return the form of a base verb for a Penn tag; `plural` chooses *were* and *are* for `be`."""
    if base == "be" and tag in ("VBD", "VBP"):
        return ("were" if plural else "was") if tag == "VBD" else "are"
    known = lexicon("inflection")["forms"].get(base, {})
    if tag in known:
        return str(known[tag])
    if tag in ("VB", "VBP"):
        return base
    found = forms(base, tag)
    return found[0] if found else base


@cache
def participle(form: str, tag: str) -> str:
    """Return the past participle of a verb form; a regular past form keeps its spelling (`travelled` -> `travelled`)."""
    low = form.lower()
    base = lemma(low, tag)
    own = inflect(base, "VBN")
    if tag in ("VBD", "VBN") and low.endswith("ed") and own.endswith("ed"):
        return low
    return own


def finite_tag(token: Any) -> str | None:
    """Return MD, VBZ, VBP or VBD if the token is a finite verb form by tag and spelling, else None."""
    low = token.lower_
    if low in ("'d", "’d"):
        return "VBD" if token.tag_ == "VBD" or _is_had(token) else "MD"
    if low in modals() and (low not in ("need", "dare") or token.dep_ == "aux"):
        return "MD" if token.tag_ == "MD" or token.dep_ in ("aux", "ROOT", "root") else None
    if low in ("'s", "’s"):
        return "VBZ" if token.tag_ != "POS" else None
    if low in _CONTRACTED:
        return _CONTRACTED[low][1]
    if low in _IRREGULAR_TAGS:
        tag = _IRREGULAR_TAGS[low]
        if low in ("have", "do") and token.tag_ == "VB" and not _before_subject(token):
            return None
        return tag if tag in FINITE else None
    if low == "had":
        return "VBD" if token.tag_ != "VBN" else None
    if token.tag_ not in FINITE:
        return None
    # `sang` tagged as a present: the spelling knows better
    past = token.tag_ != "VBD" and not can_be(low, token.tag_) and can_be(low, "VBD")
    return "VBD" if past else str(token.tag_)


def _before_subject(token: Any) -> bool:
    """`Do you know?`: an auxiliary in front of its subject is finite, whatever the tagger says."""
    subjects = [c for c in token.head.children if c.dep_ in ("nsubj", "nsubjpass", "nsubj:pass")]
    return token.dep_ == "aux" and any(token.i < c.i < token.head.i for c in subjects)


def _is_had(token: Any) -> bool:
    """Tell whether `'d` is *had*: `he'd left`, `she'd never been`, `we'd better go`; `he'd leave` is *would*."""
    following = next(
        (t for t in token.doc[token.i + 1 :] if t.lower_ == "better" or t.pos_ not in ("ADV", "PART")), None
    )
    if following is None:
        return False
    return following.lower_ == "better" or (can_be(following.text, "VBN") and not can_be(following.text, "VB"))


@cache
def can_be(form: str, tag: str) -> bool:
    """Tell whether a form is a possible spelling of the Penn tag for some verb."""
    return bool(bases_of(form.lower(), "VERB", tag))


def known_form(form: str, tag: str) -> bool:
    """Tell whether a finite form can be spelt so; base forms and contractions always can."""
    return (
        tag not in ("VBD", "VBZ")
        or form.lower() in lexicon("inflection")["lemma"]
        or can_be(form, tag)
        or form[:1] in "'’"
    )


@cache
def lexicon_sha(*names: str) -> str:
    """Return a hash of word lists, for the identity of the operators that read them, and of lemminflect's version."""
    import hashlib
    from importlib import metadata

    digest = hashlib.sha256(metadata.version("lemminflect").encode())
    for name in names:
        digest.update((_LEXICON / f"{name}.toml").read_bytes())
    return digest.hexdigest()[:16]
