"""The tokeniser of a new encoder: BERT's, over our own pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def make_tokeniser(pieces: Sequence[str], folder: Path, *, lowercase: bool, limit: int) -> Any:
    """Write `vocab.txt` and a fast tokeniser for `pieces` into `folder` and return it. `limit`: longest row, in pieces."""
    from transformers import BertTokenizer

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    tokeniser = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=lowercase, model_max_length=limit)
    tokeniser.save_pretrained(folder)
    return tokeniser


def encode_lines(tokeniser: Any, lines: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the piece ids of all lines behind each other, without special tokens, and where each line ends.

    ids   uint16 (pieces,)
    ends  int64 (lines,): line i is ids[ends[i - 1] : ends[i]]
    """
    inner, parts, lengths = tokeniser.backend_tokenizer, [], []
    for start in range(0, len(lines), 4_096):
        for encoding in inner.encode_batch_fast(list(lines[start : start + 4_096]), add_special_tokens=False):
            parts.append(np.asarray(encoding.ids, dtype=np.uint16))
            lengths.append(len(parts[-1]))
    ids = np.concatenate(parts) if parts else np.empty(0, np.uint16)
    return ids, np.cumsum(np.asarray(lengths, dtype=np.int64))
