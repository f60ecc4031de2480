"""How does `augbench report --reproduction` print its reports?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.records.store import Store
    from harness.reproduction.reports import Reproduction
    from harness.suite import Suite


def report_reproduction(suite: Suite, named: str, store: Store, *, older: bool, form: str) -> None:
    """Print the reproduction reports of a suite; `named` is what the user typed for it.

    Raises UsageError if there is nothing to report, saying why, or if reports are not written in this form.
    """
    from harness.errors import UsageError
    from harness.reproduction.columns import REFERENCE, has_published

    _check_form(form)
    reports = _collect([suite], store, older=older)
    if not reports:
        if not has_published(suite) and all(row.method != REFERENCE for row in suite.rows):
            raise UsageError(
                f"suite {suite.name!r} has neither published values to reproduce nor a row of SimCSE to compare with; "
                "see `augbench ls suites`."
            )
        raise UsageError(
            f"nothing in {store.path} to report on {suite.name!r}: no runs, or runs at a scale whose tasks no paper "
            f"reports. Run it first: augbench run {named} --results {store.path}"
        )
    _print(reports, form)


def report_all_reproductions(store: Store, *, older: bool, form: str) -> None:
    """Print the reproduction reports of every suite of ours that has runs in the folder, in the suites' order by name.

    Raises UsageError if there is none, or if reports are not written in this form.
    """
    from harness.errors import UsageError
    from harness.suite import Suite, load_suite, suite_names

    _check_form(form)
    suites = [suite for suite in map(load_suite, suite_names()) if isinstance(suite, Suite)]
    # a row that is not measured, and no other either, makes a report of blanks
    reports = [one for one in _collect(suites, store, older=older) if any(row.seeds for row in one.rows)]
    if not reports:
        raise UsageError(
            f"nothing in {store.path} to set beside published values or SimCSE; name a suite to learn why: "
            f"augbench report --reproduction SUITE --results {store.path}"
        )
    _print(reports, form)


def _check_form(form: str) -> None:
    from harness.reproduction.formats import FORMATS, render_reproduction

    if form not in ("text", *FORMATS):
        render_reproduction([], form)  # says what there is


def _collect(suites: Sequence[Suite], store: Store, *, older: bool) -> list[Reproduction]:
    from rich.console import Console

    from harness.reproduction.reports import reproduce

    err = Console(stderr=True, soft_wrap=True)
    found, told = [], set()
    for suite in suites:
        reports, broken = reproduce(suite, store, older=older)
        found += reports
        for one in broken:
            if one.path not in told:
                err.print(f"warning: {one.path} is passed over: {one.reason}", markup=False, highlight=False)
            told.add(one.path)
    return found


def _print(reports: Sequence[Reproduction], form: str) -> None:
    from rich.console import Console

    from harness.cli.console import results_console
    from harness.reproduction.formats import render_reproduction, rich_reproduction

    if all(not row.seeds for report in reports for row in report.rows):
        Console(stderr=True, soft_wrap=True).print(
            "no run here has all scores by today's code and settings; show older ones with --older, or run the suite again.",
            style="yellow",
            highlight=False,
        )
    if form == "text":
        console = results_console()
        for report in reports:
            console.print(rich_reproduction(report), "")
    else:
        sys.stdout.write(render_reproduction(reports, form))
