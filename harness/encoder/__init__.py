"""Encoders: safe loading, padding-free forwards, poolers, and the embedder that is evaluated and exported."""

from harness.encoder.embedder import TextEmbedder, open_embedder
from harness.encoder.loading import fingerprint, load_model, load_tokenizer, locate
from harness.encoder.masked_lm import MaskedLM, load_masked_lm
from harness.encoder.text_encoder import TextEncoder, load_text_encoder
from harness.encoder.vocabulary import Vocabulary

__all__ = [
    "MaskedLM",
    "TextEmbedder",
    "TextEncoder",
    "Vocabulary",
    "fingerprint",
    "load_masked_lm",
    "load_model",
    "load_text_encoder",
    "load_tokenizer",
    "locate",
    "open_embedder",
]
