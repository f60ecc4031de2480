"""English: spaCy's English tokeniser, and samples written for this project."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.languages import SpacyPack

if TYPE_CHECKING:
    from spacy.language import Language


class English(SpacyPack):
    """English text, tokenised by spaCy's rules for English (contractions are two tokens: `do`, `n't`)."""

    parser = "spacy.blank(en)"

    def load_pipeline(self) -> Language:
        """Return spaCy's blank English pipeline: the tokeniser and nothing else."""
        import spacy

        return spacy.blank("en")


def load() -> English:
    """Return the pack."""
    return English(Path(__file__).parent)
