"""`augbench export`: take the trained encoder of a run home, as a folder that `AutoModel` and sentence-transformers open."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Beginning of a run's id (`augbench ls runs`).")],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet, or is empty.")],
    results: Annotated[Path, typer.Option("--results", help="Results folder.")] = Path("results"),
) -> None:
    """Copy the kept weights of a run to a folder of their own.

    Examples:

      augbench export 3f2a ./my-encoder

      python -c "from sentence_transformers import SentenceTransformer as S; print(S('./my-encoder').encode('Hi').shape)"
    """
    from rich.console import Console

    from harness.records.export import export_run
    from harness.records.store import Store

    found = Store(results).find(run)
    where = export_run(found, folder)
    spec, console = found.record.spec, Console(soft_wrap=True)
    console.print(f"{spec.row}, seed {spec.seed} ({found.train_id}) is in {where}", markup=False, highlight=False)
    if found.record.plumbing:
        console.print(f"Plumbing only: {found.record.plumbing}.", style="yellow", markup=False, highlight=False)
    if not (where / "modules.json").is_file():
        console.print(
            "Its pooling cannot be expressed in sentence-transformers; open it with `augbench evaluate --encoder` or AutoModel.",
            markup=False,
            highlight=False,
        )
