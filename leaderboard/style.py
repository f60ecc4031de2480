"""How do things look? Calm and dense, in light and dark; meaning never by colour alone.

Colours are those of Okabe & Ito (2008), which colour-blind readers can tell apart, and a single blue of growing strength for
scores. Texts of records are shown with `st.text`, `st.dataframe` or `plain`, never as Markdown or HTML.
"""

from __future__ import annotations

import streamlit as st

from harness.reports.formats import escape_markdown

#: categories, to be told apart by colour-blind readers (and by shape or label besides): Okabe & Ito
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#8C8C00", "#7F7F7F")
#: texts of published rows, on light and on dark ground
_PRINTED = ("#8a5200", "#e0a040")
#: texts that are read through the 60 % with which a pinned column is drawn
_STRONG = ("#000000", "#ffffff")
#: the one blue of shaded cells, as red, green, blue
_BLUE = (0, 114, 178)

_CSS = """
<style>
.block-container { padding-top: 3.6rem; padding-bottom: 3rem; max-width: 100rem; }
[data-testid="stMetricValue"] { font-size: 1.35rem; }
h1 { font-size: 1.6rem !important; padding-bottom: .2rem !important; }
h2 { font-size: 1.25rem !important; } h3 { font-size: 1.05rem !important; padding-bottom: .1rem !important; }
.ab-muted { opacity: .72; font-size: .86rem; }
.ab-view { border-top: 1px solid rgba(128,128,128,.28); padding: .45rem 0; display: grid; gap: .15rem .9rem;
  grid-template-columns: minmax(6.5rem, 11rem) 1fr auto; line-height: 1.6; overflow-wrap: anywhere; }
.ab-view > code { align-self: start; }
@media (max-width: 640px) {
  .block-container { padding-left: .8rem; padding-right: .8rem; }
  .ab-view { grid-template-columns: 1fr auto; }
  .ab-view > code { grid-column: 1; } .ab-view > .ab-text { grid-row: 2; grid-column: 1 / -1; }
}
</style>
"""


def apply() -> None:
    """Write the few rules that the theme cannot say."""
    st.html(_CSS)


def title(text: str, about: str) -> None:
    """Write a page's title and, in one line, the question it answers. Our own words only."""
    st.title(text, anchor=False)
    st.caption(about)


def plain(text: object) -> str:
    """Return a text of a record such that Markdown shows its characters and nothing else, on one line."""
    shown = escape_markdown(str(text))
    for character in "$:#!~&-+=@":
        shown = shown.replace(character, f"\\{character}")
    return shown


def shade(share: float | None) -> str:
    """Return the CSS background of a cell whose score lies at `share` (0 worst, 1 best) of its column; for any theme."""
    if share is None or share != share:
        return ""
    strength = 0.04 + 0.30 * min(1.0, max(0.0, share))
    return f"background-color: rgba({_BLUE[0]}, {_BLUE[1]}, {_BLUE[2]}, {strength:.2f})"


def printed() -> str:
    """Return the CSS of the text of published rows."""
    return f"color: {_PRINTED[dark()]}"


def strong() -> str:
    """Return the CSS of the texts of a pinned column."""
    return f"color: {_STRONG[dark()]}"


def dark() -> bool:
    """Return whether the reader's theme is dark (charts need to know; light if unknown)."""
    try:
        return st.context.theme.type == "dark"
    except AttributeError:
        return False
