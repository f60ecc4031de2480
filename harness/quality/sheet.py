"""Which outputs does a reader see? Random changed lines on a sheet that hides where they come from, and the key to it.

The sheet is tab-separated with the columns of `COLUMNS`; label and note are the reader's. Its key, `<sheet>.key.json`, says
which operator, variant and corpus line a row is, and has the sha256 of both texts, so that a sheet somebody edited or sorted
is still read rightly or refused.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from harness.cache import atomic_write
from harness.corpus import open_text, read_lines
from harness.errors import DataError, UsageError
from harness.operators import resolve, split_spec
from harness.protocols import LanguagePack, Operator
from harness.protocols.scripts import is_unspaced, pieces
from harness.provenance import code_digest
from harness.seeds import numpy_rng
from harness.views import build_views

log = logging.getLogger(__name__)

Label = Literal["right", "odd", "wrong"]
LABELS: tuple[Label, ...] = get_args(Label)
COLUMNS = ("id", "operator", "original", "output", "label", "note")
_CHUNK = 256
_BLOCK = 1 << 20
#: so many words in a row are a quotation; letters of a script without blanks count half
_QUOTED_WORDS = 4

_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
# everything some editor or reader takes for the end of a line or cell
_ESCAPES |= {c: f"\\u{ord(c):04x}" for c in "\v\f\x1c\x1d\x1e\x85\u2028\u2029"}
_TO_ESCAPE = re.compile("[" + re.escape("".join(_ESCAPES)) + "]")
_ESCAPED = re.compile(r"\\(u[0-9a-f]{4}|.)")


@dataclass(frozen=True)
class Drawn:
    """One output: the operator as written, the corpus line (from 1), the seed, and both texts."""

    spec: str
    line: int
    seed: int
    original: str
    output: str


@dataclass(frozen=True)
class Sample:
    """Outputs in random order, and what they were drawn from.

    facts  what the key and the labels say of the corpus, the pack and the operators, as JSON values
    """

    rows: tuple[Drawn, ...]
    facts: dict[str, Any]


@dataclass(frozen=True)
class Judged:
    """One labelled row, texts as hashes."""

    spec: str
    line: int
    seed: int
    original: str
    output: str
    label: Label
    note: str = ""


def sha(text: str) -> str:
    """Return the sha256 of a text's UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def corpus_facts(path: Path) -> dict[str, Any]:
    """Return name and sha256 of a corpus file. Raises DataError if it cannot be read."""
    total = hashlib.sha256()
    with open_text(path) as stream:
        while block := stream.read(_BLOCK):
            total.update(block)
    return {"name": path.name, "sha256": total.hexdigest()}


def corpus_lines(path: Path) -> dict[int, str]:
    """Return line number (from 1) -> sentence of the lines that are not blank. Raises DataError as `read_corpus` does."""
    with open_text(path) as stream:
        return {n: line.strip() for n, line in enumerate(read_lines(stream, str(path)), start=1) if line.strip()}


