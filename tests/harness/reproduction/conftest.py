"""A suite whose printed numbers are known."""

from __future__ import annotations

import pytest
from reproduction_fakes import REFERENCES, SUITE

from harness.suite import Suite, parse_suite


@pytest.fixture
def suite() -> Suite:
    return parse_suite(SUITE.encode(), "mine.toml")


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run is of today's code, and the numbers printed are those above."""
    monkeypatch.setattr("harness.reports.suite_tables.Today.is_current", lambda *_: True)
    monkeypatch.setattr("harness.reports.table.published", lambda: REFERENCES)
