"""Which pages are there, and how does one lead to another?

A page's module is imported when the page is first looked at: nobody waits for what another page needs.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import streamlit as st

#: module below `leaderboard.views` (and address of the page) -> title and icon
PAGES: dict[str, tuple[str, str]] = {
    "board": ("Board", ":material/table_chart:"),
    "compare": ("Compare", ":material/compare_arrows:"),
    "explorer": ("Explorer", ":material/account_tree:"),
    "quality": ("Quality", ":material/query_stats:"),
    "run": ("Run", ":material/terminal:"),
    "about": ("About", ":material/help:"),
}


def page(name: str, *, default: bool = False) -> Any:
    """Return Streamlit's page of a name of `PAGES`."""
    title, icon = PAGES[name]
    return st.Page(_renderer(name), title=title, icon=icon, url_path=name, default=default)


def link(name: str, label: str, *, icon: str | None = None, help: str | None = None, **parameters: Any) -> None:
    """Write a link to a page; `parameters` go into its URL (`link("run", "the run", run=train_id)`)."""
    st.page_link(page(name), label=label, icon=icon, help=help, query_params=parameters or None)


def show(first: str = "board") -> None:
    """Show the page that the URL names, `first` where it names none."""
    from leaderboard import style

    st.set_page_config(page_title="AugBench", page_icon=":material/leaderboard:", layout="wide")
    chosen = st.navigation([page(name, default=name == first) for name in PAGES], position="top")
    style.apply()
    chosen.run()


def render(name: str) -> None:
    """Show a page, and put the view that was chosen on it into the URL."""
    from leaderboard import state

    state.begin(name)
    try:
        import_module(f"leaderboard.views.{name}").render()
    finally:
        state.write()


def _renderer(name: str) -> Callable[[], None]:
    def shown() -> None:
        render(name)

    shown.__name__ = name
    return shown
