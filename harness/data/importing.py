"""How do files as their authors publish them become files of a data folder? Read by format, written in one layout, compared."""

from __future__ import annotations

import filecmp
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from harness.data import originals
from harness.data.catalog import Catalog
from harness.data.contents import measure
from harness.data.originals import Original
from harness.data.pins import Pins
from harness.data.senteval import senteval
from harness.data.verify import check_file
from harness.errors import DataError, UsageError
from harness.protocols.registry import suggest

#: what `augbench data import` can read: name -> reader of a file or folder, and what it expects
FORMATS: dict[str, tuple[Callable[[Path], Iterable[Original]], str]] = {
    "senteval": (senteval, "SentEval's data/downstream as its script leaves it -> sts/en-senteval, transfer/en"),
    "senteval-raw": (
        partial(senteval, text="original"),
        "the same folder with the organisers' texts -> sts/en, transfer/en",
    ),
    "sick": (originals.sick, "SICK.txt, or SICK_train, _trial, _test_annotated.txt -> sts/en/SICK-R"),
    "mrpc": (originals.mrpc, "msr_paraphrase_train.txt, _test.txt -> transfer/en/MRPC"),
    "cnsd": (originals.cnsd, "cnsd-sts-train.txt, -dev, -test (||) -> sts/zh/STS-B"),
    "simclue": (originals.simclue, "SimCLUE's JSON lines -> corpus/zh/simclue_imported.txt"),
    "qqp": (originals.qqp, "GLUE's QQP/train.tsv, dev.tsv -> other/en/QQP"),
    "snli": (originals.snli, "GLUE's SNLI/*.tsv or snli_1.0_*.txt -> other/en/SNLI"),
    "mnli": (originals.mnli, "GLUE's MNLI/*.tsv or multinli_1.0_*.txt -> other/en/MNLI"),
    "ud": (originals.ud, "a Universal Dependencies repository, *-ud-*.conllu -> treebank/LANGUAGE"),
}


@dataclass(frozen=True)
class Imported:
    """What became of one file.

    outcome  written; there: the same was there; kept: another content was there and stays
    rows     rows of the original that were read;  dropped: those without a label, or known to be broken
    note     how it compares with the catalog
    """

    place: str
    outcome: Literal["written", "there", "kept"]
    rows: int
    dropped: int
    note: str


def import_original(
    name: str, path: Path, root: Path, catalog: Catalog, *, pins: Pins, replace: bool = False
) -> Iterator[Imported]:
    """Read the original format `name` at `path` into the data folder `root`, and yield what became of each file.

    Files of another content give way with `replace` only. What differs from the catalog is written and said: originals come in
    versions. Raises UsageError on an unknown format, DataError on originals that are not as their format says.
    """
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}. {suggest(name, FORMATS)} Formats: {', '.join(FORMATS)}.")
    if not path.exists():
        raise DataError(f"{path} does not exist; {name} expects {FORMATS[name][1].partition(' -> ')[0]}.")
    known = {place: entry for entry in catalog for place in entry.files}
    for original in FORMATS[name][0](path):
        if not original.rows:
            raise DataError(f"{path} has no row for {original.place}; get the original again.")
        place, target = original.place, root / original.place
        with _beside(target) as temporary:
            text = "".join("\t".join(row) + "\n" for row in original.rows)
            temporary.write_text(text, encoding="utf-8", newline="\n")
            try:
                content = measure(temporary, place)
            except DataError as error:
                raise DataError(str(error).replace(str(temporary), f"{path} (read as {place})")) from None
            outcome: Literal["written", "there", "kept"] = "written"
            if target.is_file():
                outcome = "there" if filecmp.cmp(target, temporary, shallow=False) else "written" if replace else "kept"
            note = "another content is there; --replace takes this one" if outcome == "kept" else "not in the catalog"
            if place in known and outcome != "kept":
                found = check_file(temporary, known[place], known[place].files[place], pins)
                note = {"ok": "as in the catalog", "pinned": "pinned"}.get(found.state, "differs from the catalog")
                note += f": {found.note}" if found.note else ""
            if outcome == "written":
                temporary.replace(target)
        yield Imported(place, outcome, content.rows, original.dropped, note)
    pins.write()


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Yield a path beside `target` that is gone afterwards."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield temporary
    except OSError as error:
        raise DataError(f"cannot write {target}: {error.strerror or error}. Choose another --data DIR.") from None
    finally:
        temporary.unlink(missing_ok=True)
