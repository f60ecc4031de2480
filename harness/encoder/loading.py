"""Where an encoder comes from, and what is refused: weights are data, never code.

A name is a local folder or a hub id; an id is brought into the hub cache once and then treated as a folder. Accepted are
safetensors weights and a fast tokenizer; pickled weights and folders that want to run their own code are refused.
"""

from __future__ import annotations

import hashlib
import json
import logging
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.errors import EncoderError
from harness.mini import RANDOM, without_random

log = logging.getLogger(__name__)

_WANTED = ["*.json", "*.txt", "*.model", "*.safetensors"]
_PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack", ".onnx")
_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json", "spiece.model", "sentencepiece.bpe.model")
_DROPOUT_FIELDS = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "dropout",
    "attention_dropout",
    "embedding_dropout",
    "mlp_dropout",
)


def locate(name: str) -> Path:
    """Return the checked folder of an encoder given by folder or hub id (with or without `random:`).

    Raises EncoderError if there is no such folder, the hub cannot be reached, or the folder is not safe and complete.
    """
    name = without_random(name)
    folder = Path(name).expanduser()
    if not folder.is_dir():
        looks_local = folder.exists() or name.startswith((".", "/", "~")) or name.count("/") > 1
        folder = _missing(name, folder) if looks_local else _from_hub(name)
    _check(folder)
    return folder


def _missing(name: str, folder: Path) -> Path:
    what = "is a file" if folder.is_file() else "does not exist"
    raise EncoderError(
        f"encoder {name!r} {what}; expected a folder with config.json, tokenizer files and model.safetensors, or a hub id "
        "such as bert-base-uncased. Check the path, or run `augbench ls languages` for the packs' own encoders."
    )


def _from_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(name, allow_patterns=_WANTED))
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise EncoderError(
            f"encoder {name!r} is neither a folder here nor could it be had from the hub ({type(error).__name__}: "
            f"{reason[:160]}). Copy the model's folder to this machine and pass its path: --encoder PATH."
        ) from error


def _check(folder: Path) -> None:
    config_file = folder / "config.json"
    if not config_file.is_file():
        raise EncoderError(f"{folder} has no config.json; expected a Hugging Face model folder.")
    try:
        json.loads(config_file.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise EncoderError(f"{config_file} is not valid JSON ({error}); copy the folder again.") from error
    for source in (config_file, folder / "tokenizer_config.json"):
        if source.is_file() and "auto_map" in json.loads(source.read_text(encoding="utf-8")):
            raise EncoderError(
                f"{source} contains `auto_map`, which runs code from the folder; AugBench loads weights as data only. Use an "
                "architecture that transformers ships, and save it with `model.save_pretrained(FOLDER)`."
            )
    if not (folder / "model.safetensors").is_file() and not (folder / "model.safetensors.index.json").is_file():
        pickled = sorted(f.name for f in folder.iterdir() if f.suffix in _PICKLED)
        found = f"only {', '.join(pickled)} (pickled weights can run code and are refused)" if pickled else "no weights"
        raise EncoderError(
            f"{folder} has {found}; expected model.safetensors. Convert once in an environment you trust: "
            "`python -c \"from transformers import AutoModel; AutoModel.from_pretrained('FOLDER').save_pretrained('FOLDER')\"`."
        )
    if not any((folder / name).is_file() for name in _TOKENIZER_FILES):
        raise EncoderError(
            f"{folder} has no tokenizer (looked for {', '.join(_TOKENIZER_FILES)}); copy the tokenizer files of the model "
            "into it, e.g. with `tokenizer.save_pretrained(FOLDER)`."
        )


def load_tokenizer(name: str) -> Any:
    """Return the fast tokenizer of an encoder. Raises EncoderError if it has none or lacks a padding token."""
    from transformers import AutoTokenizer

    folder = locate(name)
    try:
        tokenizer = AutoTokenizer.from_pretrained(str(folder), use_fast=True, trust_remote_code=False)
    except Exception as error:
        raise EncoderError(f"the tokenizer in {folder} cannot be loaded: {error}") from error
    if not tokenizer.is_fast:
        raise EncoderError(
            f"{folder} has only a slow tokenizer; save it with a tokenizer.json (transformers ≥ 5 does)."
        )
    if tokenizer.pad_token_id is None:
        raise EncoderError(f"the tokenizer in {folder} has no padding token; AugBench needs a bidirectional encoder.")
    return tokenizer


def load_model(name: str, *, dropout: float | None = None, attention: str = "sdpa", head: str = "AutoModel") -> Any:
    """Return the model in fp32. `dropout` replaces every dropout rate of the config; `head` is a transformers Auto class.

    `random:` before the name asks for fresh weights, drawn from torch's generator as it stands. A pooler that the weights
    do not hold is left out. Raises EncoderError with the reason if the weights do not load or are incomplete.
    """
    import torch
    import transformers
    from transformers import AutoConfig

    folder = locate(name)
    previous = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    try:
        config = AutoConfig.from_pretrained(str(folder), trust_remote_code=False)
        if dropout is not None:
            for field in _DROPOUT_FIELDS:
                if isinstance(getattr(config, field, None), (int, float)):
                    setattr(config, field, dropout)
        auto = getattr(transformers, head)
        if name.startswith(RANDOM):
            return auto.from_config(config, attn_implementation=attention, dtype=torch.float32)
        model, found = auto.from_pretrained(
            str(folder),
            config=config,
            use_safetensors=True,
            trust_remote_code=False,
            attn_implementation=attention,
            dtype="float32",
            output_loading_info=True,
        )
    except EncoderError:
        raise
    except Exception as error:
        raise EncoderError(f"the model in {folder} cannot be loaded: {type(error).__name__}: {error}") from error
    finally:
        transformers.logging.set_verbosity(previous)
    missing = {key for key in found["missing_keys"] if not key.startswith("pooler.")}
    if missing:
        raise EncoderError(
            f"the weights in {folder} lack {len(missing)} tensors of {type(model).__name__} ({min(missing)} …); copy the "
            "folder again, or save it with `model.save_pretrained(FOLDER)`."
        )
    if missing != set(found["missing_keys"]):
        model.pooler = None  # transformers fills it with noise, which must not pass for a trained one
    return model


def fingerprint(name: str) -> str:
    """Return the sha256 of an encoder's weights, config and tokenizer; paths and time stamps do not enter.

    With `random:`, weights do not enter either: they come from the seed of the run.
    """
    fresh = name.startswith(RANDOM)
    folder = locate(name)
    files = sorted(f for f in folder.iterdir() if _is_content(f) and not (fresh and f.suffix == ".safetensors"))
    stamp = tuple((f.name, f.stat().st_size, f.stat().st_mtime_ns) for f in files)
    return _digest(folder, stamp, RANDOM if fresh else "")


def _is_content(file: Path) -> bool:
    return file.suffix == ".safetensors" or file.name in (*_TOKENIZER_FILES, "config.json", "merges.txt")


@lru_cache(maxsize=64)
def _digest(folder: Path, stamp: tuple[tuple[str, int, int], ...], prefix: str) -> str:
    total = hashlib.sha256(prefix.encode())
    for name, _, _ in stamp:
        with (folder / name).open("rb") as handle:
            total.update(f"{name}\0{hashlib.file_digest(handle, 'sha256').hexdigest()}\0".encode())
    return total.hexdigest()
