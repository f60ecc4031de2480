"""Chinese: words cut by pkuseg, a parser trained on a treebank, both simplified; Traditional text is read as simplified."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.languages import SpacyPack
from harness.protocols import Doc
from harness.protocols.language import OperatorFactory

if TYPE_CHECKING:
    from spacy.language import Language

    from harness.parsing.tokeniser import TokeniserRecipe


class ChinesePack(SpacyPack):
    """Chinese text, cut into words by spacy-pkuseg with a model of our own; labels are those of Universal Dependencies.

    The parser has only seen simplified characters. Traditional ones are exchanged, one for one, before it looks (see
    `languages.chinese.traditional`); the document has the text as it was given, and `token.norm_` is a token's simplified form.
    """

    def blank(self) -> Language:
        """Return a pipeline of the tokeniser alone. Raises DataError if the pack has no parser: its model lies there."""
        from harness.parsing.pipeline import find_own
        from languages.chinese.segment.recipe import blank_from

        return self._guarded(blank_from(find_own(self.folder / "parser", self.name).folder / "tokenizer"))

    @cached_property
    def pipeline(self) -> Language:
        """The spaCy pipeline; the pack's own has its tokeniser guarded (see `languages.chinese.segment.guard`)."""
        found = self.load_pipeline()
        return self._guarded(found) if self._named is None else found

    def _guarded(self, nlp: Language) -> Language:
        from languages.chinese.segment.guard import GuardedTokeniser

        segmenter: Any = nlp.tokenizer
        tokeniser: Any = GuardedTokeniser(segmenter.pkuseg_seg, nlp.vocab)
        nlp.tokenizer = tokeniser
        return nlp

    def tokeniser_recipe(self) -> TokeniserRecipe:
        """Learn a model for pkuseg, see `languages.chinese.segment`."""
        from languages.chinese.segment.recipe import PkusegRecipe

        return PkusegRecipe()

    def load_docs(self, data: bytes, places: Any) -> list[Doc]:
        """Return chosen documents, with the simplified forms that are not stored."""
        from languages.chinese.traditional import normalise

        return [normalise(doc) for doc in super().load_docs(data, places)]

    def parse(self, texts: Iterable[str]) -> Iterator[Doc]:
        """Yield one spaCy `Doc` per text, in order, with exactly that text; what is Traditional was read as simplified."""
        from languages.chinese.traditional import readable, restored

        given, read = itertools.tee(texts)
        for text, doc in zip(given, super().parse(map(readable, read)), strict=True):
            yield restored(doc, text)

    def tokenise(self, text: str) -> Any:
        """Return the `Doc` of one text with tokens only, the tokens of `parse`."""
        from languages.chinese.traditional import readable, restored

        return restored(super().tokenise(readable(text)), text)

    def operators(self) -> Mapping[str, OperatorFactory]:
        """`pi`, `mv`, `dn`, `negation` and `synonym`, see `languages.chinese.operators`."""
        from languages.chinese.operators import operators

        return operators()

    def construction(self, doc: Doc) -> str | None:
        """One of `languages.chinese.constructions.CONSTRUCTIONS`."""
        from languages.chinese.constructions import construction

        return construction(doc)

    def fingerprint(self) -> dict[str, Any]:
        """The parser with its weights, and the versions of spaCy and of the segmenter."""
        from importlib import metadata

        return {**super().fingerprint(), "spacy-pkuseg": metadata.version("spacy-pkuseg")}


def load() -> ChinesePack:
    """Return the pack (entry point `augbench.languages`)."""
    return ChinesePack(Path(__file__).parent)
