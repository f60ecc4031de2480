"""How does a folder or hub id become a language model that writes? Checked like an encoder, with an end token, left-padded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from harness.encoder.loading import fingerprint, load_model, locate
from harness.errors import EncoderError


class LanguageModel:
    """A causal language model (GPT-2 and its like) with its tokenizer, in fp32, on one device.

    end    id of the token that ends a text;  limit: positions, None where the model has no limit
    """

    def __init__(self, name: str, *, device: str | torch.device = "cpu") -> None:
        """Open a folder or hub id. Raises EncoderError if it is unsafe, incomplete, or names no end token."""
        from transformers import AutoTokenizer

        folder = locate(name)
        try:
            self.tokenizer: Any = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False)
        except Exception as error:
            raise EncoderError(f"the tokenizer in {folder} cannot be loaded: {error}") from error
        if self.tokenizer.eos_token_id is None:
            raise EncoderError(
                f"the language model {name!r} has no end token (eos_token), so its rows can be neither padded nor ended; name one "
                'in its tokenizer_config.json, e.g. "eos_token": "<|endoftext|>", or choose another with --set model=PATH|ID.'
            )
        self.model = load_model(name, head="AutoModelForCausalLM").to(device).eval()
        self.end = int(self.tokenizer.eos_token_id)
        self.limit: int | None = getattr(self.model.config, "max_position_embeddings", None)
        self.sha = fingerprint(name)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.model.parameters()).device

    def ids(self, text: str) -> list[int]:
        """Return the ids of a prompt, without special tokens at its end (nothing may stand between it and what follows)."""
        return list(self.tokenizer(text, add_special_tokens=False)["input_ids"])

    def text(self, ids: Sequence[int]) -> str:
        """Return the text of ids."""
        return str(self.tokenizer.decode(list(ids), skip_special_tokens=True))


class Continuation:
    """Prompts being continued word by word: `logits` for the next one, `append` what was chosen. Left-padded, keys cached."""

    def __init__(self, language_model: LanguageModel, prompts: Sequence[Sequence[int]]) -> None:
        self._lm = language_model
        width = max(map(len, prompts))
        device = language_model.device
        ids = torch.full((len(prompts), width), language_model.end, dtype=torch.long)
        mask = torch.zeros((len(prompts), width), dtype=torch.long)
        for row, prompt in enumerate(prompts):
            ids[row, width - len(prompt) :] = torch.tensor(list(prompt), dtype=torch.long)
            mask[row, width - len(prompt) :] = 1
        self._next, self._mask = ids.to(device), mask.to(device)
        self._places = (self._mask.cumsum(dim=1) - 1).clamp_min(0)
        self._cache: Any = None

    @torch.no_grad()
    def logits(self) -> torch.Tensor:
        """Return the scores (rows, words) of the next word, fp32."""
        out = self._lm.model(
            input_ids=self._next,
            attention_mask=self._mask,
            position_ids=self._places,
            past_key_values=self._cache,
            use_cache=True,
        )
        self._cache = out.past_key_values
        scores: torch.Tensor = out.logits[:, -1].float()
        return scores

    def append(self, words: torch.Tensor) -> None:
        """Add one word (rows,) to every row."""
        self._next = words[:, None]
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(self._mask), 1)], dim=1)
        self._places = self._places[:, -1:] + 1
