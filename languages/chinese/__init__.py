"""The Chinese pack: so far its characters and its encoder; parser and rules follow."""

from __future__ import annotations

from importlib import metadata
from pathlib import Path
from typing import Any

from harness.languages import SpacyPack


class ChinesePack(SpacyPack):
    """Simplified Chinese. Words are single characters and there is no tree: no rule applies yet."""

    parser = "none (single characters)"

    def load_pipeline(self) -> Any:
        """Return spaCy's splitter into characters."""
        return self.blank()

    def fingerprint(self) -> dict[str, Any]:
        """The splitter and the spaCy version."""
        return {"pack": self.base_name, "parser": self.parser, "spacy": metadata.version("spacy")}


def load() -> ChinesePack:
    """Return the pack (entry point `augbench.languages`)."""
    return ChinesePack(Path(__file__).parent)
