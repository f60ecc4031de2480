"""How wide results are printed."""

from __future__ import annotations

import io

import pytest

from harness.cli.console import results_console

LONG = "word " * 100


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_pipe_breaks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.StringIO()
    results_console(stream).print(LONG)
    assert stream.getvalue().count("\n") == 1


def test_columns_says_how_wide_a_pipe_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stream = io.StringIO()
    results_console(stream).print(LONG)
    assert max(map(len, stream.getvalue().splitlines())) <= 80


def test_a_terminal_has_its_own_width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert results_console(Terminal()).width < 10_000
