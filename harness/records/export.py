"""How does a trained encoder leave the results folder? As a folder of its own, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from harness.errors import UsageError
from harness.records.files import remove, saving
from harness.records.store import Run


def export_run(run: Run, target: Path) -> Path:
    """Copy the kept embedder of a run to `target`, a new or empty folder; returns its absolute path.

    Raises UsageError if the weights were not kept or the folder is taken, StoreError if it cannot be written.
    """
    source, target = run.embedder_folder, target.expanduser().absolute()
    spec = run.record.spec
    if source is None and run.record.status != "ok":
        raise UsageError(f"run {run.train_id} {run.record.status}, so it has no weights: {run.record.reason}")
    if source is None:
        raise UsageError(
            f"the weights of run {run.train_id} ({spec.row}, seed {spec.seed}) were not kept. Export a run whose weights are "
            f"(`augbench ls runs` says which), or delete {run.folder} and run {spec.suite} again with --keep all."
        )
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} exists and is not an empty folder; choose a new one.")
    with saving(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            shutil.copytree(source, temporary, dirs_exist_ok=True)
            temporary.chmod(0o755)
            temporary.replace(target)
        finally:
            remove(temporary)
    return target
