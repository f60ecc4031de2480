"""English: spaCy's English tokeniser, a parser trained on a treebank, and samples written for this project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.languages import SpacyPack
from harness.protocols import Doc
from harness.protocols.language import OperatorFactory


class English(SpacyPack):
    """English text, tokenised by spaCy's rules for English (contractions are two tokens: `do`, `n't`).

    The parser lies in `parser/`; its labels are those of Universal Dependencies.
    """

    def operators(self) -> Mapping[str, OperatorFactory]:
        """`pi`, `mv`, `dn`, `negation`, `synonym` and AugCSE's augmentations, see `languages.english.operators`."""
        from languages.english.operators import operators

        return operators()

    def construction(self, doc: Doc) -> str | None:
        """One of `languages.english.constructions.CONSTRUCTIONS`."""
        from languages.english.constructions import construction

        return construction(doc)


def load() -> English:
    """Return the pack."""
    return English(Path(__file__).parent)
