"""`augbench pretrain`: a small encoder for a language, from plain text."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.errors import UsageError

if TYPE_CHECKING:
    from harness.data.folder import DataFolder
    from harness.pretraining.recipe import Pretrained
    from harness.pretraining.settings import Recipe


def pretrain(
    language: Annotated[
        str, typer.Option(metavar="CODE", help="ISO code of the text's language, or the name of a language pack.")
    ],
    text: Annotated[
        list[Path],
        typer.Option(
            metavar="FILE", help="Plain text, a sentence per line, documents between blank lines; repeatable."
        ),
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the encoder; an encoder there is replaced at the end.")
    ],
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Data folder with test sets to keep out of the text. Default: AUGBENCH_DATA."),
    ] = None,
    overlap_check: Annotated[bool, typer.Option(help="Look for test sentences in the text.")] = True,
    tokens: Annotated[
        float, typer.Option(min=0.001, help="Budget: millions of word pieces to read. More later prolongs the run.")
    ] = 20.0,
    pieces: Annotated[int, typer.Option(min=50, max=65_535, help="Size of the vocabulary.")] = 10_000,
    lowercase: Annotated[bool, typer.Option(help="Lower-case the text and drop accents.")] = True,
    layers: Annotated[int, typer.Option(min=1, help="Transformer layers.")] = 4,
    width: Annotated[int, typer.Option(min=8, help="Size of the vectors.")] = 256,
    heads: Annotated[int, typer.Option(min=1, help="Attention heads.")] = 4,
    inner: Annotated[int, typer.Option(min=8, help="Width of the feed-forward part.")] = 1024,
    positions: Annotated[int, typer.Option(min=16, help="Longest text, in pieces.")] = 128,
    dropout: Annotated[float, typer.Option(min=0, max=0.9, help="Dropout; SimCSE lives on it.")] = 0.1,
    rows: Annotated[int, typer.Option(min=1, help="Rows of POSITIONS pieces per step.")] = 16,
    rate: Annotated[float, typer.Option(min=1e-8, help="Peak learning rate.")] = 1e-3,
    warmup: Annotated[int, typer.Option(min=1, help="Steps until the rate is at its peak.")] = 200,
    decay: Annotated[
        float, typer.Option(min=0.01, max=1, help="Last share of the budget, over which the rate falls.")
    ] = 0.3,
    masked: Annotated[float, typer.Option(min=0.01, max=0.9, help="Share of pieces to guess.")] = 0.3,
    hidden: Annotated[float, typer.Option(min=0.01, max=1, help="Of these: the share behind [MASK].")] = 0.5,
    swapped: Annotated[float, typer.Option(min=0, max=1, help="Of these: the share replaced by any piece.")] = 0.2,
    rarity: Annotated[
        float, typer.Option(min=0, max=1, help="Guess rare words more often: chance ~ frequency ^ -RARITY.")
    ] = 0.5,
    cooccurrence: Annotated[bool, typer.Option(help="Start the embeddings from which pieces stand together.")] = True,
    held_out: Annotated[
        float, typer.Option(min=0.0001, max=0.4, help="Share of documents kept for the perplexity.")
    ] = 0.005,
    licence: Annotated[str, typer.Option(help="Licence of the result, as the text asks for it.")] = "see the text",
    source: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Name, authors and licence of what went in; repeatable.")
    ] = None,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 takes all.")] = 0,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    precision: Annotated[str, typer.Option(help="auto, fp32, bf16 or fp16.")] = "auto",
    seed: Annotated[int, typer.Option(help="Same seed, machine and threads: same encoder.")] = 0,
) -> None:
    """Train a small BERT from nothing by masked-language modelling: vocabulary, weights, a folder that AutoModel loads.

    Plain text in, sensible defaults; any language that BERT's splitter can split. Stopped at any time (Ctrl-C), the same command
    goes on from its last checkpoint, which is at most two minutes old; with more --tokens it prolongs a finished run. Checkpoints
    and the prepared text stay in DIR.work; delete that folder when you are content.

    Test sentences are taken out of the text first and counted; what went in is written to PROVENANCE.md.

    Example: augbench pretrain --language de --text wiki.txt --out encoder --tokens 30 --no-overlap-check
    """
    from pydantic import ValidationError

    from harness.pretraining.recipe import check_out, pretrain_encoder
    from harness.pretraining.settings import Recipe, Shape

    check_out(out)
    _check_numerics(device, precision)
    try:
        recipe = Recipe(
            pieces=pieces,
            lowercase=lowercase,
            tokens=round(tokens * 1e6),
            rows=rows,
            rate=rate,
            warmup=warmup,
            decay=decay,
            masked=masked,
            hidden=hidden,
            swapped=swapped,
            rarity=rarity,
            cooccurrence=cooccurrence,
            held_out=held_out,
            seed=seed,
            shape=Shape(layers=layers, width=width, heads=heads, inner=inner, positions=positions, dropout=dropout),
        )
    except ValidationError as error:
        raise UsageError("; ".join(str(found["msg"]) for found in error.errors())) from None
    code = _code(language)
    if threads:
        import torch

        torch.set_num_threads(threads)
    from harness.cli.workbar import WorkBar

    with WorkBar() as bar:
        made = pretrain_encoder(
            text,
            out,
            recipe,
            language=code,
            data=_data(data) if overlap_check else None,
            command=command(code, text, recipe),
            licence=licence,
            sources=source or [],
            device=device,
            precision=precision,
            say=bar.say,
            progress=lambda done, total, scalars: bar.update("pieces read", done, total, scalars),
        )
    _show(made, out)


def _check_numerics(device: str, precision: str) -> None:
    """Raise UsageError now and not after the text has been prepared."""
    from harness.encoder.precision import choose_device, choose_precision

    choose_precision(choose_device(device)[0], precision)


def _code(language: str) -> str:
    """Return the ISO code of a pack's name; any other short code is taken as it is."""
    from harness.languages import open_pack

    try:
        return open_pack(language).code
    except UsageError:
        if language.isalpha() and len(language) in (2, 3):
            return language.lower()
        raise