def draw(corpus: Path | str, specs: Sequence[str], *, pack: LanguagePack, rows: int, seed: int) -> Sample:
    """Draw, for every operator, `rows` random corpus lines it changes; equal lines count once.

    Lines are tried in one random order for all operators, and the outputs are those of `augbench augment --seed`. A corpus
    with fewer changed lines gives those, with a warning. Raises UsageError (unknown operators, operators on word pieces,
    no rows) and DataError (corpus; an operator changes none of its lines).
    """
    corpus = Path(corpus)
    if rows < 1:
        raise UsageError(f"{rows} rows leave nothing to read; ask for at least 1.")
    operators = _text_operators(specs, pack)
    facts, lines = corpus_facts(corpus), corpus_lines(corpus)
    first_line = {text: number for number, text in reversed(lines.items())}
    order = [(number, text) for number, text in lines.items() if first_line[text] == number]
    order = [order[i] for i in numpy_rng(seed, "quality", "lines").permutation(len(order)).tolist()]

    drawn: dict[str, list[Drawn]] = {operator.spec: [] for operator in operators}
    tried = dict.fromkeys(drawn, 0)
    for start in range(0, len(order), _CHUNK):
        wanted = [operator for operator in operators if len(drawn[operator.spec]) < rows]
        if not wanted:
            break
        chunk = order[start : start + _CHUNK]
        views = build_views([text for _, text in chunk], wanted, pack=pack, seed=seed)
        for spec, column in views.items():
            for (number, text), output in zip(chunk, column.texts, strict=True):
                if len(drawn[spec]) == rows:
                    break
                tried[spec] += 1
                if output is not None:
                    drawn[spec].append(Drawn(spec, number, seed, text, output))
    for spec, found in drawn.items():
        if not found:
            raise DataError(f"{spec} changes no line of {corpus}; name a corpus of {pack.name} sentences.")
        if len(found) < rows:
            log.warning("%s changes only %d of the %d lines of %s", spec, len(found), tried[spec], corpus)

    together = [row for found in drawn.values() for row in found]
    shuffled = numpy_rng(seed, "quality", "rows").permutation(len(together)).tolist()
    about = {
        op.spec: {"tried": tried[op.spec], "fingerprint": op.fingerprint(), "code": code_digest(op)} for op in operators
    }
    facts = {
        "language": pack.name,
        "corpus": facts | {"sentences": len(order)},
        "pack": pack.fingerprint(),
        "operators": about,
    }
    return Sample(tuple(together[i] for i in shuffled), facts)


def _text_operators(specs: Sequence[str], pack: LanguagePack) -> list[Operator]:
    found = {operator.spec: operator for operator in resolve(list(specs), pack)}
    if not found:
        raise UsageError("no operator was named; add --operator NAME (see `augbench ls operators`).")
    chosen = [operator for operator in found.values() if isinstance(operator, Operator)]
    if len(chosen) < len(found):
        names = ", ".join(sorted(found.keys() - {operator.spec for operator in chosen}))
        raise UsageError(f"{names} works on word pieces; only changes of the text can be read.")
    return chosen


# -- files ------------------------------------------------------------------------------------------------------------
def key_path(sheet: Path) -> Path:
    """Return where the key of a sheet lies: `sheet.tsv` -> `sheet.key.json`."""
    return sheet.with_name(f"{sheet.stem}.key.json")


def write_sheet(sample: Sample, sheet: Path | str) -> Path:
    """Write a sheet and its key, and return the path of the key. Rows are numbered in their random order.

    The reader sees the operator without its variant: what was intended, not who did it. Raises UsageError if either file is
    there (a sheet may hold hours of reading) and DataError if it cannot be written.
    """
    sheet = Path(sheet)
    key = key_path(sheet)
    for path in (sheet, key):
        if path.exists():
            raise UsageError(f"{path} is there already and may hold labels; give another --out, or delete it.")
    lines, rows = ["\t".join(COLUMNS)], {}
    for number, row in enumerate(sample.rows, start=1):
        cells = (str(number), split_spec(row.spec)[0], _escape(row.original), _escape(row.output), "", "")
        lines.append("\t".join(cells))
        rows[str(number)] = {
            "operator": row.spec,
            "line": row.line,
            "seed": row.seed,
            "original": sha(row.original),
            "output": sha(row.output),
        }
    atomic_write(key, (json.dumps(sample.facts | {"rows": rows}, ensure_ascii=False, indent=1) + "\n").encode())
    atomic_write(sheet, ("\n".join(lines) + "\n").encode())
    return key


