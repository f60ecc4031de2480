"""How is augmentation quality shown? What operators do to the lines they change; and the plane of consistency and diversity."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from harness.analyses.quality_result import OperatorQuality, QualityResult, Values
from harness.analyses.records import AnalysisRecord
from harness.analyses.suites import QualityRow, QualitySuite
from harness.analyses.tables import said
from harness.reports.footnotes import Footnotes
from harness.reports.table import Cell, Heading, Line, Table

_PERCENT, _DISTANCE, _SIMILARITY, _INTERVAL = "changed_pct", "distance", "similarity", "interval"

_MEASURED: tuple[tuple[Heading, Callable[[OperatorQuality, int], Cell]], ...] = (
    (Heading("Changed %", _PERCENT), lambda one, lines: _Mean(tuple(100 * n / lines for n in one.changed))),
    (Heading("Cosine", _SIMILARITY), lambda one, _: _cell(one.similarity)),
    (Heading("Chars", _DISTANCE), lambda one, _: _cell(one.characters)),
    (Heading("Words", _DISTANCE), lambda one, _: _cell(one.words)),
    (Heading("BLEU", "bleu"), lambda one, _: _cell(one.bleu)),
    (Heading("Self-BLEU", "bleu"), lambda one, _: _cell((one.self_bleu,))),
    (Heading("Length %", "length_pct"), lambda one, _: _cell(one.length)),
    (Heading("PPL", "perplexity"), lambda one, _: _perplexity(one)[0]),
    (Heading("PPL ×", "ratio"), lambda one, _: _perplexity(one)[1]),
)
_ABOUT = (
    "Changed %: share of all lines; everything else is about the lines an operator changed, means over seeds (spread: --format "
    "csv). Cosine × 100 of line and view under the encoder named above. Chars, Words: Levenshtein's edit distance divided by "
    "the longer length, × 100; words are runs of letters and digits, single ideographs and single marks. BLEU (1 to 4 of these "
    "words) of the view against its line; self-BLEU: of a line's views under different seeds against each other, 100 where "
    "nothing is left to chance. Length: change of the number of words."
)
_PLANE = (
    "Consistency: similarity; diversity: edit distance of words; both × 100, over every line, with 100 and 0 where an operator "
    "leaves it alone, as methods train on it. Intervals are over lines and seeds. Neither is the thing itself: the encoder hears "
    "a negation hardly louder than a comma, and a different wording is no better one."
)


@dataclass(frozen=True)
class _Mean(Cell):
    """A mean over seeds, without its spread: nine of these stand in a line of a terminal."""

    def text(self) -> str:
        """The mean with one decimal, with two where it is small."""
        return "" if self.mean is None else f"{self.mean:.{1 if abs(self.mean) >= 10 else 2}f}"


@dataclass(frozen=True)
class _Shown:
    """What both tables need."""

    suite: QualitySuite
    record: AnalysisRecord
    result: QualityResult

    def found(self, row: QualityRow) -> OperatorQuality | None:
        """What was measured of a row."""
        return next((one for one in self.result.operators if one.operator == row.operator), None)


def quality_tables(suite: QualitySuite, record: AnalysisRecord, *, remarks: Sequence[str] = ()) -> list[Table]:
    """Return the two tables of a record; `remarks` are said below the first, behind its own."""
    shown = _Shown(suite, record, QualityResult.model_validate(record.result))
    return [_measures(shown, remarks), _plane(shown)]


def _measures(shown: _Shown, remarks: Sequence[str]) -> Table:
    result, notes = shown.result, Footnotes()
    lines = []
    for row in shown.suite.rows:
        one = shown.found(row)
        cells = [Cell() for _ in _MEASURED] if one is None else [make(one, result.lines) for _, make in _MEASURED]
        lines.append(_line(row, cells, shown, _marks(row, shown, notes)))
    said_of_models = []
    if result.apart is not None:
        said_of_models.append(f"Two different lines have a similarity of {result.apart:.2f}: that is the floor.")
    if result.judge is None:
        said_of_models.append(f"No perplexity: {result.no_judge}.")
    else:
        views = max((one.perplexity.views for one in result.operators if one.perplexity), default=0)
        said_of_models.append(
            f"PPL: pseudo-perplexity of at most {views:,} changed views under the pack's masked language model; PPL × divides "
            "it by that of the same lines before. The same model fills masked words, and so judges itself there."
        )
    return Table(
        shown.suite.name,
        shown.suite.title,
        shown.record.facts,
        tuple(heading for heading, _ in _MEASURED),
        tuple(lines),
        tuple(notes.texts),
        (_ABOUT, *said_of_models, *said(shown.suite, compared=False), *remarks),
    )


def _plane(shown: _Shown) -> Table:
    headings = []
    for title, kind in (("Consistency", _SIMILARITY), ("Diversity", _DISTANCE)):
        headings += [Heading(title, kind), Heading("95 % from", _INTERVAL), Heading("95 % to", _INTERVAL)]
    notes, lines = Footnotes(), []
    for row in shown.suite.rows:
        one = shown.found(row)
        places = [None, None] if one is None else [one.consistency, one.diversity]
        cells = [_cell((getattr(place, end, None),)) for place in places for end in ("value", "low", "high")]
        lines.append(_line(row, cells, shown, _marks(row, shown, notes)))
    title = f"{shown.suite.title}: consistency against diversity"
    return Table(
        shown.suite.name,
        title,
        shown.record.facts,
        tuple(headings),
        tuple(lines),
        tuple(notes.texts),
        (_PLANE,),
    )


def _cell(values: Values) -> Cell:
    return _Mean(tuple(value for value in values if value is not None))


def _perplexity(one: OperatorQuality) -> tuple[Cell, Cell]:
    """Of the views, and divided by that of their lines."""
    found = one.perplexity
    if found is None or found.of_views is None or not found.of_lines:
        return Cell(), Cell()
    return _Mean((found.of_views,)), _Mean((found.of_views / found.of_lines,))


def _marks(row: QualityRow, shown: _Shown, notes: Footnotes) -> tuple[int, ...]:
    if row.operator in shown.result.skipped:
        return (notes.number(f"skipped: {shown.result.skipped[row.operator]}"),)
    plumbing = shown.record.plumbing
    return (notes.number(f"plumbing only, not a result: {plumbing}"),) if plumbing else ()


def _line(row: QualityRow, cells: Sequence[Cell], shown: _Shown, marks: tuple[int, ...]) -> Line:
    record = shown.record
    seeds = () if row.operator in shown.result.skipped else shown.result.seeds
    return Line(
        row.label,
        tuple(cells),
        seeds,
        (record.analysis_id,),
        marks,
        anchor=row.anchor,
        plumbing=record.plumbing is not None,
    )
