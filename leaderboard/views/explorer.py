"""What does an augmentation do to a sentence?

The only page that loads a language pack or an encoder, when it is opened and when it is asked to. What is typed stays in this
session: it is in no URL, no log and no file.
"""

from __future__ import annotations

import html
from typing import Any

import streamlit as st

from harness.errors import AugBenchError
from leaderboard import explorer_data, state, style
from leaderboard.explorer_data import MAX_CHARACTERS, Piece, View

_TYPED, _OWN = "typed", "own"
_SEEDS = [str(number) for number in range(explorer_data.SEEDS)]
#: told apart by line and colour, on white and on black
_STYLES = {
    "inserted": "background:rgba(0,114,178,.22);border-bottom:2px solid #0072B2;border-radius:2px",
    "deleted": "background:rgba(213,94,0,.16);text-decoration:line-through;text-decoration-color:#D55E00;border-radius:2px",
}


def render() -> None:
    """Show the page."""
    style.title("Explorer", "One sentence, its parse, and what every operator makes of it.")
    names = explorer_data.languages()
    if not names:
        st.info("No language pack is installed.", icon=":material/info:")
        return
    left, right = st.columns([1, 3])
    with left:
        language = state.one("Language", names, "language", default="english") or names[0]
    try:
        pack = _pack(language)
    except AugBenchError as error:
        st.error(style.plain(error), icon=":material/error:")
        return
    except Exception as error:  # somebody else's broken pack
        st.error(style.plain(f"the pack {language} cannot be loaded: {type(error).__name__}: {error}"))
        return
    with right:
        sentence = _sentence(pack)
    if not sentence:
        st.info("Type a sentence above, or pick one that comes with the language.", icon=":material/edit:")
        return
    try:
        doc = explorer_data.parse(pack, sentence)
    except (AugBenchError, OSError, ValueError) as error:
        st.error(style.plain(f"The sentence cannot be parsed: {error}"), icon=":material/error:")
        return
    _tree(doc)
    _operators(pack, doc, sentence)


@st.cache_resource(show_spinner="Opening the language …", max_entries=8)
def _pack(language: str) -> Any:
    from harness.languages import open_pack

    return open_pack(language)


@st.cache_resource(show_spinner="Looking for operators …", max_entries=8)
def _specs(language: str, _pack: Any) -> list[str]:
    return explorer_data.operator_specs(_pack)


@st.cache_resource(show_spinner=False, max_entries=8)
def _own(language: str, _pack: Any) -> dict[str, list[str]]:
    return explorer_data.own_sentences(_pack)


@st.cache_resource(show_spinner="Opening the encoder …", max_entries=4)
def _encoder(language: str, _pack: Any) -> tuple[Any, str]:
    return explorer_data.open_encoder(_pack)


def _sentence(pack: Any) -> str:
    own = _own(pack.name, pack)
    ways = {_OWN: "pick one", _TYPED: "type one"} if own else {_TYPED: "type one"}
    way = state.segment("Sentence", ways, "from")
    if way == _TYPED:
        # never bound to the URL: what people type is theirs
        typed = st.text_area(
            "Your sentence",
            key="typed",
            max_chars=MAX_CHARACTERS,
            height=80,
            placeholder=f"up to {MAX_CHARACTERS} characters; it stays in this session",
        )
        return explorer_data.cleaned(typed or "")
    first, second = st.columns([1, 3])
    with first:
        source = state.one("From", list(own), "source") or next(iter(own))
    with second:
        # by number: the sentences come with the pack, and an address need not hold them
        offered = {str(number): text for number, text in enumerate(own[source], start=1)}
        return offered.get(state.one("Sentence", offered, "sentence") or "", "")