def read_sheet(sheet: Path | str) -> tuple[list[Judged], dict[str, Any]]:
    """Return the labelled rows of a sheet, in the order of their numbers, and the facts of its key.

    Raises DataError, with file and line, for a label that is missing or not one of `LABELS`, a row that is missing, twice
    there or not of this sheet, a text that was changed, or a note that quotes the sentence (labels are published, corpora
    are not).
    """
    sheet = Path(sheet)
    key = _read_key(key_path(sheet), sheet)
    keyed, judged = key.pop("rows"), {}
    with open_text(sheet) as stream:
        lines = list(enumerate(read_lines(stream, str(sheet)), start=1))
    if not lines or tuple(cell.strip() for cell in lines[0][1].split("\t")) != COLUMNS:
        raise DataError(f"{sheet}, line 1: expected the tab-separated columns {', '.join(COLUMNS)}.")
    for number, line in lines[1:]:
        place = f"{sheet}, line {number}"
        if not line.strip():
            continue
        cells = line.split("\t")
        cells += [""] * (len(COLUMNS) - len(cells))  # editors strip tabs at the end of a line
        if len(cells) > len(COLUMNS):
            raise DataError(f"{place}: {len(cells)} columns, expected {len(COLUMNS)}; is there a tab in the note?")
        original, output = cells[2:4]
        row_id, name, label, note = (cells[i].strip() for i in (0, 1, 4, 5))
        if row_id not in keyed:
            raise DataError(f"{place}: there is no row {row_id!r} in {key_path(sheet)}.")
        if row_id in judged:
            raise DataError(f"{place}: row {row_id} is there twice; keep one of the two.")
        row = keyed[row_id]
        if name != split_spec(row["operator"])[0] or not (
            _is(original, row["original"]) and _is(output, row["output"])
        ):
            raise DataError(f"{place}: row {row_id} is not what was written; restore its operator and texts.")
        if label.lower() not in LABELS:
            given = repr(label) if label else "empty"
            raise DataError(f"{place}: the label is {given}, expected {', '.join(LABELS[:-1])} or {LABELS[-1]}.")
        if _quotes(note, original, output):
            raise DataError(f"{place}: the note quotes the sentence; name the fault in words of your own.")
        spec = row["operator"]
        judged[row_id] = Judged(
            spec, row["line"], row["seed"], row["original"], row["output"], _label(label), _unquoted(note)
        )
    if len(judged) < len(keyed):
        missing = ", ".join(sorted(keyed.keys() - judged.keys(), key=int)[:5])
        raise DataError(f"{sheet} lacks {len(keyed) - len(judged)} of its {len(keyed)} rows (numbers {missing}, …).")
    return [judged[row_id] for row_id in keyed], key


def _read_key(path: Path, sheet: Path) -> dict[str, Any]:
    try:
        key = json.loads(path.read_text(encoding="utf-8"))
        {*key["rows"]}, key["operators"], key["corpus"]["sha256"]
        if not all({"operator", "line", "seed", "original", "output"} <= row.keys() for row in key["rows"].values()):
            raise KeyError("rows")
    except OSError as error:
        raise DataError(
            f"cannot read {path}, the key of {sheet}: {error.strerror or error}. Put it beside the sheet, or draw anew: "
            "augbench quality sample"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise DataError(f"{path} is not the key of a sheet; draw anew: augbench quality sample") from None
    return dict(key)


def _label(cell: str) -> Label:
    return next(label for label in LABELS if label == cell.lower())


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match[0]], text)


def _unescape(cell: str) -> str:
    back = {escape[1:]: character for character, escape in _ESCAPES.items()}
    return _ESCAPED.sub(lambda match: back.get(match[1], match[0]), cell)


def _unquoted(cell: str) -> str:
    """What a cell was before a spreadsheet put it into quotation marks."""
    if len(cell) > 1 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _is(cell: str, expected: str) -> bool:
    return any(sha(_unescape(form)) == expected for form in (cell, _unquoted(cell)))


def _quotes(note: str, *texts: str) -> bool:
    words, *whole = (pieces(text.lower()) for text in (note, *texts))
    for start in range(len(words)):
        run, halves = [], 0
        for word in words[start:]:
            run.append(word)
            halves += 1 if is_unspaced(word) else 2
            if halves >= 2 * _QUOTED_WORDS:
                break
        if halves >= 2 * _QUOTED_WORDS and any(
            run == text[i : i + len(run)] for text in whole for i in range(len(text))
        ):
            return True
    return False
