"""Base forms and inflected forms of a word, by lemminflect, which reads some non-words (`cbg`, `s)`) as forms of nothing."""

from __future__ import annotations

from functools import cache


@cache
def bases(form: str, pos: str) -> tuple[str, ...]:
    """Return the base forms a lower-case form may belong to as NOUN, VERB, ADJ or ADV, best first; none for some non-words."""
    import lemminflect

    return tuple(base for base in lemminflect.getLemma(form, pos) if base)


@cache
def forms(base: str, tag: str, *, unknown: bool = True) -> tuple[str, ...]:
    """Return the spellings of a base form under a Penn tag; with `unknown` words of no list are inflected by rule."""
    import lemminflect

    return tuple(lemminflect.getInflection(base, tag, inflect_oov=unknown)) if base else ()


def bases_of(form: str, pos: str, tag: str) -> list[str]:
    """Return the base forms whose form under the Penn tag is this one."""
    return [base for base in bases(form, pos) if form in forms(base, tag)]
