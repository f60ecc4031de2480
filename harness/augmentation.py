"""How do I apply operators to my own texts? The door behind `from harness import augment` and `augbench augment`."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from harness.cache import cache_dir
from harness.errors import DataError, Skipped
from harness.languages import open_pack
from harness.operators import resolve
from harness.protocols import LanguagePack, Operator, OperatorTools, TokenOperator
from harness.seeds import python_rng
from harness.views import ViewColumn, build_views, stream_views

log = logging.getLogger(__name__)


def augment(
    texts: Iterable[str],
    operators: Sequence[str] | str,
    *,
    language: str | LanguagePack,
    seed: int = 0,
    encoder: str | None = None,
    jobs: int | None = None,
) -> list[dict[str, Any]]:
    """Return one row per text, in order: `{"text", "views": {spec: text | None}, "edits": {spec: [change] | None}}`.

    A view is None where the operator does not apply. A change is `{"kind", "start", "end", "text"}` on the tokens of
    the pack's parse (`harness.protocols.Change`). `operators` are specs (`["crop@10", "swap"]`, or `"crop@10,swap"`);
    operators on word pieces (`repeat`) need `encoder`, a folder or hub id, and give the text of the new pieces, with
    None for their edits. A view depends on seed, spec and text only. `jobs` processes work on the texts; None takes as many
    as there are cores if there are thousands of texts.

    Raises UsageError (unknown language, operator or variant), Skipped (an operator lacks its encoder) and EncoderError.
    """
    return Augmenter(operators, language=language, seed=seed, encoder=encoder).rows(list(texts), jobs=jobs)


class Augmenter:
    """Operators of one language, opened once for many chunks of text; arguments and errors as in `augment`."""

    def __init__(
        self,
        operators: Sequence[str] | str,
        *,
        language: str | LanguagePack,
        seed: int = 0,
        encoder: str | None = None,
    ) -> None:
        written = operators.split(",") if isinstance(operators, str) else operators
        self.pack = open_pack(language)
        self.seed = seed
        tools = OperatorTools(pack=self.pack, encoder=encoder, load_masked_lm=_load_masked_lm)
        # the same operator twice is one view
        found = {op.spec: op for op in resolve([spec.strip() for spec in written], self.pack, tools)}
        self.specs = list(found)
        self._text = [op for op in found.values() if isinstance(op, Operator)]
        self._pieces = [op for op in found.values() if isinstance(op, TokenOperator)]
        self._tokenizer = _tokenizer(self._pieces, encoder) if self._pieces else None

    def rows(self, texts: Sequence[str], *, jobs: int | None = None) -> list[dict[str, Any]]:
        """Return one row per text (see `augment`)."""
        columns = build_views(texts, self._text, pack=self.pack, seed=self.seed, parses=_parses(), jobs=jobs)
        return self._rows(texts, columns)

    def stream(self, chunks: Iterable[Sequence[str]], *, jobs: int | None = None) -> Iterator[list[dict[str, Any]]]:
        """Yield the rows of each chunk of texts, in order, while later ones are worked on."""
        made = stream_views(chunks, self._text, pack=self.pack, seed=self.seed, parses=_parses(), jobs=jobs)
        for texts, columns in made:
            yield self._rows(texts, columns)

    def _rows(self, texts: Sequence[str], columns: Mapping[str, ViewColumn]) -> list[dict[str, Any]]:
        rows = []
        for number, text in enumerate(texts):
            views: dict[str, str | None] = dict.fromkeys(self.specs)
            edits: dict[str, list[dict[str, Any]] | None] = dict.fromkeys(self.specs)
            for spec, column in columns.items():
                changes = column.edits[number]
                views[spec] = column.texts[number]
                edits[spec] = None if changes is None else [asdict(change) for change in changes]
            for operator in self._pieces:
                views[operator.spec] = self._on_pieces(operator, text)
            rows.append({"text": text, "views": views, "edits": edits})
        return rows

    def _on_pieces(self, operator: TokenOperator, text: str) -> str | None:
        tokenizer: Any = self._tokenizer
        ids = operator.apply_ids(tokenizer(text)["input_ids"], python_rng(self.seed, operator.spec, text))
        return None if ids is None else str(tokenizer.decode(ids, skip_special_tokens=True))


def _parses() -> Path | None:
    try:
        return cache_dir() / "parses"
    except DataError as error:
        log.warning("parses are not kept: %s", error)
        return None


def _tokenizer(operators: Sequence[TokenOperator], encoder: str | None) -> Any:
    if encoder is None:
        names = ", ".join(op.spec for op in operators)
        raise Skipped(f"{names} works on an encoder's word pieces; add --encoder PATH|ID (encoder=… in Python).")
    from harness.encoder import load_tokenizer

    return load_tokenizer(encoder)


def _load_masked_lm(encoder: str) -> Any:
    # imported when a model is asked for: text operators need no torch
    from harness.encoder import load_masked_lm

    return load_masked_lm(encoder)
