"""What did the readers say? Labels of operator outputs, kept in the pack without the sentences they are about.

`quality/<operator>.jsonl` begins with a header (corpus, pack, operator, who labelled, by which guidelines); every further line is
one output: corpus line, sha256 of the sentence and of the output, seed, label and perhaps a note. Whoever has the corpus can
find every sentence again, and nobody gets one from here.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.cache import atomic_write
from harness.corpus import open_text, read_lines
from harness.errors import DataError, UsageError
from harness.operators import resolve
from harness.protocols import LanguagePack, Operator
from harness.quality.sheet import LABELS, Judged, corpus_facts, corpus_lines, read_sheet, sha
from harness.seeds import python_rng
from harness.statistics import wilson

FOLDER = "quality"
GUIDELINES = "GUIDELINES.md"
_HEADER = ("operator", "corpus", "date", "labelled_by", "guidelines")
_VERSION = re.compile(r"^Version: (\d+)$", re.MULTILINE)
_ROW = {"line": int, "original": str, "output": str, "seed": int, "label": str}


@dataclass(frozen=True)
class Labels:
    """The labels of one operator: what the file's header says, and its rows."""

    header: dict[str, Any]
    rows: tuple[Judged, ...]

    @property
    def spec(self) -> str:
        """The operator as written, `name` or `name@variant`."""
        return str(self.header["operator"])


@dataclass(frozen=True)
class Precision:
    """How many of the outputs a reader found right, odd or wrong."""

    right: int
    odd: int
    wrong: int

    @classmethod
    def of(cls, rows: Sequence[Judged]) -> Precision:
        """Count the labels of some rows."""
        counts = Counter(row.label for row in rows)
        return cls(counts["right"], counts["odd"], counts["wrong"])

    @property
    def rows(self) -> int:
        """All labelled outputs."""
        return self.right + self.odd + self.wrong

    @property
    def value(self) -> float | None:
        """The share that is right, in [0, 1]; None without rows."""
        return self.right / self.rows if self.rows else None

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of `value`."""
        return wilson(self.right, self.rows)


def store_labels(
    sheet: Path | str, *, pack: LanguagePack, labelled_by: str, folder: Path | None = None, replace: bool = False
) -> dict[str, Path]:
    """Store the labels of a finished sheet in the pack, one file per operator as written, and return the files.

    folder  where to write (default: `quality/` of the pack);  replace: overwrite labels that are there

    Raises DataError (see `read_sheet`; a sheet of another pack; no guidelines) and UsageError (nobody named; files that
    are there). Nothing is written then.
    """
    if not labelled_by.strip():
        raise UsageError("labels without a reader are worth nothing; say who labelled with --labelled-by NAME.")
    judged, key = read_sheet(sheet)
    if key["language"] != pack.name:
        raise DataError(f"{sheet} was drawn for {key['language']}, not for {pack.name}; name that with --language.")
    version = guidelines_version(pack)
    folder = folder or pack.folder / FOLDER
    read = {row.spec for row in judged}
    files = {spec: folder / f"{spec}.jsonl" for spec in key["operators"] if spec in read}
    there = [path for path in files.values() if path.exists()]
    if there and not replace:
        raise UsageError(f"{there[0]} holds labels already; add --replace to give them up, or --folder DIR.")
    for spec, path in files.items():
        header = {
            "operator": spec,
            "corpus": key["corpus"],
            "pack": key["pack"],
            **{f"operator_{name}": value for name, value in key["operators"][spec].items() if name != "tried"},
            "tried": key["operators"][spec]["tried"],
            "date": datetime.now(UTC).date().isoformat(),
            "labelled_by": labelled_by.strip(),
            "guidelines": version,
        }
        rows = sorted((row for row in judged if row.spec == spec), key=lambda row: (row.line, row.seed))
        atomic_write(path, "".join(f"{_json(row)}\n" for row in (header, *map(_stored, rows))).encode())
    return files


def guidelines_version(pack: LanguagePack) -> int:
    """Return the version in the pack's guidelines for readers. Raises DataError if they or their version are missing."""
    path = pack.folder / FOLDER / GUIDELINES
    try:
        found = _VERSION.search(path.read_text(encoding="utf-8"))
    except OSError:
        found = None
    if found is None:
        raise DataError(
            f"there is no {path} with a line 'Version: 1'. Say there what right, odd and wrong mean for each operator; "
            "see the English pack."
        )
    return int(found[1])


