"""How are the items of one task shown under two methods: scatter, widest gaps with their sentences, parts of the items?"""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from harness.errors import AugBenchError
from leaderboard import charts, compare_items, data, parts, style
from leaderboard.compare_data import Method, TaskDifference


def show_items(a: Method, b: Method, row: TaskDifference) -> None:
    """Show the items of a task and its score on parts of them, or why they are not known."""
    try:
        found = compare_items.items(a, b, row.place)
    except AugBenchError as error:
        st.info(style.plain(f"No items to show: {error}"), icon=":material/info:")
        _slices(a, b, row)
        return
    ranked = found.kind == compare_items.PLACES
    frame = found.frame
    shown = frame if len(frame) <= 4000 else frame.sample(4000, random_state=0)
    left, right = st.columns([1, 1])
    with left:
        st.altair_chart(charts.items(shown, kind=found.kind, a=a.label, b=b.label, graded=ranked), width="stretch")
        of = "" if len(shown) == len(frame) else f"{len(shown):,} of {len(frame):,} items, drawn at random. "
        st.caption(
            of
            + (
                "Each point is a sentence pair; the place of its similarity among all, because two encoders' similarities "
                "have different ranges. Colour: the human score."
                if ranked
                else "Each point is an item."
            )
        )
    with right:
        _slices(a, b, row)
    _disagreement(found, ranked)


def _disagreement(found: compare_items.Items, ranked: bool) -> None:
    st.subheader("Where they disagree most", anchor=False)
    most = compare_items.disagreements(found, count=30)
    texts, reason = _texts(found)
    table = most[["item", "gold", "a", "b", "gap", "closer"]].rename(columns={"a": "A", "b": "B", "gap": "B - A"})
    if ranked:
        table.insert(2, "gold place", most["gold_place"])
    if texts is not None:
        for number in range(max(map(len, texts), default=0)):
            values = [texts[item - 1][number] if number < len(texts[item - 1]) else "" for item in most["item"]]
            table[f"sentence {number + 1}"] = [value[:500] for value in values]
    number_column = st.column_config.NumberColumn
    formats = {name: number_column(format="%.0f") for name in ("gold place", "A", "B")}
    parts.table(
        table,
        height=420,
        formats={**formats, "gold": number_column(format="%.2f"), "B - A": number_column(format="%+.0f")},
    )
    if reason is not None:
        st.caption(":material/info: Item numbers only: " + style.plain(reason))
        if not data.knows_texts():
            st.caption("Records hold no sentences. With the data folder the board shows them:")
            parts.command(data.command("--data", "DATA_FOLDER"))
    st.caption(
        f"Numbers are {found.kind}; *closer* says whose is nearer to the gold score's."
        if ranked
        else f"Numbers: {found.kind}."
    )


def _texts(found: compare_items.Items) -> tuple[list[tuple[str, ...]] | None, str | None]:
    try:
        return _sentences(found.record.task_id, found.record.language, found.record.data_sha, found.record), None
    except AugBenchError as error:
        return None, str(error)


@st.cache_resource(show_spinner="Reading the sentences …", max_entries=16)
def _sentences(task: str, language: str, sha: str, _record: Any) -> list[tuple[str, ...]]:
    return compare_items.sentences(_record)


def _slices(a: Method, b: Method, row: TaskDifference) -> None:
    """Show the task's score on parts of its items, or why it is not known."""
    st.subheader("By kind of item", anchor=False)
    found = compare_items.slices(a, b, row.place)
    if not found:
        st.caption(
            "These records hold no scores on parts of the items (overlap, negation, length): they were written by an older "
            "version, or the task has no sentence pairs. Scoring again adds them, without training: delete the score file and "
            "give the `augbench run` command again."
        )
        return
    table = pd.DataFrame(
        [
            {
                "kind": one.kind,
                "part": one.part,
                "A": one.a,
                "B": one.b,
                "B - A": one.difference.value if one.difference else None,
                "95 % from": one.difference.low if one.difference else None,
                "95 % to": one.difference.high if one.difference else None,
                "items": one.items,
            }
            for one in found
        ]
    )
    number = st.column_config.NumberColumn
    formats = {name: number(format="%.2f") for name in ("A", "B")}
    formats |= {name: number(format="%+.2f") for name in ("B - A", "95 % from", "95 % to")}
    parts.table(table, formats=formats)
    st.caption(
        "The task's score on parts of its items. Intervals are over the seeds alone (which items are in a part is not stored). "
        "A part has a narrower range of gold scores than the whole, so that its correlation is lower: compare A with B, not "
        "parts with each other."
    )
