"""`augbench data overlap`: how many items of every test set stand in a corpus?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from harness.data.contamination import Contamination

_SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class Row:
    """One split of a set: its items, and how many are exact, share a run, and either."""

    name: str
    split: str
    items: int
    exact: int
    shared: int
    touched: int

    @property
    def share(self) -> float:
        """The touched share of the items."""
        return self.touched / self.items if self.items else 0.0


def overlap(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="UTF-8 text, one sentence per line.")],
    language: Annotated[
        str, typer.Option("--language", "-l", help="Language of the test sets: ISO code or pack.")
    ] = "en",
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Data folder. Default: the environment variable AUGBENCH_DATA."),
    ] = None,
    shortest: Annotated[
        int, typer.Option("--shortest", min=1, help="Texts with fewer letters and digits are never called exact.")
    ] = 1,
    items: Annotated[
        Path | None,
        typer.Option(
            "--items", metavar="FILE", help="Write the touched items: numbers of lines, from 0, per file (JSON)."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count the test items that a corpus holds: word for word, or a run of 8 words (13 characters in scripts without blanks).

    Only letters and digits are compared, case folded; a pair is touched if one of its sentences is. `augbench pretrain` and suites
    with `without_tests` leave such lines out of the corpus by a stricter rule.

    Example: augbench data overlap wiki.txt --language en --data DIR --items touched.json
    """
    from rich.console import Console

    from harness.cache import atomic_write
    from harness.cli.ls import print_rows
    from harness.corpus import open_text, read_lines
    from harness.data import open_data
    from harness.data.contamination import CHARACTERS, WORDS, find_contamination, folder_items

    err = Console(stderr=True, soft_wrap=True)
    folder, code = open_data(data), _code(language)
    with open_text(corpus) as stream, err.status("reading the test sets …"):
        sets = folder_items(folder, code)
        lines = (line for line in read_lines(stream, str(corpus)) if line.strip())
        found = find_contamination(sets, lines, shortest=shortest)
    rows = list(summary(found))
    if items is not None:
        text = json.dumps({place: as_indices(one) for place, one in found.items()}, indent=1) + "\n"
        atomic_write(items, text.encode())
    if as_json:
        listed = [{**vars(row), "share": row.share} for row in rows]
        value = {"corpus": corpus.name, "language": code, "words": WORDS, "characters": CHARACTERS, "sets": listed}
        sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")
        return
    shown = [(r.name, r.split, f"{r.items:,}", r.exact, r.shared, r.touched, f"{100 * r.share:.2f}") for r in rows]
    titles = ("set", "split", "items", "exact", "runs", "touched", "%")
    print_rows(titles, shown, as_json=False, empty="")


def summary(found: Mapping[str, Contamination]) -> Iterator[Row]:
    """Yield one row per set and split; subsets of a year of STS are one test set, and `clustering/en/X.tsv` is a set."""
    stems: dict[str, set[str]] = {}
    for place in found:
        folder, _, file = place.rpartition("/")
        stems.setdefault(folder, set()).add(file.removesuffix(".tsv"))
    groups: dict[tuple[str, str], list[Contamination]] = {}
    for place, one in found.items():
        folder, _, file = place.rpartition("/")
        stem = file.removesuffix(".tsv")
        if folder.count("/") < 2:
            key = f"{folder}/{stem}", "all"
        elif folder.startswith("sts/") and not stems[folder] & set(_SPLITS):
            key = folder, "test"
        else:
            key = folder, stem
        groups.setdefault(key, []).append(one)
    for (name, split), parts in groups.items():
        counts = [sum(int(getattr(p, what).sum()) for p in parts) for what in ("exact", "shared", "touched")]
        yield Row(name, split, sum(map(len, parts)), *counts)


def as_indices(found: Contamination) -> dict[str, Any]:
    """Return the numbers of the touched items of a file, from 0, in its order."""
    return {
        "items": len(found),
        "exact": found.exact.nonzero()[0].tolist(),
        "shared": found.shared.nonzero()[0].tolist(),
    }


def _code(language: str) -> str:
    """Return the ISO code of a pack, or what was given if no pack is called so: a folder may hold other languages."""
    from harness.languages import open_pack
    from harness.protocols.registry import names

    return open_pack(language).code if language in names("languages") else language
