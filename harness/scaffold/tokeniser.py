"""Can spaCy cut this language into tokens, and what does it call it?"""

from __future__ import annotations

import re
from dataclasses import dataclass

from harness.errors import UsageError


@dataclass(frozen=True)
class Tokeniser:
    """How texts are cut. own: spaCy has rules for the language;  language: spaCy's name for it, None without one."""

    own: bool
    language: str | None
    about: str
    note: str = ""


def tokeniser_for(code: str) -> Tokeniser:
    """Return the tokeniser of a language. Raises UsageError if spaCy's needs a library that is not installed."""
    import spacy
    from spacy.util import get_lang_class

    try:
        language = get_lang_class(code).__name__
    except ImportError:
        return Tokeniser(
            False,
            None,
            "spaCy's tokeniser for any language",
            f"spaCy has no tokeniser for {code!r}; the pack cuts at blanks and punctuation (see `blank` in its __init__.py).",
        )
    try:
        spacy.blank(code)
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise UsageError(f"spaCy cannot cut {code!r} into tokens here: {reason} Then try again.") from None
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", language).lower()
    return Tokeniser(True, name, f"spaCy's tokeniser for `{code}`")
