"""Make SDA's four views (pi, mv, dn, negation): AugBench on two processes against the obvious script.

The script parses sentence by sentence, in one pass per operator, as published augmentation scripts do. AugBench
parses each sentence once for all operators, in batches, in several processes, and keeps parses and views. Both use the
pack's own pipeline, operators and seeds, and must give the same views line by line. Each side runs in a process of its own,
and both clocks start before spaCy is loaded.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.common import compare

OPERATORS = ("pi", "mv", "dn", "negation")
SEED = 0
# the sample corpus is too small to see more than how long spaCy takes to load; this makes four different ones of it
LEADS = ("", "Then ", "Still ", "Soon ")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this comparison."""
    parser.add_argument("--language", default="english")
    parser.add_argument("--operators", default=",".join(OPERATORS))
    parser.add_argument("--file", type=Path, help="one sentence per line; default: the pack's samples, four times")
    parser.add_argument("--limit", type=int, help="read a sample of this many sentences")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--side", choices=sorted(SIDES), help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)


def run(given: argparse.Namespace) -> None:
    """Alternate the sides, check that the views are equal, then print the ratios."""
    if given.side:
        print(json.dumps(SIDES[given.side](given)))
        return
    from harness.provenance import cpu_model, usable_cores

    versions = f"Python {platform.python_version()}, spaCy {metadata.version('spacy')}"
    print(f"{cpu_model()}, {usable_cores()} cores, {platform.system()}; {versions}; {given.jobs} processes")
    texts = _texts(given)
    letters = sum(map(len, texts))
    print(
        f"{len(texts):,} different sentences, {letters / len(texts):.0f} characters each; operators {given.operators}"
    )
    wall: dict[str, list[float]] = {side: [] for side in SIDES}
    work: dict[str, list[float]] = {side: [] for side in SIDES}
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory() as folder:
            views = {side: _run_side(side, Path(folder), wall[side], work[side]) for side in SIDES}
        for side in ("ours", "again"):
            differ = [i for i, (a, b) in enumerate(zip(views["script"], views[side], strict=True)) if a != b]
            if differ:
                i = differ[0]
                sys.exit(f"{len(differ)} views differ ({side}), first line {i}: {views['script'][i]} {views[side][i]}")
    applied = [sum(row[spec] is not None for row in views["script"]) for spec in views["script"][0]]
    print(f"views equal line by line; applied {dict(zip(views['script'][0], applied, strict=True))}")
    compare("from nothing", wall["ours"], wall["script"])
    compare("another seed (parses kept)", wall["seed"], wall["script"])
    compare("again (views kept)", wall["again"], wall["script"])
    # what other programs on the machine do matters less here
    compare("from nothing, processor time of all processes", work["ours"], work["script"])


def _run_side(side: str, folder: Path, wall: list[float], work: list[float]) -> list[dict[str, str | None]]:
    out = folder / f"{side}.json"
    command = [sys.executable, "-m", "benchmarks", *sys.argv[1:], "--side", side, "--out", str(out)]
    environment = {**os.environ, "AUGBENCH_CACHE": str(folder / "cache")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{side} failed:\n{done.stderr[-2000:]}")
    measured = json.loads(done.stdout.strip().splitlines()[-1])
    wall.append(measured["wall"])
    work.append(measured["work"])
    rows: list[dict[str, str | None]] = json.loads(out.read_text(encoding="utf-8"))
    return rows


def _texts(given: argparse.Namespace) -> list[str]:
    from harness.corpus import read_corpus
    from harness.languages import open_pack

    pack = open_pack(given.language)
    file = given.file or next((pack.samples / "corpus" / pack.code).glob("*.txt"))
    leads = ("",) if given.file else LEADS
    # different ones only: a sentence that comes twice is a saving that the script could make as well
    return list(dict.fromkeys(lead + text for lead in leads for text in read_corpus(file, limit=given.limit).sentences))


def _operators(given: argparse.Namespace, pack: Any) -> list[Any]:
    from harness.operators import resolve

    return resolve(given.operators.split(","), pack)


def _script(given: argparse.Namespace) -> dict[str, float]:
    from harness.languages import open_pack
    from harness.seeds import python_rng

    texts, pack = _texts(given), open_pack(given.language)
    operators = _operators(given, pack)
    rows: list[dict[str, str | None]] = [{} for _ in texts]
    clock = _Clock()
    for operator in operators:
        for row, text in zip(rows, texts, strict=True):
            # not the bare pipeline: a pack may prepare its text (Chinese reads Traditional characters as Simplified ones)
            (doc,) = pack.parse([text])
            edit = operator.apply(doc, python_rng(SEED, operator.spec, text))
            row[operator.spec] = edit.text if edit else None
    return _finish(given, rows, clock.read())


def _ours(given: argparse.Namespace, *, seed: int = SEED) -> dict[str, float]:
    from harness.cache import cache_dir
    from harness.languages import open_pack
    from harness.views import build_views

    texts, pack = _texts(given), open_pack(given.language)
    operators = _operators(given, pack)
    folder = cache_dir()
    clock = _Clock()
    columns = build_views(
        texts, operators, pack=pack, seed=seed, cache=folder / "views", parses=folder / "parses", jobs=given.jobs
    )
    measured = clock.read()
    return _finish(given, [{spec: c.texts[i] for spec, c in columns.items()} for i in range(len(texts))], measured)


def _another_seed(given: argparse.Namespace) -> dict[str, float]:
    return _ours(given, seed=SEED + 1)


class _Clock:
    """Seconds since it was made: wall clock, and processor time of this process and those it started and ended."""

    def __init__(self) -> None:
        self._start = time.perf_counter(), _work()

    def read(self) -> dict[str, float]:
        wall, work = self._start
        return {"wall": time.perf_counter() - wall, "work": _work() - work}


def _work() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _finish(
    given: argparse.Namespace, rows: list[dict[str, str | None]], measured: dict[str, float]
) -> dict[str, float]:
    given.out.write_text(json.dumps(rows), encoding="utf-8")
    return measured


# in this order: the later ones find what the first left
SIDES = {"ours": _ours, "again": _ours, "seed": _another_seed, "script": _script}
