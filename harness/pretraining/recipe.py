"""The whole way from text files to an encoder folder."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.data.folder import DataFolder
from harness.errors import UsageError
from harness.pretraining.prepare import Prepared, Say, prepare
from harness.pretraining.settings import Recipe

if TYPE_CHECKING:
    from harness.pretraining.loop import Progress

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Pretrained:
    """What came out: the text that went in, and the story of the training (steps, tokens, perplexity, curve …)."""

    prepared: Prepared
    story: dict[str, Any]


def work_folder(out: Path) -> Path:
    """Return where checkpoints and the prepared text lie while an encoder for `out` is made."""
    return out.with_name(out.name + ".work")


def check_out(out: Path) -> None:
    """Raise UsageError if `out` is something else than an encoder that may be replaced."""
    if out.exists() and not (out.is_dir() and ((out / "config.json").is_file() or not any(out.iterdir()))):
        raise UsageError(f"{out} exists and is no encoder; give another --out, or remove it.")


def pretrain_encoder(
    files: Sequence[Path],
    out: Path,
    recipe: Recipe,
    *,
    language: str,
    data: DataFolder | None,
    command: str,
    licence: str,
    sources: Sequence[str] = (),
    device: str = "auto",
    precision: str = "auto",
    say: Say = log.info,
    progress: Progress | None = None,
) -> Pretrained:
    """Make an encoder from `files` in the folder `out`, which is written at the end; see `Recipe` for the settings.

    Stopped at any time, the same call goes on from the last checkpoint; with a larger `recipe.tokens` it prolongs a finished run.
    `language`: code, for the test sets of `data` and the provenance file. Raises DataError, UsageError, TrainingError.
    """
    check_out(out)
    work = work_folder(out)
    work.mkdir(parents=True, exist_ok=True)
    prepared = prepare(files, recipe, work, language=language, data=data, say=say)

    import torch
    from transformers import AutoTokenizer

    from harness.pretraining.folder import write_curve, write_encoder, write_provenance
    from harness.pretraining.loop import Reader, pretrain
    from harness.pretraining.network import make_network, start_from
    from harness.provenance import versions

    tokeniser = AutoTokenizer.from_pretrained(str(prepared.tokeniser))
    special = {name: getattr(tokeniser, f"{name}_token_id") for name in ("pad", "cls", "sep", "mask", "unk")}
    network = make_network(recipe.shape, len(tokeniser), recipe.seed, pad=special["pad"])
    start_from(network, prepared.vectors, prepared.counts, recipe.seed)
    size = sum(parameter.numel() for parameter in network.parameters())
    say(f"training {size / 1e6:.1f} million parameters on {prepared.train.pieces:,} pieces")
    story = pretrain(
        network,
        Reader(prepared.train, recipe, special, prepared.counts),
        Reader(prepared.held_out, recipe, special, prepared.counts),
        work=work,
        text=prepared.key,
        device=device,
        precision=precision,
        progress=progress,
    )
    story["threads"] = torch.get_num_threads()
    fresh = work / "encoder"
    shutil.rmtree(fresh, ignore_errors=True)
    write_encoder(network, prepared.tokeniser, fresh)
    write_curve(fresh, story["curve"])
    write_provenance(
        fresh,
        language=language,
        command=command,
        settings={**recipe.shape.model_dump(), **recipe.model_dump(exclude={"shape"})},
        prepared=prepared,
        story=story,
        licence=licence,
        sources=sources,
        versions={name: found for name, found in versions().items() if found},
    )
    _replace(fresh, out)
    return Pretrained(prepared, story)


def _replace(fresh: Path, out: Path) -> None:
    """Put the new files into `out`; others there (a card written by hand) stay."""
    out.mkdir(parents=True, exist_ok=True)
    for file in sorted(fresh.iterdir()):
        file.replace(out / file.name)
    fresh.rmdir()
