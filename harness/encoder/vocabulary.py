"""The word pieces of an encoder: ids with a meaning, and texts to id rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


def tokenizer_text(tokenizer: Any) -> str:
    """Return everything that decides how a fast transformers tokenizer cuts texts, as JSON.

    Truncation and padding are left out: they are arguments of each call, and the last call's would stay in the tokenizer.
    """
    from tokenizers import Tokenizer

    plain = Tokenizer.from_str(tokenizer.backend_tokenizer.to_str())
    plain.no_truncation()
    plain.no_padding()
    return str(plain.to_str())


@dataclass(frozen=True)
class Vocabulary:
    """Special ids and size of a tokenizer. `special` are the ids an edit must never touch."""

    size: int
    pad: int
    cls: int | None
    sep: int | None
    mask: int | None
    unknown: int | None
    special: frozenset[int]
    limit: int
    tokenizer: Any = field(repr=False, compare=False)

    @classmethod
    def of(cls, tokenizer: Any, max_positions: int | None) -> Vocabulary:
        """Read a transformers tokenizer; `limit` is the longest row the model has positions for."""
        sane = tokenizer.model_max_length if tokenizer.model_max_length < 1_000_000 else None
        limits = [n for n in (sane, max_positions) if n]
        return cls(
            size=len(tokenizer),
            pad=tokenizer.pad_token_id,
            cls=tokenizer.cls_token_id,
            sep=tokenizer.sep_token_id,
            mask=tokenizer.mask_token_id,
            unknown=tokenizer.unk_token_id,
            special=frozenset(tokenizer.all_special_ids),
            limit=min(limits) if limits else 512,
            tokenizer=tokenizer,
        )

    def rows(self, texts: Sequence[str], max_length: int | None = None, *, truncate: bool = True) -> list[np.ndarray]:
        """Return one int32 id array per text, specials included, cut to `max_length` (default: the model's limit)."""
        if not texts:
            return []
        length = min(max_length or self.limit, self.limit)
        ids: list[np.ndarray] = []
        for start in range(0, len(texts), 16_384):  # bounded memory on large corpora
            chunk = list(texts[start : start + 16_384])
            encoded = self.tokenizer(
                chunk,
                truncation=truncate,
                max_length=length if truncate else None,
                return_attention_mask=False,
                return_token_type_ids=False,
                verbose=False,
            )["input_ids"]
            ids.extend(np.asarray(row, dtype=np.int32) for row in encoded)
        return ids
