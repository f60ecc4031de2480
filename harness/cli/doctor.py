"""`augbench doctor`: is this machine ready, and if not, what is missing?"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

_MINIMUM = (3, 11)
_LOW_DISK_GIB = 2.0


@dataclass(frozen=True)
class Check:
    """One thing that was looked at: `ok`, `warn` (some things will not work) or `fail` (nothing will)."""

    name: str
    state: Literal["ok", "warn", "fail"]
    found: str


def doctor(
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder. Default: the environment variable AUGBENCH_DATA.")
    ] = None,
    results: Annotated[Path, typer.Option("--results", help="Results folder.")] = Path("results"),
) -> None:
    """Check Python, torch, device and precision, language packs, data, folders and disk. Ends with 1 if something fails."""
    from rich.table import Table
    from rich.text import Text

    from harness.cli.console import results_console

    checks = list(examine(data, results))
    styles = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    table = Table(box=None, pad_edge=False)
    for title in ("", "Check", "Found"):
        table.add_column(title)
    for check in checks:
        table.add_row(Text(check.state, style=styles[check.state]), Text(check.name), Text(check.found))
    results_console().print(table)
    if any(check.state == "fail" for check in checks):
        raise typer.Exit(1)


def examine(data: Path | None, results: Path) -> Iterator[Check]:
    """Yield all checks, in the order they matter. A check that breaks is a failed check."""
    parts: list[Callable[[], Iterator[Check]]] = [
        _python,
        _torch,
        _packages,
        _plugins,
        lambda: _data(data),
        lambda: _folders(results),
    ]
    for part in parts:
        try:
            yield from part()
        except Exception as error:
            yield Check(getattr(part, "__name__", "check").strip("_"), "fail", f"{type(error).__name__}: {error}")


def _python() -> Iterator[Check]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= _MINIMUM
    yield Check("Python", "ok" if good else "fail", version if good else f"{version}; install 3.11 or later")


def _torch() -> Iterator[Check]:
    try:
        import torch
    except ImportError as error:
        yield Check("torch", "fail", f"cannot be imported ({error}); install it: pip install torch")
        return
    from harness.encoder.precision import choose_device, choose_precision
    from harness.provenance import cpu_model, usable_cores

    device, reason = choose_device("auto")
    precision, why = choose_precision(device, "auto")
    yield Check("torch", "ok", torch.__version__)
    yield Check(
        "device", "ok", f"{device}: {reason}; {cpu_model()}, {usable_cores()} cores, {torch.get_num_threads()} threads"
    )
    yield Check("precision", "ok", f"{precision}: {why}")


def _packages() -> Iterator[Check]:
    from harness.provenance import code_revision, versions

    found = versions()
    shown = ", ".join(f"{name} {found[name]}" for name in ("transformers", "spacy", "numpy", "scipy") if name in found)
    yield Check("augbench", "ok", f"{found.get('augbench', 'not installed')}, revision {code_revision()}; {shown}")


def _plugins() -> Iterator[Check]:
    from harness.encoder.loading import locate
    from harness.languages import open_pack
    from harness.mini import encoder_folder
    from harness.protocols import registry
    from harness.suite import suite_names

    names = registry.names("languages")
    if not names:
        yield Check("language packs", "fail", "none are registered; install augbench itself: pip install -e .")
    for name in names:
        try:
            pack = open_pack(name)
            list(pack.parse(["One sentence."]))
            locate(encoder_folder(pack.default_encoder, pack))
            yield Check(f"language {name}", "ok", f"parses; encoder {pack.default_encoder}")
        except Exception as error:
            yield Check(f"language {name}", "fail", str(error))
    for group in ("methods", "operators", "tasks"):
        broken = []
        for name in registry.names(group):
            try:
                registry.load(group, name)
            except Exception as error:
                broken.append(f"{name}: {error}")
        state: Literal["ok", "fail"] = "fail" if broken or not registry.names(group) else "ok"
        yield Check(group, state, "; ".join(broken) or ", ".join(registry.names(group)) or "none are registered")
    yield Check("suites", "ok" if suite_names() else "fail", ", ".join(suite_names()) or "none are in the package")


def _data(data: Path | None) -> Iterator[Check]:
    from harness.data import open_data
    from harness.data.folder import ENVIRONMENT
    from harness.errors import AugBenchError
    from harness.tasks import families

    if data is None and not os.environ.get(ENVIRONMENT):
        yield Check("data", "warn", f"none; only samples can be used. Give --data DIR or set {ENVIRONMENT}")
        return
    try:
        folder = open_data(data)
    except AugBenchError as error:
        yield Check("data", "fail", str(error))
        return
    for language in [name for name in folder.sts_languages() if "-" not in name]:
        found = [task for family in families(folder, language).values() for task in family.tasks]
        yield Check(f"data {language}", "ok" if found else "warn", f"{folder.path}: {', '.join(found) or 'no tasks'}")
    corpora = sorted(str(path.relative_to(folder.path)) for path in folder.path.glob("corpus/*/*.txt"))
    yield Check("corpora", "ok" if corpora else "warn", ", ".join(corpora) or "none; give one with --corpus FILE")


def _folders(results: Path) -> Iterator[Check]:
    from harness.cache import cache_dir

    for name, folder, hint in (
        ("cache", cache_dir(), "set AUGBENCH_CACHE to a writable folder"),
        ("results", results, "choose another with --results DIR"),
    ):
        there = _existing(folder)
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            yield Check(name, "fail", f"{folder} cannot be written; {hint}")
            continue
        free = shutil.disk_usage(there).free / 1024**3
        state: Literal["ok", "warn"] = "ok" if free >= _LOW_DISK_GIB else "warn"
        yield Check(
            name, state, f"{folder}, {free:.1f} GiB free" + ("" if state == "ok" else "; a run may fill the disk")
        )


def _existing(folder: Path) -> Path:
    """The folder itself or the nearest one above it that exists."""
    folder = folder.expanduser().absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder
