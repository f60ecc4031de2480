"""The encoder's own masked-language-model head, where its weights carry one: what word would it put here?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import torch

from harness.encoder.loading import fingerprint, load_model, load_tokenizer, locate
from harness.protocols.scripts import UNSPACED

_BLANK_UNSPACED = re.compile(f"(?<=[{UNSPACED}]) | (?=[{UNSPACED}])")
_HEAD_PREFIXES = ("cls.predictions.", "lm_head.", "vocab_transform.", "vocab_projector.", "generator_lm_head.")


class MaskedLM:
    """Fills mask tokens by arg-max. `available` is False if the weights hold no head (then only `mask_token` is of use)."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tokenizer = load_tokenizer(name)
        self.mask_token: str = self.tokenizer.mask_token or ""
        self.available = bool(self.mask_token) and _has_head(name)
        self._model: Any = None

    def pieces(self, word: str) -> int:
        """Number of word pieces of `word` (at least 1)."""
        return max(1, len(self.tokenizer(word, add_special_tokens=False)["input_ids"]))

    @torch.inference_mode()
    def fill(self, texts: Sequence[str]) -> list[list[str]]:
        """Return, per text, the predicted piece for each mask token in order; never a special token.

        Masks behind the model's length limit are not filled: their list is shorter.
        """
        if self._model is None:
            self._model = load_model(self.name, head="AutoModelForMaskedLM").eval()
        out: list[list[str]] = []
        for start in range(0, len(texts), 64):
            batch = self.tokenizer(list(texts[start : start + 64]), padding=True, truncation=True, return_tensors="pt")
            scores = self._model(**batch).logits
            scores[..., self.tokenizer.all_special_ids] = -torch.inf
            for ids, logits in zip(batch["input_ids"], scores, strict=True):
                best = logits[ids == self.tokenizer.mask_token_id].argmax(-1)
                out.append(self.tokenizer.convert_ids_to_tokens(best.tolist()))
        return out

    def join(self, pieces: Sequence[str]) -> str:
        """The text of consecutive pieces; no blank beside characters of a script that writes none between words."""
        text: str = self.tokenizer.convert_tokens_to_string(list(pieces))
        return _BLANK_UNSPACED.sub("", text.strip())

    def fingerprint(self) -> str:
        """The sha256 of the encoder the predictions come from."""
        return fingerprint(self.name)


def _has_head(name: str) -> bool:
    from safetensors import safe_open

    for file in locate(name).glob("*.safetensors"):
        with safe_open(file, framework="pt") as weights:
            if any(key.startswith(_HEAD_PREFIXES) for key in weights.keys()):  # noqa: SIM118 (not a dict)
                return True
    return False


def load_masked_lm(name: str) -> MaskedLM:
    """Return the masked language model of an encoder folder or hub id. Raises EncoderError if it cannot be loaded."""
    return MaskedLM(name)
