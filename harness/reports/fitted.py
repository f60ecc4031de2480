"""How is a table shown on a terminal that is too narrow for it? In several tables below each other, no number cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

#: what a column costs beside its text: a blank on either side and a line
_FRAME = 3
#: the names of the rows may be broken over lines, but not into columns narrower than this
_NAMES = 20


@dataclass(frozen=True)
class _Column:
    title: str
    right: bool
    style: str | None


@dataclass
class FittedTable:
    """A table whose cells are never cut or broken.

    Columns that do not fit into the console stand in further tables below, each with the names of the rows (its first
    column, whose text may be broken over lines, as the headings may). How wide the console is, is known at printing only.
    """

    title: str = ""
    caption: str = ""
    columns: list[_Column] = field(default_factory=list)
    rows: list[tuple[list[Text], str | None]] = field(default_factory=list)
    #: numbers of rows behind which a line is drawn
    sections: set[int] = field(default_factory=set)

    def add_column(self, title: str, *, right: bool = True, style: str | None = None) -> None:
        """Append a column; the first one names the rows."""
        self.columns.append(_Column(title, right, style))

    def add_row(self, *cells: str | Text, style: str | None = None) -> None:
        """Append a row. Raises ValueError unless it has a cell for every column."""
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append(([Text(cell) if isinstance(cell, str) else cell for cell in cells], style))

    def add_section(self) -> None:
        """Draw a line behind the rows so far."""
        self.sections.add(len(self.rows))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield as many tables as the width asks for, the title above the first, the caption below the last."""
        blocks, widths = self._layout(options.max_width)
        for number, block in enumerate(blocks):
            table = Table(title=Text(self.title, style="bold") if self.title and number == 0 else None)
            table.title_justify = "left"
            if self.caption and number == len(blocks) - 1:
                table.caption, table.caption_justify = Text(self.caption), "left"
            for n in (0, *block):
                column = self.columns[n]
                heading = Text(column.title, justify="right" if n and column.right else "left")
                table.add_column(
                    heading, justify="right" if n and column.right else "left", style=column.style, width=widths[n]
                )
            for position, (cells, style) in enumerate(self.rows):
                if position in self.sections and position:
                    table.add_section()
                table.add_row(*(cells[n] for n in (0, *block)), style=style)
            yield table

    def _layout(self, width: int) -> tuple[list[list[int]], list[int]]:
        """The columns of each table (without the first one), and the width of every column."""
        cells = [max((cell_len(row[n].plain) for row, _ in self.rows), default=0) for n in range(len(self.columns))]
        full = [max(have, cell_len(column.title)) for have, column in zip(cells, self.columns, strict=True)]
        tight = [
            max(have, max(map(cell_len, column.title.split()), default=0))
            for have, column in zip(cells, self.columns, strict=True)
        ]
        everything = list(range(1, len(self.columns)))
        if _needed(full) <= width:
            return [everything], full
        names = min(full[0], _NAMES)
        blocks: list[list[int]] = [[]]
        for n in everything:
            if blocks[-1] and _needed([names, *(tight[m] for m in (*blocks[-1], n))]) > width:
                blocks.append([])
            blocks[-1].append(n)
        # what is left over goes to the names, the same in every table
        spare = min(width - _needed([tight[m] for m in block]) - (_FRAME if block else 0) for block in blocks)
        return blocks, [max(names, min(full[0], spare)), *tight[1:]]


def _needed(widths: Sequence[int]) -> int:
    """Cells of a terminal that columns of these widths take."""
    return sum(width + _FRAME for width in widths) + 1