def _data(folder: Path | None) -> DataFolder:
    from harness.data.folder import ENVIRONMENT, open_data

    if folder is None and not os.environ.get(ENVIRONMENT):
        raise UsageError(
            f"no test sets are known to keep out of the text: give --data DIR or `export {ENVIRONMENT}=DIR`, or say "
            "--no-overlap-check."
        )
    return open_data(folder)


def command(language: str, files: list[Path], recipe: Recipe) -> str:
    """Return the command line of a recipe, with names in the place of paths; settings that are the default are left out."""
    from harness.pretraining.settings import Recipe as Defaults

    parts = [
        f"augbench pretrain --language {language}",
        *(f"--text {shlex.quote(file.name)}" for file in files),
        "--out DIR",
    ]
    standard = Defaults()
    if recipe.tokens != standard.tokens:
        parts.append(f"--tokens {recipe.tokens / 1e6:.15g}")
    for chosen, usual in ((recipe, standard), (recipe.shape, standard.shape)):
        for name in type(chosen).model_fields:
            value = getattr(chosen, name)
            if name in ("tokens", "shape", "weight_decay", "clip_norm") or value == getattr(usual, name):
                continue
            option = f"--{name.replace('_', '-')}"
            parts.append(f"{option} {value}" if not isinstance(value, bool) else option.replace("--", "--no-"))
    return " ".join(parts)


def _show(made: Pretrained, out: Path) -> None:
    from rich.console import Console
    from rich.table import Table

    story: dict[str, Any] = made.story
    table = Table(show_header=False)
    table.add_column()
    table.add_column(justify="right")
    for name, value in (
        (
            "lines taken out: test sentences",
            "not checked" if made.prepared.overlap is None else f"{made.prepared.removed:,}",
        ),
        ("steps", f"{story['step']:,}"),
        ("pieces read", f"{story['tokens']:,}"),
        ("held-out perplexity", f"{story['perplexity']:.2f}"),
        ("pieces per second", f"{story['tokens'] / max(story['seconds'], 1e-9):,.0f}"),
    ):
        table.add_row(name, value)
    console = Console()
    console.print(table)
    console.print(f"written to {out}; what went in is in {out / 'PROVENANCE.md'}", soft_wrap=True)
