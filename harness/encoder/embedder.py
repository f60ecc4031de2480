"""The artefact that is evaluated, stored and taken home: encoder + pooler (+ head), texts in, vectors out.

A saved embedder is an ordinary Hugging Face folder (`AutoModel` loads it) that sentence-transformers opens too, plus
`augbench.json`, which says how the vectors are pooled.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from safetensors.torch import load_file, save_file

from harness.encoder import st_folder
from harness.encoder.encode import encode_rows
from harness.encoder.heads import HEADS, make_head
from harness.encoder.precision import choose_device, choose_precision
from harness.encoder.text_encoder import Layout, TextEncoder, check_pooler, load_text_encoder
from harness.encoder.vocabulary import tokenizer_text
from harness.errors import EncoderError, UsageError
from harness.mini import RANDOM
from harness.seeds import derive


class TextEmbedder:
    """Embeds texts with a `TextEncoder` (see `harness.protocols.Embedder`).

    max_length  word pieces per text, specials included; None = the encoder's own limit
    precision   `fp32`, `bf16`, `fp16` or `auto`;  the vectors returned are float32 in any case
    """

    def __init__(
        self, encoder: TextEncoder, *, pooler: str | None = None, max_length: int | None = None, precision: str = "auto"
    ) -> None:
        self.encoder = encoder.eval()
        self.pooler = check_pooler(pooler or encoder.pooler)
        limit = encoder.vocabulary.limit
        if max_length is not None and not 3 <= max_length <= limit:
            raise UsageError(f"max_length {max_length} is outside 3 … {limit}, the positions this encoder has.")
        self.max_length = max_length or limit
        self.precision, self.precision_reason = choose_precision(encoder.device, precision)

    def encode(self, texts: Sequence[str], *, progress: bool = False) -> np.ndarray:
        """Vectors, float32 (len(texts), d), in the order given; equal texts are encoded once."""
        place: dict[str, int] = {}
        index = np.fromiter((place.setdefault(t, len(place)) for t in texts), dtype=np.int64, count=len(texts))
        rows = self.encoder.vocabulary.rows(list(place), self.max_length)
        vectors = encode_rows(self.encoder, rows, pooler=self.pooler, precision=self.precision, progress=progress)
        return vectors[index]

    def fingerprint(self) -> str:
        """sha256 over weights, tokenizer and everything else that changes the vectors (precision included)."""
        total = hashlib.sha256(json.dumps(self._settings(), sort_keys=True).encode())
        total.update(tokenizer_text(self.encoder.vocabulary.tokenizer).encode())
        parts = {"model": self.encoder.model, "head": self.encoder.head}
        for part, module in parts.items():
            for name, tensor in sorted(module.state_dict().items()) if module is not None else ():
                total.update(f"{part}.{name}:{tuple(tensor.shape)}:{tensor.dtype}".encode())
                total.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
        return total.hexdigest()

    def describe(self) -> dict[str, Any]:
        """Settings and automatic choices with their reasons, as JSON values."""
        config = self.encoder.config
        return {
            **self._settings(),
            "precision_reason": self.precision_reason,
            "architecture": type(self.encoder.model).__name__,
            "layers": getattr(config, "num_hidden_layers", None),
            "hidden_size": config.hidden_size,
            "parameters": sum(p.numel() for p in self.encoder.model.parameters()),
            **self.encoder.notes,
        }

    def _settings(self) -> dict[str, Any]:
        head = getattr(self.encoder.head, "name", None) if self.pooler == "cls_head" else None
        return {"pooler": self.pooler, "max_length": self.max_length, "precision": self.precision, "head": head}

    def save(self, folder: Path | str) -> None:
        """Write the folder. Readable by `TextEmbedder.load`, `AutoModel` and, where poolers allow, sentence-transformers."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        transformers.logging.disable_progress_bar()  # one file; a bar says nothing
        model = self.encoder.model
        layered = self.pooler in st_folder.LAYER_WEIGHTS
        self.encoder.config.output_hidden_states = layered
        model.save_pretrained(folder, safe_serialization=True)  # type: ignore[operator]
        self.encoder.vocabulary.tokenizer.save_pretrained(folder)
        if self.encoder.head is not None:
            state = {k: v.detach().cpu().contiguous() for k, v in self.encoder.head.state_dict().items()}
            save_file(state, folder / "head.safetensors")
        kept = {**self._settings(), "format": 1, "sentence_transformers": st_folder.write(self, folder)}
        (folder / "augbench.json").write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path | str, *, precision: str = "auto", device: str = "auto") -> TextEmbedder:
        """Open a folder written by `save`. Raises EncoderError if it is not one."""
        described = Path(folder) / "augbench.json"
        if not described.is_file():
            raise EncoderError(
                f"{folder} has no augbench.json; open other encoders with their pooler: --pooling avg|cls|…."
            )
        kept = json.loads(described.read_text(encoding="utf-8"))
        encoder = load_text_encoder(str(folder), pooler=kept["pooler"], device=choose_device(device)[0])
        if kept.get("head") in HEADS:
            encoder.head = make_head(kept["head"], encoder.hidden_size).to(encoder.device).eval()
            encoder.head.load_state_dict(load_file(Path(folder) / "head.safetensors"))
        return cls(encoder, max_length=kept["max_length"], precision=precision)


def open_embedder(
    name: str,
    *,
    pooler: str | None = None,
    max_length: int | None = None,
    precision: str = "auto",
    device: str = "auto",
    layout: Layout = "auto",
) -> TextEmbedder:
    """Open any encoder by folder or hub id. A folder that AugBench saved brings its own pooler and length.

    With `random:` before the name the weights are fresh ones, always the same.

    Raises EncoderError or UsageError with the next step.
    """
    folder = Path(name).expanduser()
    if pooler is None and max_length is None and (folder / "augbench.json").is_file():
        return TextEmbedder.load(folder, precision=precision, device=device)
    check_pooler(pooler or "avg")
    where, _ = choose_device(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(derive(0, RANDOM))
        encoder = load_text_encoder(name, pooler=pooler or "avg", layout=layout, device=where)
    return TextEmbedder(encoder, max_length=max_length, precision=precision)
