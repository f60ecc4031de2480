"""What is stored of a comparison? The rows with everything that was measured, and the verdicts."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from harness.advice.verdict import Verdict

Values = tuple[float | None, ...]


class RowAdvice(BaseModel):
    """What was measured of a row, seed by seed; rates × 100, None where undefined.

    windows, others, labelled, alignment, uniformity   see `harness.analyses.advice`
    changed                  share of training lines the encoder saw changed
    consistency, diversity   of the operator's views of the held-out lines, unchanged ones included
    per_line                 the reciprocal ranks behind `windows`, one packed array (fp16) per seed
    """

    model_config = ConfigDict(frozen=True)

    label: str
    operator: str | None
    seeds: tuple[int, ...] = ()
    windows: Values = ()
    others: Values = ()
    alignment: Values = ()
    uniformity: Values = ()
    labelled: Values = ()
    changed: Values = ()
    consistency: float | None = None
    diversity: float | None = None
    per_line: tuple[str, ...] = ()
    skipped: str | None = None
    alarms: tuple[str, ...] = ()


class AdviceResult(BaseModel):
    """The rows in the suite's order, and the verdicts.

    trained_on, held_out   lines;  window: words of a window, `windows` lines that have two;  steps: of every training
    by_windows, by_labels  the order of the rows on each; `by_labels` is None without labelled pairs
    """

    model_config = ConfigDict(frozen=True)

    rows: tuple[RowAdvice, ...]
    trained_on: int
    held_out: int
    window: int
    windows: int
    steps: int | None
    seeds: tuple[int, ...]
    labelled: str | None = None
    by_windows: Verdict
    by_labels: Verdict | None = None
