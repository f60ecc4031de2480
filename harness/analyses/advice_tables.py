"""How is advice shown? The order of the rows, how sure it is, the recommendation; then what else was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from harness.advice.result import AdviceResult, RowAdvice, Values
from harness.advice.verdict import Standing, Verdict, recommendation
from harness.analyses.records import AnalysisRecord
from harness.analyses.suites import AdviceSuite
from harness.analyses.tables import said
from harness.reports.footnotes import Footnotes
from harness.reports.table import Cell, Heading, Line, Table

_MEASURES = (
    ("Others' views, MRR", "mrr", "others"),
    ("Alignment", "alignment", "alignment"),
    ("Uniformity", "uniformity", "uniformity"),
    ("Consistency", "similarity", "consistency"),
    ("Diversity", "distance", "diversity"),
)


@dataclass(frozen=True)
class _P(Cell):
    """A p value."""

    def text(self) -> str:
        """Three decimals."""
        return "" if self.mean is None else "< 0.001" if self.mean < 0.001 else f"{self.mean:.3f}"


@dataclass(frozen=True)
class _Shown:
    """What the tables need."""

    suite: AdviceSuite
    record: AnalysisRecord
    result: AdviceResult

    @property
    def plain(self) -> str | None:
        """The label of dropout alone."""
        return next((row.label for row in self.suite.rows if not row.operator and not row.untrained), None)

    @property
    def untrained(self) -> str | None:
        """The label of the encoder as it is."""
        return next((row.label for row in self.suite.rows if row.untrained), None)


def advice_tables(suite: AdviceSuite, record: AnalysisRecord, *, remarks: Sequence[str] = ()) -> list[Table]:
    """Return the tables of a record; the recommendation stands below the first, in front of `remarks`."""
    shown = _Shown(suite, record, AdviceResult.model_validate(record.result))
    result = shown.result
    tables = []
    if result.by_labels is not None:
        tables.append(
            _order(
                shown, result.by_labels, "labelled", f"{result.labelled}, Spearman", "on the labelled pairs", remarks
            )
        )
    note = () if tables else remarks
    tables.append(_order(shown, result.by_windows, "windows", "Windows, MRR", "on held-out lines", note))
    return [*tables, _measures(shown)]


def _order(shown: _Shown, verdict: Verdict, field: str, title: str, what: str, remarks: Sequence[str]) -> Table:
    headings = (
        Heading(title, field),
        Heading("95 % from", "interval"),
        Heading("95 % to", "interval"),
        Heading("Behind best", "difference"),
        Heading("p (Holm)", "p"),
        Heading("Rank from", "rank"),
        Heading("Rank to", "rank"),
    )
    notes, lines = Footnotes(), []
    for row in _sorted(shown, verdict):
        standing = verdict.find(row.label)
        cells = [_cell(getattr(row, field)), *_standing(standing)]
        lines.append(_line(row, cells, shown, notes))
    main = shown.result.by_labels is None or field == "labelled"
    words = recommendation(verdict, plain=shown.plain, untrained=shown.untrained, what=what)
    if not main:  # what the labels say goes before
        words = [words[0].replace("Recommendation: ", "By this alone: ", 1)]
    about = _about(shown.result) if field == "windows" else []
    own = said(shown.suite, compared=False) if main else []
    return Table(
        shown.suite.name,
        f"{shown.suite.title}: {what}",
        shown.record.facts,
        headings,
        tuple(lines),
        tuple(notes.texts),
        (*words, *about, *own, *remarks),
    )


def _measures(shown: _Shown) -> Table:
    notes, lines = Footnotes(), []
    for row in shown.result.rows:
        changed = Cell(tuple(100 * value for value in row.changed if value is not None))
        lines.append(_line(row, [changed, *(_value(row, field) for _, _, field in _MEASURES)], shown, notes))
    about = (
        "Changed %: share of training lines that reach the encoder changed. Others' views: the views that the other rows' "
        "operators make of held-out lines, each operator counting once, look for their line; so rows are not examined on the "
        "very same views. Alignment is that of these pairs, uniformity that of the lines; lower is better for both, and each "
        "is easily had at the other's expense. Consistency (cosine × 100 under the encoder before training) and diversity "
        "(edit distance of words × 100) are the operator's, over all held-out lines."
    )
    return Table(
        shown.suite.name,
        f"{shown.suite.title}: what else was measured",
        shown.record.facts,
        (Heading("Changed %", "changed_pct"), *(Heading(title, kind) for title, kind, _ in _MEASURES)),
        tuple(lines),
        tuple(notes.texts),
        (about,),
    )


def _about(result: AdviceResult) -> list[str]:
    steps = "" if result.steps is None else f" for {result.steps:,} steps"
    return [
        f"Every row was trained{steps} on the same {result.trained_on:,} lines. Windows: the first {result.window} words of each "
        f"of {result.windows:,} held-out lines look for its last {result.window} among those of all, and the other way; mean "
        "reciprocal rank × 100. No augmentation makes such pairs. Intervals are over lines and seeds."
    ]


def _sorted(shown: _Shown, verdict: Verdict) -> list[RowAdvice]:
    """The rows from best to worst, those without a score behind."""
    place = {standing.label: number for number, standing in enumerate(verdict.standings)}
    return sorted(shown.result.rows, key=lambda row: place.get(row.label, len(place)))


def _standing(standing: Standing | None) -> list[Cell]:
    if standing is None:
        return [Cell() for _ in range(6)]
    p = _P(() if standing.p is None else (standing.p,))
    ranks = (float(standing.rank_low), float(standing.rank_high))
    return [*map(_one, (standing.low, standing.high, standing.behind)), p, *(_Rank((rank,)) for rank in ranks)]


@dataclass(frozen=True)
class _Rank(Cell):
    """A place."""

    def text(self) -> str:
        """Without decimals."""
        return "" if self.mean is None else f"{self.mean:.0f}"


def _value(row: RowAdvice, field: str) -> Cell:
    found = getattr(row, field)
    return _cell(found) if isinstance(found, tuple) else _one(found)


def _one(value: float | None) -> Cell:
    return Cell(() if value is None else (value,))


def _cell(values: Values) -> Cell:
    return Cell(tuple(value for value in values if value is not None))


def _line(row: RowAdvice, cells: Sequence[Cell], shown: _Shown, notes: Footnotes) -> Line:
    texts = [f"skipped: {row.skipped}"] if row.skipped else list(row.alarms)
    plumbing = shown.record.plumbing
    if plumbing and not row.skipped:
        texts.append(f"plumbing only, not a result: {plumbing}")
    return Line(
        row.label,
        tuple(cells),
        row.seeds,
        (shown.record.analysis_id,),
        tuple(notes.number(text) for text in texts),
        plumbing=plumbing is not None,
    )
