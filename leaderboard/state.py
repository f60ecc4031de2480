"""What of a view stands in its URL?

Everything a reader chose, so that a link shows what its sender saw; nothing a reader typed. A query parameter holds the plain
name of an option and never the words on the screen, so that whoever knows the name can make a link. Names that are no option
(an old link, a hostile one) are dropped, never shown.

A widget takes its value from the URL when its page is opened and when the reader goes back or forward; otherwise it keeps
its own. `write` puts what was chosen into the URL at once, at the end of a page: one step back is one step back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import streamlit as st

#: where a run is looked at: the query parameter of the Run page
RUN = "run"
_PAGE, _PENDING = "view-of", "view-to-write"
Options = Sequence[str] | Mapping[Any, str]


def many(
    label: str,
    options: Options,
    key: str,
    *,
    default: Iterable[str] = (),
    help: str | None = None,
    placeholder: str | None = "all",
) -> list[str]:
    """Return what is chosen of several options; none chosen means all of them to every filter here.

    options  names, or name -> what a reader sees;  default: what a view without the parameter shows
    """
    first = [name for name in default if name in options]
    widget = _widget(key)
    if _opened(widget):
        # an empty parameter is a choice, too: nothing of it
        st.session_state[widget] = _valid(_parameters(key), options) if key in st.query_params else first
    elif set(st.session_state[widget]) - set(options):
        st.session_state[widget] = _valid(st.session_state[widget], options)
    found = list(
        st.multiselect(
            label, list(options), key=widget, format_func=_titles(options), help=help, placeholder=placeholder
        )
    )
    _keep(key, None if sorted(found) == sorted(first) else found or [""])
    return found


def one(
    label: str,
    options: Options,
    key: str,
    *,
    default: str | None = None,
    optional: bool = False,
    help: str | None = None,
) -> str | None:
    """Return the chosen name of the options (see `many`); None if there are none, or if `optional` and none is chosen.

    default  what is chosen where the URL says nothing (else the first). As it may be another one when the results have
             grown, the URL always says what is chosen.
    """
    names, widget = list(options), _widget(key)
    if _opened(widget) or st.session_state[widget] not in (*names, *([None] if optional else [])):
        start = next((name for name in (given(key), default) if name in names), None)
        st.session_state[widget] = start if start is not None or optional or not names else names[0]
    found = st.selectbox(
        label,
        names,
        index=None if optional or not names else 0,
        key=widget,
        format_func=_titles(options),
        help=help,
    )
    _keep(key, None if found is None else [found])
    return found


def segment(label: str, options: Options, key: str) -> str:
    """Return the chosen one of a few options that are all in view (the first unless the URL says otherwise)."""
    names, widget = list(options), _widget(key)
    if _opened(widget) or st.session_state[widget] not in names:
        st.session_state[widget] = next((name for name in (given(key),) if name in names), names[0])
    found = st.segmented_control(label, names, key=widget, format_func=_titles(options), required=True) or names[0]
    _keep(key, None if found == names[0] else [found])
    return found


def flag(label: str, key: str, *, default: bool = False, help: str | None = None) -> bool:
    """Return whether a switch is on (`true` or `false` in the URL)."""
    widget = _widget(key)
    if _opened(widget):
        st.session_state[widget] = {"true": True, "false": False}.get((given(key) or "").lower(), default)
    found = bool(st.toggle(label, key=widget, help=help))
    _keep(key, None if found == default else [str(found).lower()])
    return found


def write() -> None:
    """Put into the URL what was chosen since the page began; what it says already is not written again."""
    pending: dict[str, list[str] | None] = st.session_state.pop(_PENDING, {})
    now = {key: st.query_params.get_all(key) for key in st.query_params}
    wanted = {key: values for key, values in (now | pending).items() if values is not None}
    if wanted != now:
        st.query_params.from_dict(wanted)


def given(key: str) -> str | None:
    """Return a query parameter, cut to a length that an id or a name can have; None if it is absent or empty."""
    value = st.query_params.get(key)
    return value[:200] if value else None


def begin(page: str) -> None:
    """Say which page begins: the widgets of two pages are never taken for each other."""
    st.session_state[_PAGE] = page
    st.session_state.pop(_PENDING, None)


def _widget(key: str) -> str:
    return f"{st.session_state.get(_PAGE, 'page')}-{key}"


def _opened(widget: str) -> bool:
    """Whether the URL decides: the widget is new on this page, or the reader went back or forward."""
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    context = get_script_run_ctx(suppress_warning=True)
    return widget not in st.session_state or bool(getattr(context, "is_history_navigation", False))


def _parameters(key: str) -> list[str]:
    return [value for value in st.query_params.get_all(key) if value]


def _valid(values: Iterable[str], options: Options) -> list[str]:
    return [name for name in dict.fromkeys(values) if name in options]


def _titles(options: Options) -> Any:
    return (lambda name: options.get(name, name)) if isinstance(options, Mapping) else str


def _keep(key: str, values: list[str] | None) -> None:
    st.session_state.setdefault(_PENDING, {})[key] = values
