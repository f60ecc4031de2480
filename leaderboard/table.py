"""What does the table of one setting hold? Lines with cells, in words and numbers, before anything is drawn.

Measured lines are systems of the index, published lines are numbers of papers; they never mix. A missing cell is empty.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from harness.index import Standing, Tests, cells_of
from harness.published import Published
from leaderboard.columns import Column

if TYPE_CHECKING:
    import pandas as pd

BEST, TIED = "●", "○"
MEASURED, PUBLISHED = "measured", "published"


#: what is read of a run
_READ = (
    *("system", "train_id", "row", "seed", "status", "reason", "method", "suite", "pooler", "device", "core"),
    *("seconds", "memory_mib", "plumbing", "problems"),
)


@dataclass(frozen=True)
class Cell:
    """A score × 100: mean and spread over `n` seeds (std None: one seed, or not printed), best or tied with the best."""

    mean: float
    std: float | None = None
    n: int = 1
    mark: str = ""

    def text(self) -> str:
        """`59.45 ± 0.73 ●`."""
        spread = "" if self.std is None else f" ± {self.std:.2f}"
        return f"{self.mean:.2f}{spread}" + (f" {self.mark}" if self.mark else "")


@dataclass(frozen=True)
class Line:
    """A line of the table.

    system  its id in the index, None for a published line;  cells: by number of the column
    ranks   place and 95 % interval in the column the table is sorted by, None where unknown
    facts   the other columns' texts and numbers, by title;  runs: ids of the runs behind it, by seed
    """

    kind: str
    label: str
    system: str | None = None
    cells: Mapping[int, Cell] = field(default_factory=dict)
    ranks: tuple[int, int, int] | None = None
    facts: Mapping[str, str | float | None] = field(default_factory=dict)
    runs: tuple[str, ...] = ()

    def rank_text(self) -> str:
        """`2 (1–4)`, or nothing."""
        if self.ranks is None:
            return ""
        rank, low, high = self.ranks
        return f"{rank}" if low == high == rank else f"{rank} ({low}–{high})"


def measured_lines(
    runs: pd.DataFrame,
    scores: pd.DataFrame,
    columns: Sequence[Column],
    tests: Mapping[int, Tests],
    *,
    order: int,
) -> list[Line]:
    """Return the lines of the systems of one setting, best first in column `order`; those without a score last.

    runs, scores  rows of the index of one setting;  tests: by number of the column, as far as they are known
    """
    systems: dict[str, list[dict[str, Any]]] = {}
    for run in runs[list(_READ)].to_dict("records"):
        systems.setdefault(run["system"], []).append({str(key): _known(value) for key, value in run.items()})
    cells = cells_of(scores, [column.parts for column in columns])
    standings = {number: found.standings(systems) for number, found in tests.items()}
    lines = []
    for system, found in systems.items():
        found.sort(key=lambda run: (run["seed"], run["train_id"]))
        filled = {
            number: Cell(summary.mean, summary.std, summary.n, _mark(standings.get(number, {}), system))
            for number, of in enumerate(cells)
            if (summary := of.get(system)) is not None
        }
        standing = standings.get(order, {}).get(system)
        place = standing.place if standing else None
        lines.append(
            Line(
                MEASURED,
                found[0]["row"] or "",
                system,
                filled,
                (place.rank, place.rank_low, place.rank_high) if place else None,
                _facts(found),
                tuple(dict.fromkeys(run["train_id"] for run in found)),
            )
        )
    return sorted(lines, key=lambda line: _by(line, order))


def _facts(runs: Sequence[Mapping[str, Any]]) -> dict[str, str | float | None]:
    """What else is known of a system's runs: seconds are the mean over them, memory the largest."""
    first, done = runs[0], [run for run in runs if run["status"] == "ok"]
    seconds = [run["seconds"] for run in done if run["seconds"] is not None]
    memory = [run["memory_mib"] for run in done if run["memory_mib"] is not None]
    return {
        "Seeds": len({run["train_id"] for run in done}),
        "Method": first["method"],
        "Suite": first["suite"],
        "Pooler": next((run["pooler"] for run in done if run["pooler"]), None),
        "Seconds": statistics.fmean(seconds) if seconds else None,
        "Memory (MiB)": max(memory, default=None),
        "Device": first["device"],
        "Code": first["core"][:8] if first["core"] else None,
        "Remarks": "; ".join(dict.fromkeys(text for run in runs for text in _problems(run))) or None,
    }


def published_lines(
    references: Sequence[Published], columns: Sequence[Column], *, sources: Sequence[str] = (), order: int = 0
) -> list[Line]:
    """Return one line per method, encoder and table that prints at least one of the columns, best first in column `order`.

    sources  the published tables that are shown (default: all)
    """
    wanted = {(column.published, column.metric): number for number, column in enumerate(columns) if column.published}
    rows: dict[tuple[str, str, str], dict[int, Cell]] = {}
    for one in references:
        number = wanted.get((one.task, one.metric))
        if number is not None and (not sources or one.source in sources):
            rows.setdefault((one.method, one.encoder, one.source), {})[number] = Cell(one.value, one.std)
    lines = [
        Line(PUBLISHED, f"{method} · {encoder}", cells=cells, facts={"Source": source})
        for (method, encoder, source), cells in rows.items()
    ]
    return sorted(lines, key=lambda line: _by(line, order))


def shares(lines: Mapping[int, Line], number: int) -> dict[int, float]:
    """Return where the score of each line lies between the worst (0) and the best (1) of a column."""
    means = {at: line.cells[number].mean for at, line in lines.items() if number in line.cells}
    if len(means) < 2:
        return {}
    low, high = min(means.values()), max(means.values())
    return {at: (mean - low) / (high - low) if high > low else 0.5 for at, mean in means.items()}


def _by(line: Line, order: int) -> tuple[bool, float, str]:
    cell = line.cells.get(order)
    return cell is None, -cell.mean if cell else 0.0, line.label


def _mark(standings: Mapping[str, Standing], system: str) -> str:
    if system not in standings or len(standings) < 2:
        return ""
    if next(iter(standings)) == system:
        return BEST
    return TIED if standings[system].place.tied_with_best else ""


def _problems(run: Mapping[str, Any]) -> list[str]:
    """What a reader must know of a run."""
    texts = []
    if run["status"] != "ok":
        texts.append(f"seed {run['seed']} {run['status']}: {run['reason'] or 'no reason given'}")
    if run["plumbing"]:
        texts.append(f"plumbing: {run['plumbing']}")
    try:
        problems = json.loads(run["problems"] or "{}")
    except ValueError:  # cut off because it was too long
        return [*texts, "more tasks without a score than can be listed: see the run"]
    return texts + [f"{task} {status}: {reason}" for task, (status, reason) in problems.items()]


def _known(value: Any) -> Any:
    """The value, None for pandas' several ways of having none."""
    return None if value is None or value != value else value