def read_labels(path: Path | str) -> Labels:
    """Return the labels of one file. Raises DataError, with file and line, for what is not one."""
    path = Path(path)
    with open_text(path) as stream:
        lines = list(read_lines(stream, str(path)))
    rows = [_object(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1)]
    missing = [name for name in _HEADER if not rows or not rows[0].get(name)]
    if missing:
        raise DataError(f"{path}, line 1: the header lacks {', '.join(missing)}; made by augbench quality score?")
    header = rows[0]
    if header["operator"] != path.stem:
        raise DataError(f"{path}, line 1: labels of {header['operator']!r}, expected those of {path.stem!r}.")
    judged = []
    for number, row in enumerate(rows[1:], start=2):
        wrong = [name for name, kind in _ROW.items() if not isinstance(row.get(name), kind)]
        unknown = row.keys() - {*_ROW, "note"}
        if wrong or unknown or row["label"] not in LABELS:
            what = ", ".join([*wrong, *sorted(unknown)]) or f"label {row['label']!r}"
            raise DataError(f"{path}, line {number}: missing or wrong {what}; expected {', '.join(_ROW)} and a note.")
        judged.append(Judged(header["operator"], **row))
    if not judged:
        raise DataError(f"{path} holds no label; score a sheet again: augbench quality score")
    return Labels(header, tuple(judged))


def pack_labels(pack: LanguagePack, folder: Path | None = None) -> list[Labels]:
    """Return the labels of all operators of a pack (or in `folder`), by file name; an empty list if there are none."""
    return [read_labels(path) for path in sorted((folder or pack.folder / FOLDER).glob("*.jsonl"))]


def standing(labels: Labels, corpus: Path | str, *, pack: LanguagePack) -> list[Judged]:
    """Return the rows for which the present code still gives the labelled output; the other labels are stale.

    Raises DataError if `corpus` is not the file the labels are about, and UsageError if the pack lost the operator.
    """
    corpus = Path(corpus)
    if corpus_facts(corpus)["sha256"] != labels.header["corpus"]["sha256"]:
        raise DataError(
            f"{corpus} is not the corpus the labels of {labels.spec} are about: that was "
            f"{labels.header['corpus']['name']} with sha256 {labels.header['corpus']['sha256'][:12]}…"
        )
    (operator,) = resolve([labels.spec], pack)
    if not isinstance(operator, Operator):
        raise UsageError(f"{labels.spec} works on word pieces now; its labels say nothing of it.")
    lines = corpus_lines(corpus)
    found = [row for row in labels.rows if sha(lines.get(row.line, "")) == row.original]
    if len(found) < len(labels.rows):
        raise DataError(f"the labels of {labels.spec} name lines that are not in {corpus}; the label file was changed.")
    docs = list(pack.parse(lines[row.line] for row in found))
    rngs = [python_rng(row.seed, labels.spec, lines[row.line]) for row in found]
    edits = operator.apply_batch(docs, rngs)
    return [row for row, edit in zip(found, edits, strict=True) if edit is not None and sha(edit.text) == row.output]


def _stored(row: Judged) -> dict[str, Any]:
    stored = {"line": row.line, "original": row.original, "output": row.output, "seed": row.seed, "label": row.label}
    return stored | ({"note": row.note} if row.note else {})


def _json(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False)


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise DataError(f"{place} is not JSON: {error}.") from None
    if not isinstance(row, dict):
        raise DataError(f"{place} is a JSON {type(row).__name__}, expected an object.")
    return row
