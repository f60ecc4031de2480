"""An encoder as others expect it: a Hugging Face folder that `AutoModel` and `AutoModelForMaskedLM` load, and where it is from."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save

from harness.pretraining.prepare import Prepared

CARD, CURVE = "PROVENANCE.md", "curve.tsv"


def write_encoder(network: Any, tokeniser: Path, out: Path) -> None:
    """Write config, tokeniser and weights into the new folder `out`, the weights in half precision.

    The config says float32: that is what loading gives. The output table is the embedding table and is stored once. There is no
    pooler: nothing trained one.
    """
    out.mkdir(parents=True)
    for file in sorted(tokeniser.iterdir()):
        shutil.copyfile(file, out / file.name)
    network.config.dtype = "float32"
    network.config.save_pretrained(out)
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    config["architectures"] = [type(network).__name__]
    (out / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    tied = set(network.all_tied_weights_keys)
    weights = {
        name: tensor.detach().cpu().to(torch.float16).contiguous()
        for name, tensor in network.state_dict().items()
        if name not in tied
    }
    # not save_file: it makes a file that only its owner can read
    (out / "model.safetensors").write_bytes(save(weights, metadata={"format": "pt"}))


def write_curve(out: Path, curve: Sequence[Sequence[float]]) -> None:
    """Write the loss curve as tab-separated text: step, pieces read, mean loss since the point before."""
    rows = ["step\tpieces\tloss", *("\t".join(map(str, point)) for point in curve)]
    (out / CURVE).write_text("\n".join(rows) + "\n", encoding="utf-8")


def write_provenance(
    out: Path,
    *,
    language: str,
    command: str,
    settings: dict[str, Any],
    prepared: Prepared,
    story: dict[str, Any],
    licence: str,
    sources: Sequence[str],
    versions: dict[str, str],
) -> None:
    """Write what the encoder was made from and how, without a path of any machine."""
    size = (out / "model.safetensors").stat().st_size / 1e6
    lines = [
        f"# The mini encoder for `{language}`",
        "",
        "A small BERT, trained from nothing by masked-language modelling, made by",
        "",
        f"    {command}",
        "",
        f"Licence: {licence}",
        "",
        *(f"- {source}" for source in sources),
        *([""] if sources else []),
        "## Text",
        "",
        "| file | lines | bytes | sha256 |",
        "|---|---:|---:|---|",
        *(f"| {f.name} | {f.lines:,} | {f.bytes:,} | `{f.sha256}` |" for f in prepared.files),
        "",
        f"{prepared.train.pieces:,} pieces to learn from, {prepared.held_out.pieces:,} held out. Vocabulary, first embeddings "
        "and weights come from the former alone.",
        "",
        *_overlap_lines(prepared),
        "## Training",
        "",
        f"- {story['step']:,} steps, {story['tokens']:,} pieces read (special tokens included), "
        f"{story['epoch'] + 1} passes over the text begun, {story['seconds'] / 60:,.0f} minutes of training",
        f"- held-out loss {story['held_out_loss']:.3f} nats per guessed piece, perplexity {story['perplexity']:.1f}; "
        f"the curve is in {CURVE}",
        f"- device {story['device']}; precision {story['precision']}; {story['threads']} threads",
        f"- stored in half precision, {size:.1f} MB",
        "- settings: " + ", ".join(f"{name} {value}" for name, value in settings.items()),
        "- versions: " + ", ".join(f"{name} {value}" for name, value in versions.items()),
        "",
    ]
    (out / CARD).write_text("\n".join(lines), encoding="utf-8")


def _overlap_lines(prepared: Prepared) -> list[str]:
    if prepared.overlap is None:
        return ["The text was **not** compared with any test set.", ""]
    return [
        f"{prepared.removed:,} lines were taken out before anything was learnt, because their letters and digits are those of a "
        "test text (of at least 13) or because they share 13 words in a row (26 where words are Chinese characters) with one:",
        "",
        "| set | distinct texts | equal lines | lines with a shared run |",
        "|---|---:|---:|---:|",
        *(f"| {found.name} | {found.texts:,} | {found.equal:,} | {found.runs:,} |" for found in prepared.overlap),
        "",
    ]
