"""`augbench pretrain-lm`: a small language model that writes sentences, from plain text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.errors import UsageError


def pretrain_lm(
    text: Annotated[
        list[Path], typer.Option(metavar="FILE", help="Plain text, a sentence per line, UTF-8; repeatable.")
    ],
    out: Annotated[Path, typer.Option(metavar="DIR", help="New folder for the language model.")],
    steps: Annotated[int, typer.Option(min=1, help="Steps of ROWS rows.")] = 400,
    rows: Annotated[int, typer.Option(min=1, help="Rows of POSITIONS pieces per step.")] = 8,
    pieces: Annotated[int, typer.Option(min=50, max=65_535, help="Size of the vocabulary.")] = 4_000,
    lowercase: Annotated[bool, typer.Option(help="Lower-case the text and drop accents.")] = True,
    quotes: Annotated[
        str, typer.Option(metavar="XY", help="Opening and closing quote of a sentence, e.g. “” for Chinese.")
    ] = '""',
    layers: Annotated[int, typer.Option(min=1, help="Transformer layers.")] = 2,
    width: Annotated[int, typer.Option(min=8, help="Size of the vectors.")] = 128,
    heads: Annotated[int, typer.Option(min=1, help="Attention heads.")] = 4,
    positions: Annotated[int, typer.Option(min=32, help="Longest text, instruction included, in pieces.")] = 256,
    rate: Annotated[float, typer.Option(min=1e-8, help="Peak learning rate.")] = 2e-3,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    precision: Annotated[str, typer.Option(help="auto, fp32, bf16 or fp16.")] = "auto",
    seed: Annotated[int, typer.Option(help="Same seed, machine and threads: same model.")] = 0,
) -> None:
    """Train a small GPT-2 that writes a sentence after an opening quote: enough to try generation without a download.

    It is poor by design and no basis for a result; name a real language model for that.

    Example: augbench pretrain-lm --text corpus.txt --out lm
    """
    from pydantic import ValidationError

    from harness.cli.workbar import WorkBar
    from harness.pretraining.causal import CausalRecipe, pretrain_causal

    if len(quotes) != 2:
        raise UsageError(f"--quotes {quotes!r}: expected two characters, the opening and the closing quote.")
    try:
        recipe = CausalRecipe(
            steps=steps,
            rows=rows,
            pieces=pieces,
            lowercase=lowercase,
            opening=quotes[0],
            closing=quotes[1],
            layers=layers,
            width=width,
            heads=heads,
            positions=positions,
            rate=rate,
            seed=seed,
        )
    except ValidationError as error:
        raise UsageError("; ".join(str(found["msg"]) for found in error.errors())) from None
    with WorkBar() as bar:
        made = pretrain_causal(
            text,
            out,
            recipe,
            device=device,
            precision=precision,
            progress=lambda done, total, scalars: bar.update("steps", done, total, scalars),
        )
    from rich.console import Console

    Console().print(
        f"learnt from {made.pieces:,} pieces; loss {made.loss:.2f}, held-out perplexity {made.perplexity:.1f}; written to {out}",
        soft_wrap=True,
    )
