"""`augbench augment`: what do these operators make of my text?"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from harness.errors import UsageError

# enough rows to fill a batch of the mask operator, few enough to see output at once
_CHUNK = 256
# everything some reader takes for the end of a cell or line
_BREAKS = re.compile("[\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")

Rows = Iterator[list[dict[str, Any]]]


class Format(StrEnum):
    """How rows are written."""

    jsonl = "jsonl"
    tsv = "tsv"
    parquet = "parquet"


def augment(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="UTF-8 text, one sentence per line; - for stdin.")],
    language: Annotated[str, typer.Option("--language", "-l", help="Name or ISO code of a language pack.")],
    operators: Annotated[str, typer.Option("--operators", "-o", help="E.g. crop@10,swap,punct.")],
    seed: Annotated[int, typer.Option(help="Same seed, same output.")] = 0,
    encoder: Annotated[
        str | None, typer.Option(metavar="PATH|ID", help="For operators that use one: mask, repeat.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.jsonl,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write here instead of to stdout.")] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Processes. Default: the cores, once thousands of lines have come."),
    ] = None,
) -> None:
    """Apply operators to every line of a text and write the views beside it.

    jsonl gives {"text", "views": {operator: text or null}, "edits": {operator: changes or null}}; null means that the
    operator does not apply. tsv gives a header, the text and one column per operator (empty: does not apply). There is
    one row per input line, blank lines included.

    Example: echo "The cat sat on the mat." | augbench augment --language en --operators crop@20,swap -
    """
    if format is Format.parquet and out is None:
        raise UsageError("parquet cannot be written to stdout; add --out FILE.parquet, or use --format jsonl.")
    if out is not None and file != "-" and out.exists() and Path(file).exists() and out.samefile(file):
        raise UsageError(f"--out {out} is the input file; give another name.")

    from harness.augmentation import Augmenter

    augmenter = Augmenter(operators, language=language, seed=seed, encoder=encoder)
    with _open(file) as (stream, name):
        rows = _shown(augmenter.stream(_chunks(stream, name), jobs=jobs), out)
        if out is None:
            _to_stdout(rows, augmenter.specs, format)
        else:
            _to_file(rows, augmenter.specs, format, out)


@contextlib.contextmanager
def _open(file: str) -> Iterator[tuple[BinaryIO, str]]:
    from harness.corpus import open_text

    if file == "-":
        yield sys.stdin.buffer, "standard input"
    else:
        with open_text(Path(file)) as stream:
            yield stream, file


def _chunks(stream: BinaryIO, name: str) -> Iterator[list[str]]:
    from harness.corpus import read_lines

    lines = read_lines(stream, name)
    while chunk := list(islice(lines, _CHUNK)):
        yield chunk


def _shown(rows: Rows, out: Path | None) -> Rows:
    """Count the rows on a terminal, unless the rows themselves go there."""
    from harness.views.bar import sentence_bar

    with sentence_bar(out is not None or not sys.stdout.isatty(), None) as advance:
        for chunk in rows:
            yield chunk
            advance(len(chunk))


def _to_stdout(rows: Rows, specs: list[str], format: Format) -> None:
    try:
        _write_text(rows, specs, format, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader (head, less) has seen enough. Python would complain once more when it closes stdout at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _to_file(rows: Rows, specs: list[str], format: Format, out: Path) -> None:
    from harness.cache import atomic_path

    with atomic_path(out, hint="Give another --out.") as temporary:
        if format is Format.parquet:
            _write_parquet(rows, specs, temporary)
        else:
            with temporary.open("wb") as stream:
                _write_text(rows, specs, format, stream)


def _write_text(rows: Rows, specs: list[str], format: Format, stream: BinaryIO) -> None:
    if format is Format.tsv:
        stream.write("\t".join(["text", *map(_cell, specs)]).encode() + b"\n")
    for chunk in rows:
        if format is Format.tsv:
            lines = ("\t".join(map(_cell, [row["text"], *(row["views"][s] for s in specs)])) for row in chunk)
        else:
            lines = (_json(row) for row in chunk)
        stream.write("".join(line + "\n" for line in lines).encode())
        # whoever reads a pipe sees each chunk when it is ready
        stream.flush()


def _cell(value: str | None) -> str:
    return "" if value is None else _BREAKS.sub(" ", value)


def _json(row: dict[str, Any]) -> str:
    text = json.dumps(row, ensure_ascii=False)
    # valid in JSON, but some readers end a line there
    return text.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _write_parquet(rows: Rows, specs: list[str], path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("text", pa.string()), *((spec, pa.string()) for spec in specs), ("edits", pa.string())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for chunk in rows:
            columns = [
                [row["text"] for row in chunk],
                *([row["views"][spec] for row in chunk] for spec in specs),
                [json.dumps(row["edits"], ensure_ascii=False) for row in chunk],
            ]
            writer.write_table(pa.table([pa.array(c, pa.string()) for c in columns], schema=schema))
