"""`augbench data`: what is in the data folder, is it right, how does more get in, how does it get to another machine?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.overlap import overlap

if TYPE_CHECKING:
    from rich.console import Console

    from harness.data.folder import DataFolder

app = typer.Typer(no_args_is_help=True, help="The data folder: list, verify, pull, import, bundle, overlap.")
app.command("overlap")(overlap)

Data = Annotated[
    Path | None,
    typer.Option("--data", metavar="DIR", help="Data folder. Default: the environment variable AUGBENCH_DATA."),
]
Sets = Annotated[
    list[str] | None,
    typer.Argument(metavar="[SETS]...", help="Sets or folders: sts/en/STS12, sts/zh, STS12. Default: all."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Replace = Annotated[bool, typer.Option("--replace", help="Overwrite files of another content.")]


@app.command("ls")
def ls(sets: Sets = None, data: Data = None, as_json: AsJson = False) -> None:
    """List the sets of the catalog: there, incomplete, missing, or unverified (there, but nobody has told what it must hold).

    Nothing is read: whether the content is right, `verify` says. --json adds title, source, citation and files.

    Example: augbench data ls sts/en --data DIR
    """
    from harness.cli.ls import print_rows
    from harness.data.catalog import load_catalog
    from harness.data.verify import presence

    root = _existing(data).path
    entries = load_catalog().choose(sets or [])
    if as_json:
        _dump([_entry_json(entry, presence(root, entry), root) for entry in entries])
        return
    rows = [(e.name, presence(root, e), "?" if e.rows is None else f"{e.rows:,}", e.licence) for e in entries]
    print_rows(("set", "state", "rows", "licence"), rows, as_json=False, empty="the catalog is empty")


@app.command("verify")
def verify(sets: Sets = None, data: Data = None, as_json: AsJson = False) -> None:
    """Compare the content of every file with the catalog. Ends with 1 if one differs, is damaged, or is missing from its set.

    Line ends and a byte order mark make no difference. Files without a hash in the catalog are pinned when they are first seen.
    Sets of which nothing is there count only if they are named.

    Example: augbench data verify --data DIR
    """
    from harness.cli.ls import print_rows
    from harness.data.catalog import load_catalog
    from harness.data.pins import Pins
    from harness.data.verify import extras
    from harness.data.verify import verify as verify_files

    root, catalog, err = _existing(data).path, load_catalog(), _console()
    with err.status("reading …") if err.is_terminal else _nothing() as status:
        step = (lambda place: status.update(f"reading {place} …")) if status else (lambda place: None)
        found = list(
            verify_files(root, catalog.choose(sets or []), Pins.read(), named=catalog.named(sets or []), step=step)
        )
    others = [] if sets else extras(root, catalog)
    bad = [one for one in found if not one.good]
    shown = [one for one in found if not one.good or one.note or one.state == "pinned"]
    if as_json:
        _dump(
            {
                "files": [
                    {"file": f.file.place, "set": f.entry.name, "state": f.state, "rows": f.rows, "note": f.note}
                    for f in found
                ],
                "extra": others,
            }
        )
    elif shown:
        rows = [(one.file.place, one.state, one.note) for one in shown]
        print_rows(("file", "state", "what differs"), rows, as_json=False, empty="")
    _say(
        err,
        f"{len(found) - len(bad)} of {len(found)} files are as in the catalog, {len({f.entry.name for f in found})} sets; {root}",
    )
    if others:
        listed = ", ".join(others[:10]) + (f" and {len(others) - 10} more" if len(others) > 10 else "")
        _say(err, f"not in the catalog ({len(others)}): {listed}")
    if not found:
        _say(err, "nothing of the catalog is there; begin with: augbench data pull --help")
    if bad:
        names = " ".join(dict.fromkeys(one.entry.name for one in bad))
        _say(
            err,
            f"get them again from a mirror or a bundle: augbench data pull --from SOURCE --data {root} --replace {names}",
        )
        raise typer.Exit(1)


@app.command("pull")
def pull(
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="SOURCE", help="http(s):// or file:// address, a folder, or an archive of `bundle`."
        ),
    ],
    sets: Sets = None,
    data: Data = None,
    replace: Replace = False,
    attempts: Annotated[int, typer.Option("--attempts", min=1, help="In a row without any new byte, per file.")] = 5,
) -> None:
    """Bring sets into the data folder from a mirror or an archive. What broke off goes on where it was; nothing is half there.

    A mirror is any place that holds the layout of a data folder: unpack a bundle on a web server, or share a folder. AugBench
    names none, because most sets may not be passed on to everybody; `augbench data ls --json` says where the originals are, and
    `augbench data import` reads them. Every file is compared with the catalog before it takes its name.

    Examples:

      augbench data pull --from https://example.org/augbench-data --data DIR sts/en transfer/en

      augbench data pull --from augbench-data.tar.gz --data DIR
    """
    from harness.data.catalog import load_catalog
    from harness.data.pins import Pins
    from harness.data.pull import Options
    from harness.data.pull import pull as pull_files

    root, err = _wanted(data), _console()
    bar = _bytes_bar(err)
    tasks: dict[str, Any] = {}

    def progress(place: str, there: int, total: int | None) -> None:
        for other in [name for name in tasks if name != place]:
            bar.remove_task(tasks.pop(other))
        if place not in tasks:
            tasks[place] = bar.add_task(place, total=total)
        bar.update(tasks[place], completed=there, total=total)

    options = Options(replace=replace, attempts=attempts, progress=progress)
    count: dict[str, int] = {}
    catalog, absent = load_catalog(), []
    with bar:
        for one in pull_files(source, root, catalog, sets or [], pins=Pins.read(), options=options):
            count[one.outcome] = count.get(one.outcome, 0) + 1
            if one.outcome == "absent":
                absent.append(one.place)
            elif one.outcome != "there":
                _say(err, f"{one.place}: {one.outcome}" + (f" ({one.note})" if one.note else ""))
    if absent:
        shown = ", ".join(absent[:5]) + (f" and {len(absent) - 5} more" if len(absent) > 5 else "")
        _say(err, f"the source does not have {shown}")
    _say(err, ", ".join(f"{number} {what}" for what, number in count.items()) + f"; {root}")
    if count.get("kept"):
        _say(err, "files of another content were kept; the same command with --replace overwrites them")
    good = sum(count.get(what, 0) for what in ("there", "new", "replaced"))
    named = {place for name in catalog.named(sets or []) for place in catalog.sets[name].files}
    lacking = [place for place in absent if sets and (place in named or catalog.files()[place].sha256)]
    if count.get("kept") or count.get("refused") or lacking or not good:
        raise typer.Exit(1)


@app.command("import")
def import_(
    name: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT", help="senteval, senteval-raw, sick, mrpc, cnsd, simclue, qqp, snli, mnli, ud."
        ),
    ],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="File or folder of the original.")],
    data: Data = None,
    replace: Replace = False,
) -> None:
    """Read sets as their authors publish them into the data folder, and say whether they are those of the catalog.

    Examples:

      augbench data import senteval SentEval/data/downstream --data DIR

      augbench data import qqp GLUE/QQP --data DIR
    """
    from harness.data.catalog import load_catalog
    from harness.data.importing import import_original
    from harness.data.pins import Pins

    root, err, kept = _wanted(data), _console(), False
    for one in import_original(name, path, root, load_catalog(), pins=Pins.read(), replace=replace):
        dropped = f", {one.dropped:,} without label or broken left out" if one.dropped else ""
        _say(err, f"{one.place}: {one.outcome}, {one.rows:,} rows{dropped}; {one.note}")
        kept |= one.outcome == "kept"
    if kept:
        raise typer.Exit(1)


@app.command("bundle")
def bundle(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="Archive to write: NAME.tar.gz or NAME.tar.zst.")],
    sets: Sets = None,
    data: Data = None,
    as_is: Annotated[
        bool, typer.Option("--as-is", help="Take files of another content than the catalog's too.")
    ] = False,
) -> None:
    """Pack the data folder, or some sets, for a machine without network; `pull --from OUT` reads it there.

    Checksums and the licence of every set lie inside. The same files give the same archive. Mind the licences before passing it on.

    Example: augbench data bundle augbench-data.tar.gz sts transfer --data DIR
    """
    from harness.data.bundle import bundle as write_bundle
    from harness.data.catalog import load_catalog
    from harness.data.pins import Pins

    found, err = _existing(data), _console()
    with err.status("packing …") if err.is_terminal else _nothing() as status:
        step = (
            (lambda place, i, n: status.update(f"packing, {i} of {n}: {place}"))
            if status
            else (lambda place, i, n: None)
        )
        made = write_bundle(found, out, load_catalog(), sets or [], pins=Pins.read(), as_is=as_is, step=step)
    size = out.stat().st_size
    _say(err, f"{out} holds {len(made.places)} files, {made.size / 1e6:,.1f} MB packed into {size / 1e6:,.1f} MB")
    _say(err, f"on the other machine: augbench data pull --from {out.name} --data DIR")


def _existing(data: Path | None) -> DataFolder:
    from harness.data import open_data

    return open_data(data)


def _wanted(data: Path | None) -> Path:
    """Return the folder to write into, which need not exist. Raises DataError if none is named."""
    import os

    from harness.data.folder import ENVIRONMENT
    from harness.errors import DataError

    named = data or os.environ.get(ENVIRONMENT)
    if not named:
        raise DataError(f"say where the data shall go: --data DIR, or `export {ENVIRONMENT}=DIR`.")
    return Path(named).expanduser()


def _entry_json(entry: Any, state: str, root: Path) -> dict[str, Any]:
    files = {
        place: {"rows": f.rows, "sha256": f.sha256, "there": (root / place).is_file()}
        for place, f in entry.files.items()
    }
    texts = {key: getattr(entry, key) for key in ("title", "source", "licence", "citation", "note")}
    return {"set": entry.name, "state": state, "rows": entry.rows, **texts, "files": files}


def _dump(value: Any) -> None:
    import json

    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def _console() -> Console:
    from rich.console import Console

    return Console(stderr=True, soft_wrap=True)


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False)


def _nothing() -> Any:
    from contextlib import nullcontext

    return nullcontext()


def _bytes_bar(console: Console) -> Any:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
