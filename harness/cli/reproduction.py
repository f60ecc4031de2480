"""How does `augbench report --reproduction` print its reports?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.results import Store
    from harness.suite import Suite

_LOG_WIDTH = 150  # in a file or a pipe; a terminal has its own


def report_reproduction(suite: Suite, named: str, store: Store, *, older: bool, form: str) -> None:
    """Print the reproduction reports of a suite; `named` is what the user typed for it.

    Raises UsageError if there is nothing to report, saying why, or if reports are not written in this form.
    """
    from rich.console import Console

    from harness.errors import UsageError
    from harness.reproduction import reproduce
    from harness.reproduction_formats import FORMATS, render_reproduction, rich_reproduction

    if form not in ("text", *FORMATS):
        render_reproduction([], form)  # says what there is
    reports, broken = reproduce(suite, store, older=older)
    err = Console(stderr=True, soft_wrap=True)
    for one in broken:
        err.print(f"warning: {one.path} is passed over: {one.reason}", markup=False, highlight=False)
    if not reports:
        if not _has_published(suite):
            raise UsageError(f"suite {suite.name!r} has no published values to reproduce; see `augbench ls suites`.")
        raise UsageError(
            f"nothing in {store.path} to set beside the published values of {suite.name!r}: no runs, or runs at a scale "
            f"whose tasks no paper reports. Run it first: augbench run {named} --results {store.path}"
        )
    if all(not row.seeds for report in reports for row in report.rows):
        err.print(
            "no run here has all scores by today's code and settings; show older ones with --older, or run the suite again.",
            style="yellow",
            highlight=False,
        )
    if form == "text":
        console = Console(width=None if sys.stdout.isatty() else _LOG_WIDTH)
        for report in reports:
            console.print(rich_reproduction(report), "")
    else:
        sys.stdout.write(render_reproduction(reports, form))


def _has_published(suite: Suite) -> bool:
    columns = [column for scale in suite.scales for column in suite.columns_at(scale)]
    titled = suite.published_average is not None or any(column.published for column in columns)
    return titled and any(row.published for row in suite.rows)
