"""`augbench quality`: draw a sheet of outputs, store what a reader said about them, and show the precision."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True, help="Precision of operators, from outputs that somebody read.")

Language = Annotated[str, typer.Option("--language", "-l", help="Name or ISO code of a language pack.")]
Folder = Annotated[Path | None, typer.Option("--folder", metavar="DIR", help="Default: the pack's quality/.")]


@app.command("sample")
def sample(
    operator: Annotated[
        list[str], typer.Option("--operator", "-o", help="E.g. mv; several: mv,negation, or repeated.")
    ],
    corpus: Annotated[Path, typer.Option("--corpus", metavar="FILE", help="UTF-8 text, one sentence per line.")],
    out: Annotated[
        Path, typer.Option("--out", metavar="FILE", help="The sheet, tab-separated; its key goes beside it.")
    ],
    language: Language = "english",
    rows: Annotated[int, typer.Option("--rows", min=1, help="Outputs per operator.")] = 200,
    seed: Annotated[int, typer.Option(help="Which lines are drawn, and which outputs.")] = 0,
) -> None:
    """Write random lines that the operators change on a sheet for a blind reading.

    Fill in the column `label` with right, odd or wrong, by the guidelines of the pack; `note` is optional. The key says
    where a row comes from and is not for the reader's eyes.

    Example: augbench quality sample --language english --operator mv --corpus wiki.txt --seed 11 --out sheet.tsv
    """
    from harness.languages import open_pack
    from harness.quality import draw, write_sheet

    pack = open_pack(language)
    specs = [spec.strip() for written in operator for spec in written.split(",")]
    found = draw(corpus, specs, pack=pack, rows=rows, seed=seed)
    key = write_sheet(found, out)
    for spec, facts in found.facts["operators"].items():
        typer.echo(
            f"{spec}: {sum(row.spec == spec for row in found.rows)} outputs from {facts['tried']} lines", err=True
        )
    typer.echo(f"{out} has {len(found.rows)} rows to label; its key is {key}", err=True)


@app.command("score")
def score(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet of `augbench quality sample`, labelled.")],
    labelled_by: Annotated[str, typer.Option("--labelled-by", help="Who read it, in words a stranger understands.")],
    language: Language = "english",
    folder: Folder = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite labels that are there.")] = False,
) -> None:
    """Store the labels of a sheet in the pack, without its sentences, and show the precision.

    Example: augbench quality score sheet.tsv --language english --labelled-by "one native speaker"
    """
    from harness.languages import open_pack
    from harness.quality import read_labels, store_labels

    files = store_labels(sheet, pack=open_pack(language), labelled_by=labelled_by, folder=folder, replace=replace)
    _print([_row(read_labels(path)) for path in files.values()], as_json=False)


@app.command("show")
def show(
    language: Language = "english",
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="FILE", help="The corpus the labels are about: how many still hold?"),
    ] = None,
    folder: Folder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show precision (right / all) with its 95 % Wilson interval, and the shares of odd and wrong, per operator.

    With the corpus, `same` counts the labelled outputs that the present code still gives; other labels are stale.

    Example: augbench quality show --language english --corpus wiki.txt
    """
    from harness.languages import open_pack
    from harness.quality import pack_labels, standing

    pack = open_pack(language)
    rows = []
    for labels in pack_labels(pack, folder):
        rows.append(_row(labels))
        if corpus is not None:
            rows[-1]["same"] = len(standing(labels, corpus, pack=pack))
    _print(rows, as_json=as_json)


def _row(labels: Any) -> dict[str, Any]:
    from harness.quality import Precision

    found, header = Precision.of(labels.rows), labels.header
    low, high = found.interval
    return {
        "operator": labels.spec,
        "rows": found.rows,
        "precision": found.right / found.rows,
        "low": low,
        "high": high,
        "odd": found.odd / found.rows,
        "wrong": found.wrong / found.rows,
        **{name: header[name] for name in ("labelled_by", "date", "guidelines")},
        "corpus": header["corpus"]["name"],
    }


def _print(rows: list[dict[str, Any]], *, as_json: bool) -> None:
    from harness.cli.ls import print_rows
    from harness.reports.footnotes import Footnotes

    if as_json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
        return
    shown = []
    readers = Footnotes()
    for row in rows:
        cells = {
            "name": row["operator"],
            "rows": row["rows"],
            "right %": _percent(row["precision"]),
            "95 %": f"{_percent(row['low'])} to {_percent(row['high'])}",
            "odd %": _percent(row["odd"]),
            "wrong %": _percent(row["wrong"]),
            "date": row["date"],
            "corpus": row["corpus"],
            "by": f"[{readers.number(row['labelled_by'])}]",
        }
        if "same" in row:
            cells["same"] = f"{row['same']} of {row['rows']}"
        shown.append(cells)
    titles = list(shown[0]) if shown else []
    empty = "no operator has labels yet; begin with: augbench quality sample --help"
    print_rows(titles, [list(row.values()) for row in shown], as_json=False, empty=empty)
    for number, reader in enumerate(readers.texts, start=1):
        sys.stdout.write(f"[{number}] labelled by {reader}\n")


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
