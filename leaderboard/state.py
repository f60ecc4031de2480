"""What of a view stands in its URL?

Everything a reader chose, so that a link shows what its sender saw; nothing a reader typed. Every widget made here is bound
to a query parameter named by its key: the URL changes with the widget, and a URL opens with the widget set. Values that are
no option (an old link, a hostile one) are dropped by Streamlit, never shown. In the URL stands what a reader sees of an
option: with `titles`, the title.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import streamlit as st

#: where a run is looked at: the query parameter of the Run page
RUN = "run"


def many(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: Iterable[str] = (),
    titles: Callable[[str], str] = str,
    help: str | None = None,
    placeholder: str | None = "all",
) -> list[str]:
    """Return what is chosen of several options; none chosen means all of them to every filter here."""
    chosen = [option for option in default if option in options]
    found = st.multiselect(
        label,
        options,
        default=chosen or None,  # with a default, even an empty one, Streamlit warns of every value from the URL
        key=key,
        format_func=titles,
        help=help,
        placeholder=placeholder,
        bind="query-params",
    )
    return list(found)


def one(
    label: str,
    options: Sequence[str],
    key: str,
    *,
    default: str | None = None,
    titles: Callable[[str], str] = str,
    help: str | None = None,
    optional: bool = False,
) -> str | None:
    """Return the one chosen option; None if there are none, or if `optional` and nothing is chosen."""
    index = options.index(default) if default in options else (None if optional else 0)
    return st.selectbox(
        label,
        options,
        index=index if options else None,
        key=key,
        format_func=titles,
        help=help,
        bind="query-params",
    )


def segment(
    label: str, options: Sequence[str], key: str, *, default: str | None = None, titles: Callable[[str], str] = str
) -> str:
    """Return the chosen one of a few options that are all in view; one is always chosen."""
    first = default if default is not None and default in options else options[0]
    found = st.segmented_control(
        label, options, default=first, key=key, format_func=titles, required=True, bind="query-params"
    )
    return found or first


def flag(label: str, key: str, *, default: bool = False, help: str | None = None) -> bool:
    """Return whether a switch is on."""
    return st.toggle(label, value=default, key=key, help=help, bind="query-params")


def parameters(**changed: Any) -> dict[str, Any]:
    """Return the query parameters of the present view with some changed (None takes one away): for a link to it."""
    now: dict[str, Any] = {key: st.query_params.get_all(key) for key in st.query_params}
    now.update(changed)
    return {key: value for key, value in now.items() if value not in (None, [], "")}


def given(key: str) -> str | None:
    """Return a query parameter that no widget is bound to, cut to a length an id or a name can have; None if absent."""
    value = st.query_params.get(key)
    return value[:200] if value else None
