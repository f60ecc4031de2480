"""What does a language pack say about a tokeniser that has to be learnt, because words are not written apart?

The harness trains a parser on whatever tokens come; a pack whose `tokeniser_recipe()` is not None learns them first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from harness.parsing.treebank import Sentence

if TYPE_CHECKING:
    from spacy.language import Language

#: told (what is being done, step, steps, scalars)
Reporter = Callable[[str, int, int, dict[str, float]], None]


class TokeniserRecipe(Protocol):
    """Learns a tokeniser into a folder, opens it, and stores it small inside of a finished pipeline."""

    def settings(self) -> dict[str, Any]:
        """Return all that decides the result beside the data and the seed, as JSON takes it: a change means learning anew."""
        ...

    def learn(
        self,
        gold: Sequence[Sentence],
        dev: Sequence[Sentence],
        folder: Path,
        *,
        seed: int,
        report: Reporter,
    ) -> str:
        """Learn to cut text as `gold` is cut, and write what was learnt to `folder`.

        Returns one paragraph for PROVENANCE.md: what was learnt how, and how good it is on `dev`.
        """
        ...

    def open(self, folder: Path) -> Language:
        """Return a pipeline of the tokeniser alone; its tokeniser has `to_bytes` and `from_bytes`."""
        ...

    def compact(self, pipeline: Path) -> None:
        """Store the tokeniser in the folder of a finished pipeline in less space, readable as before."""
        ...
