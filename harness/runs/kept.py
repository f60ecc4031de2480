"""Which weights belong to a record, can they be opened again, and what if a second training gave others?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from harness.protocols import Task
from harness.records.store import Run
from harness.runs.scoring import reason_of
from harness.runs.workbench import Cell


def kept_folder(run: Run) -> Path | None:
    """The kept embedder if it is one that can be opened again."""
    folder = run.embedder_folder
    return folder if folder is not None and (folder / "augbench.json").is_file() else None


def open_kept(run: Run, cell: Cell) -> tuple[Any | None, str]:
    """Return the embedder whose weights were kept, or None and why they are of no use."""
    from harness.encoder import TextEmbedder

    folder, embedder = kept_folder(run), run.record.embedder
    assert folder is not None
    assert embedder is not None
    device = cell.spec.settings.get("device", "auto")
    precision = embedder.describe.get("precision", "auto")
    try:
        found = TextEmbedder.load(folder, precision=precision, device=device)
    except Exception as error:
        return None, f"the kept weights cannot be opened ({reason_of(error)})"
    if found.fingerprint() != embedder.sha:
        return None, "the kept weights are not those of the record"
    return found, ""


def left_behind(before: Run | None, run: Run, tasks: Sequence[Task]) -> str | None:
    """What to say if a second training gave other weights: scores that were those of the first no longer count."""
    if before is None or before.record.embedder is None or run.record.embedder is None:
        return None
    if before.record.embedder.sha == run.record.embedder.sha:
        return None
    lost = {score.task_id for score in before.scores()} - {task.id for task in tasks}
    suites = sorted({at.suite for at in run.record.listings} - {run.record.spec.suite})
    if not lost:
        return None
    return (
        "trained again it has other weights (another machine or other libraries); its earlier scores no longer count: "
        f"{', '.join(sorted(lost))}. Score them by running again: {', '.join(suites) or 'the suites they belong to'}"
    )