def _tree(doc: Any) -> None:
    pictures = explorer_data.tree_pictures(doc, dark=style.dark())
    if not pictures:
        st.caption("No tree to draw: the pack has no parser, or the sentence is a single word or very long.")
        return
    for picture in pictures:
        # the picture is an image of its own: what it holds is never part of this page
        st.html(
            f'<div style="overflow-x:auto"><img src="{picture}" alt="dependency tree" style="max-width:none;height:auto"></div>'
        )


def _operators(pack: Any, doc: Any, sentence: str) -> None:
    specs = _specs(pack.name, pack)
    first, second, third = st.columns([3, 1, 2], vertical_alignment="bottom")
    with first:
        wanted = state.many("Operators", specs, "operators") or specs
    with second:
        seed = int(state.one("Seed", _SEEDS, "seed") or 0)
    with third:
        use = state.flag("use the pack's encoder", "encoder", help="For similarities, and for operators that need one.")
    embedder, folder = None, None
    if use:
        try:
            embedder, folder = _encoder(pack.name, pack)
        except AugBenchError as error:
            st.warning(style.plain(error), icon=":material/warning:")
    with st.spinner("Applying the operators …"):
        found = list(explorer_data.views(pack, doc, wanted, seed=seed, encoder=folder))
        alike = _similarities(embedder, sentence, found)
    changed = [view for view in found if view.text is not None]
    others = [view for view in found if view.text is None]
    st.subheader(f"{len(changed)} operators change it", anchor=False)
    if changed:
        st.html(_legend() + "".join(_card(view, alike.get(view.spec)) for view in changed))
    if embedder is not None and changed:
        st.caption(
            "Similarity: cosine × 100 of the sentence and its view under the pack's small encoder, mean of its word vectors. It "
            "hears a negation hardly louder than a comma: that is what training is for."
        )
    if others:
        st.subheader(f"{len(others)} leave it alone", anchor=False)
        st.html(_quiet(others))


def _similarities(embedder: Any, sentence: str, found: list[View]) -> dict[str, float | None]:
    if embedder is None:
        return {}
    changed = [(view.spec, view.text) for view in found if view.text is not None]
    try:
        values = explorer_data.similarities(embedder, sentence, [text for _, text in changed])
    except AugBenchError as error:
        st.warning(style.plain(error), icon=":material/warning:")
        return {}
    return {spec: value for (spec, _), value in zip(changed, values, strict=True)}


def _legend() -> str:
    marks = "".join(f' &nbsp; <span style="{_STYLES[mark]}">{mark}</span>' for mark in ("inserted", "deleted"))
    return f'<div class="ab-muted" style="margin-bottom:.4rem">{marks}</div>'


def _card(view: View, similarity: float | None) -> str:
    """One operator's view. Every text is escaped here, and Streamlit sanitises what it is given besides."""
    right = "" if similarity is None else f'<span class="ab-muted" title="similarity">{similarity:.1f}</span>'
    shown = "".join(map(_piece, view.pieces)) or html.escape(view.text or "")
    plain = html.escape(view.text or "") if view.pieces else ""
    return (
        f'<div class="ab-view"><code title="{html.escape(view.about)}">{html.escape(view.spec)}</code>'
        f'<div class="ab-text">{shown}<div class="ab-muted">{plain}</div></div>{right}</div>'
    )


def _quiet(views: list[View]) -> str:
    """The operators that leave the sentence alone, by reason; their descriptions where the pointer rests on them."""
    reasons: dict[str, list[View]] = {}
    for view in views:
        reasons.setdefault(view.why, []).append(view)
    out = []
    for why, of in reasons.items():
        names = " &nbsp; ".join(f'<code title="{html.escape(one.about)}">{html.escape(one.spec)}</code>' for one in of)
        out.append(f'<div style="padding:.3rem 0">{names}<div class="ab-muted">{html.escape(why)}</div></div>')
    return "".join(out)


def _piece(piece: Piece) -> str:
    text = html.escape(piece.text)
    return text if piece.mark == "same" else f'<span style="{_STYLES[piece.mark]}">{text}</span>'
