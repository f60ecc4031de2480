"""How likely does a masked language model find a text? Each word piece is masked in turn and guessed from all others.

    log-likelihood of a text   Σ over its pieces t of log P(w_t | all other pieces)      (Salazar et al., ACL 2020)
    pseudo-perplexity          exp(-Σ over texts of these / number of pieces): lower is more usual; 1 = everything foreseen

A word of several pieces is easy to guess from its other pieces, which makes long rare words look likelier than they are (Kauf
and Ivanova, ACL 2023); numbers of different tokenisers cannot be compared.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from harness.encoder.loading import load_model
from harness.encoder.masked_lm import MaskedLM

# word pieces of one forward
_TOKENS = 4_096


@torch.inference_mode()
def pseudo_log_likelihoods(masked_lm: MaskedLM, texts: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return each text's log-likelihood (natural, float64) and its number of pieces, shape (len(texts),) each.

    Special tokens are neither guessed nor counted; a text is cut to the model's length. Equal texts are computed once. Raises
    ValueError if the weights hold no head (`masked_lm.available`).
    """
    if not masked_lm.available:
        raise ValueError(f"{masked_lm.name} holds no masked-language-model head")
    model = load_model(masked_lm.name, head="AutoModelForMaskedLM").eval()
    tokenizer = masked_lm.tokenizer
    place: dict[str, int] = {}
    index = [place.setdefault(text, len(place)) for text in texts]
    limit = getattr(model.config, "max_position_embeddings", None)
    length = min(int(tokenizer.model_max_length), int(limit) if limit else 512)
    rows = [tokenizer(text, truncation=True, max_length=length)["input_ids"] for text in place]
    special = set(tokenizer.all_special_ids) - {tokenizer.unk_token_id}
    todo = [(row, spot) for row, ids in enumerate(rows) for spot, piece in enumerate(ids) if piece not in special]
    sums, counts = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    # equal lengths together: no padding
    todo.sort(key=lambda pair: len(rows[pair[0]]))
    for batch in _batches(todo, rows):
        ids = torch.tensor([rows[row] for row, _ in batch])
        spots = torch.tensor([spot for _, spot in batch])
        places = torch.arange(len(batch))
        wanted = ids[places, spots].clone()
        ids[places, spots] = tokenizer.mask_token_id
        with _only(model, spots):
            logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
        if logits.dim() == 3:  # a model whose last layer cannot be told apart
            logits = logits[places, spots]
        found = torch.log_softmax(logits.float(), -1)[places, wanted].tolist()
        for (row, _), value in zip(batch, found, strict=True):
            sums[row] += value
            counts[row] += 1
    return sums[index], counts[index]


def perplexity(log_likelihoods: np.ndarray, pieces: np.ndarray) -> float | None:
    """Return the pseudo-perplexity of texts from what `pseudo_log_likelihoods` gave; None without a piece."""
    total = int(pieces.sum())
    return math.exp(-float(log_likelihoods.sum()) / total) if total else None


def _batches(todo: Sequence[tuple[int, int]], rows: Sequence[Sequence[int]]) -> Iterator[Sequence[tuple[int, int]]]:
    start = 0
    while start < len(todo):
        width = len(rows[todo[start][0]])
        stop = start + 1
        while stop < len(todo) and len(rows[todo[stop][0]]) == width and (stop - start + 1) * width <= _TOKENS:
            stop += 1
        yield todo[start:stop]
        start = stop


@contextmanager
def _only(model: Any, spots: torch.Tensor) -> Iterator[None]:
    """Let the last layer, which costs more than all the others, compute one place of each row."""
    last = model.get_output_embeddings()
    if last is None:
        yield
        return
    places = torch.arange(len(spots))
    handle = last.register_forward_pre_hook(lambda module, args: (args[0][places, spots], *args[1:]))
    try:
        yield
    finally:
        handle.remove()
