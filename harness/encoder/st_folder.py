"""The extra files by which sentence-transformers opens a saved embedder and gives the same vectors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors.torch import save_file

from harness.encoder.heads import SimCSEHead

if TYPE_CHECKING:
    from harness.encoder.embedder import TextEmbedder

#: hidden states (0 = embedding output) that a layer pooler averages
LAYER_WEIGHTS = {"avg_top2": (-2, -1), "avg_first_last": (1, -1), "avg_embed_last": (0, -1)}


def write(embedder: TextEmbedder, folder: Path) -> bool:
    """Write modules.json and its parts; return False (and write nothing) for a head sentence-transformers cannot express."""
    encoder, pooler = embedder.encoder, embedder.pooler
    size = encoder.hidden_size
    dense = _dense(embedder)
    if pooler in ("cls_head", "cls_pooler") and dense is None:
        return False
    _json(folder / "sentence_bert_config.json", {"max_seq_length": embedder.max_length, "do_lower_case": False})
    modules = [("", "sentence_transformers.models.Transformer")]
    if pooler in LAYER_WEIGHTS:
        states = encoder.config.num_hidden_layers + 1
        weights = torch.zeros(states)
        for layer in LAYER_WEIGHTS[pooler]:
            weights[layer] += 1.0
        where = folder / "1_WeightedLayerPooling"
        _json(
            where / "config.json",
            {"embedding_dimension": size, "layer_start": 0, "num_hidden_layers": states - 1},
        )
        save_file({"layer_weights": weights}, where / "model.safetensors")
        modules.append((where.name, "sentence_transformers.models.WeightedLayerPooling"))
    where = folder / f"{len(modules)}_Pooling"
    mode = "cls" if pooler.startswith("cls") else "mean"
    _json(
        where / "config.json",
        {
            "word_embedding_dimension": size,
            "pooling_mode_cls_token": mode == "cls",
            "pooling_mode_mean_tokens": mode == "mean",
            "pooling_mode_max_tokens": False,
            "pooling_mode_mean_sqrt_len_tokens": False,
        },
    )
    modules.append((where.name, "sentence_transformers.models.Pooling"))
    if dense is not None:
        where = folder / f"{len(modules)}_Dense"
        activation = "torch.nn.modules.activation.Tanh"
        _json(
            where / "config.json",
            {"in_features": size, "out_features": size, "bias": True, "activation_function": activation},
        )
        save_file({f"linear.{k}": v for k, v in dense.items()}, where / "model.safetensors")
        modules.append((where.name, "sentence_transformers.models.Dense"))
    listed = [{"idx": i, "name": str(i), "path": path, "type": kind} for i, (path, kind) in enumerate(modules)]
    _json(folder / "modules.json", listed)
    return True


def _dense(embedder: TextEmbedder) -> dict[str, torch.Tensor] | None:
    """Weights of the linear + tanh layer behind [CLS], if that is what the pooler is."""
    layer: Any = None
    if embedder.pooler == "cls_head" and isinstance(embedder.encoder.head, SimCSEHead):
        layer = embedder.encoder.head.linear
    elif embedder.pooler == "cls_pooler":
        layer = getattr(getattr(embedder.encoder.model, "pooler", None), "dense", None)
    return None if layer is None else {k: v.detach().cpu().contiguous() for k, v in layer.state_dict().items()}


def _json(file: Path, value: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
