"""How much does [CLS] look at negation words? Last layer, mean over the heads (what SDA draws for pairs of SICK-R in its Figure 4).

Weights are those of eager attention, from [CLS] to the word pieces of the text: [CLS], [SEP] and padding are left out and the rest
made to sum to 1. A word has the mean weight of its pieces, so that being cut into many is no advantage.

    ratio  weight of the negation words' pieces over what they would have if all pieces had the same; 1 is no interest
    rank   place of a negation word among the words of its sentence, 1 the highest; ties share the mean place
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.diagnostics.negation_words import NegationWords
from harness.errors import Skipped
from harness.protocols import LanguagePack
from harness.words import is_word

_BATCH = 32


@dataclass(frozen=True)
class Attention:
    """What [CLS] of one text attends to.

    weights  of the text's pieces, shape (pieces,), sum 1;  spans: their (start, end) in the text, shape (pieces, 2)
    """

    weights: np.ndarray
    spans: np.ndarray


@dataclass(frozen=True)
class WordAttention:
    """The words of one text with the mean weight of their pieces, in order; `negative` tells which are negation words.

    ratio  as above;  ranks: of the negation words, in order
    """

    words: tuple[str, ...]
    weights: np.ndarray
    negative: np.ndarray
    ratio: float

    @property
    def ranks(self) -> np.ndarray:
        """Places of the negation words among all words, 1 the highest weight."""
        from scipy.stats import rankdata

        places: np.ndarray = rankdata(-self.weights)[self.negative]
        return places


def model_behind(embedder: Any) -> tuple[Any, Any, int]:
    """Return the transformers model, its fast tokenizer and the greatest length in pieces of what an embedder embeds with.

    Raises Skipped, saying why, for one that has no such model (bag of words, a function).
    """
    encoder = getattr(embedder, "encoder", None)
    if encoder is not None and hasattr(encoder, "model") and hasattr(encoder, "vocabulary"):
        return encoder.model, encoder.vocabulary.tokenizer, embedder.max_length
    if type(embedder).__name__ == "SentenceTransformerEmbedder":
        return _behind_sentence_transformer(embedder.model)
    inner = getattr(embedder, "embedder", None)  # one that changes the vectors of another (whitening)
    if inner is not None and hasattr(inner, "encode"):
        return model_behind(inner)
    kind = getattr(embedder, "name", None) or type(embedder).__name__
    raise Skipped(f"{kind} has no attention to look at; this task needs a transformer encoder.")


def _behind_sentence_transformer(model: Any) -> tuple[Any, Any, int]:
    first = next(iter(model), None)
    inner, tokenizer = getattr(first, "auto_model", None), getattr(first, "tokenizer", None)
    if inner is None or not getattr(tokenizer, "is_fast", False):
        raise Skipped(
            f"the SentenceTransformer begins with {type(first).__name__}, which has no transformers model with a fast tokenizer."
        )
    return inner, tokenizer, int(getattr(model, "max_seq_length", None) or 512)


def cls_attention(model: Any, tokenizer: Any, texts: Sequence[str], *, max_length: int) -> list[Attention]:
    """Return the attention of [CLS] in every text, in order; texts are cut to `max_length` pieces, specials included.

    The model is put into eager attention and back. Raises Skipped if it gives no attention weights, or has no [CLS] in front.
    """
    import torch

    if tokenizer.cls_token_id is None:
        raise Skipped(f"{type(model).__name__} has no [CLS] token whose attention could be looked at.")
    device = next(model.parameters()).device
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    found: dict[int, Attention] = {}
    with _eager(model), torch.inference_mode():
        for start in range(0, len(order), _BATCH):
            chunk = order[start : start + _BATCH]
            rows = tokenizer(
                [texts[i] for i in chunk],
                truncation=True,
                max_length=max_length,
                padding=True,
                return_offsets_mapping=True,
                return_special_tokens_mask=True,
                return_tensors="pt",
            )
            if bool((rows["input_ids"][:, 0] != tokenizer.cls_token_id).any()):
                raise Skipped(f"the tokenizer of {type(model).__name__} does not put [CLS] in front of a text.")
            inputs = {key: rows[key].to(device) for key in ("input_ids", "attention_mask")}
            attentions = model(**inputs, output_attentions=True).attentions
            if not attentions or attentions[-1] is None:
                raise Skipped(f"{type(model).__name__} gives no attention weights.")
            weights = attentions[-1][:, :, 0].float().mean(1).cpu().numpy().astype(np.float64)
            text = (rows["special_tokens_mask"] == 0).numpy() & (rows["attention_mask"] == 1).numpy()
            for row, i in enumerate(chunk):
                own = weights[row, text[row]]
                found[i] = Attention(
                    own / own.sum() if len(own) else own, rows["offset_mapping"][row].numpy()[text[row]]
                )
    return [found[i] for i in range(len(texts))]


@contextmanager
def _eager(model: Any) -> Iterator[None]:
    """Let the model compute attention weights one can see, without dropout, and put it back as it was."""
    if not hasattr(model, "set_attn_implementation"):
        raise Skipped(f"{type(model).__name__} does not offer eager attention.")
    before, training = model.config._attn_implementation, model.training
    try:
        try:
            model.set_attn_implementation("eager")
        except ValueError as error:
            raise Skipped(f"{type(model).__name__} does not offer eager attention: {error}") from error
        model.eval()
        yield
    finally:
        model.set_attn_implementation(before)
        model.train(training)


def words_with_weights(
    text: str, attention: Attention, tokens: Sequence[tuple[str, int, int]], negation: NegationWords
) -> WordAttention | None:
    """Return the words of a text with their weights; None if no negation word has a piece (the text was cut before it).

    tokens  the pack's (word, start, end), ascending. A piece belongs to the word in which it begins.
    """
    starts = np.array([_first_visible(text, start, end) for start, end in attention.spans.tolist()], dtype=np.int64)
    begins = np.array([start for _, start, _ in tokens], dtype=np.int64)
    ends = np.array([end for _, _, end in tokens], dtype=np.int64)
    owner = np.searchsorted(begins, starts, side="right") - 1
    inside = (owner >= 0) & (starts < ends[np.maximum(owner, 0)]) if len(tokens) else np.zeros(len(starts), dtype=bool)
    sums = np.bincount(owner[inside], weights=attention.weights[inside], minlength=len(tokens))
    counts = np.bincount(owner[inside], minlength=len(tokens))
    found = negation.spans(text)
    negative = np.array([any(start < b and a < end for a, b in found) for _, start, end in tokens], dtype=bool)
    here = counts > 0
    if not len(tokens) or not (negative & here).any():
        return None
    ours = negative & here
    ratio = float(sums[ours].sum() / (counts[ours].sum() / len(attention.weights)))
    words = tuple(word for (word, _, _), there in zip(tokens, here, strict=True) if there)
    return WordAttention(words, sums[here] / counts[here], negative[here], ratio)


def _first_visible(text: str, start: int, end: int) -> int:
    """Some tokenizers count the blank in front of a word to its first piece."""
    while start < end and text[start].isspace():
        start += 1
    return start


def word_spans(texts: Sequence[str], pack: LanguagePack) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the words of every text as the pack cuts them, (word, start, end) in characters; punctuation is none."""
    for doc in pack.tokenise_all(texts):
        position, found = 0, []
        for token in doc:
            if is_word(token.text):
                found.append((token.text, position, position + len(token.text)))
            position += len(token.text) + len(token.whitespace_)
        yield found


def negation_attention(
    embedder: Any, texts: Sequence[str], pack: LanguagePack, negation: NegationWords
) -> list[WordAttention | None]:
    """Return the words and weights of every text, None where no negation word is in reach. Raises Skipped as above."""
    model, tokenizer, max_length = model_behind(embedder)
    attentions = cls_attention(model, tokenizer, texts, max_length=max_length)
    spans = word_spans(texts, pack)
    return [
        words_with_weights(text, attention, tokens, negation)
        for text, attention, tokens in zip(texts, attentions, spans, strict=True)
    ]
