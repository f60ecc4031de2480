"""Is one method really better than another, on which tasks, and on which sentences do they disagree?"""

from __future__ import annotations

from typing import Any, cast

import streamlit as st

from harness.statistics import Correction
from leaderboard import charts, compare_data, compare_shown, data, empty, pages, parts, state, style
from leaderboard.compare_choice import choose
from leaderboard.compare_data import Method, TaskDifference

_CORRECTIONS: dict[Correction, str] = {"holm": "Holm", "bh": "Benjamini-Hochberg", "none": "none"}
_WORDS = {"better": "better", "worse": "worse", "tied": "tied", "unknown": "no test"}


def render() -> None:
    """Show the page."""
    style.title("Compare", "B minus A, task by task, with what chance alone could do; then item by item.")
    runs = data.index().runs
    done = runs[runs["status"] == "ok"]
    if done.empty:
        empty.show(data.index())
        return
    chosen = choose(done)
    if chosen is None:
        return
    a, b = chosen
    _heads(a, b)
    correction = state.one(
        "p corrected for the number of tasks",
        _CORRECTIONS,
        "correction",
        default="holm",
        help="With many tasks some small p comes by chance. Holm bounds the chance of even one false difference, "
        "Benjamini-Hochberg the share of false ones among those found.",
    )
    rows = _compared(_stamp(a), _stamp(b), cast("Correction", correction or "holm"), a, b)
    if not any(not row.average for row in rows):
        st.info("Neither of the two has scores. Their pages say why.", icon=":material/info:")
        return
    _summary(rows)
    _tasks(rows, a, b)
    both = [row for row in rows if not row.average and row.seeds_a and row.seeds_b]
    if not both:
        st.info("The two have no task in common, so there is nothing to compare item by item.", icon=":material/info:")
        return
    st.header("Item by item", anchor=False)
    names = {"/".join(row.place): row for row in both}
    task = state.one("Task", {name: " · ".join(row.place) for name, row in names.items()}, "task")
    if task is not None:
        compare_shown.show_items(a, b, names[task])


def _stamp(method: Method) -> str:
    """What changes if any score of a method changes."""
    parts = [method.key]
    for run, own in zip(method.runs, method.scores, strict=True):
        parts += [run.train_id, *(f"{place}{record.eval_id}{record.finished}" for place, record in sorted(own.items()))]
    return "|".join(map(str, parts))


@st.cache_resource(show_spinner="Resampling the items of every task …", max_entries=64)
def _compared(first: str, second: str, correction: Correction, _a: Method, _b: Method) -> list[TaskDifference]:
    return compare_data.compare(_a, _b, correction=correction)


def _heads(a: Method, b: Method) -> None:
    for column, letter, method in zip(st.columns(2), "AB", (a, b), strict=True):
        with column, st.container(border=True):
            seeds = ", ".join(map(str, method.seeds))
            st.markdown(f"**{letter}** &nbsp; {style.plain(method.label[:120])}")
            st.caption(f"seeds {seeds} · " + style.plain(f"{method.runs[0].record.spec.method}"))
            pages.link("run", "first of its runs", icon=":material/terminal:", run=method.runs[0].train_id)
            if method.plumbing:
                st.caption(":material/warning: plumbing, not a result: " + style.plain(method.plumbing[:300]))


def _summary(rows: list[TaskDifference]) -> None:
    counts = compare_data.outcomes(rows)
    average = next((row for row in rows if row.average), None)
    with st.container(horizontal=True, gap="large"):
        _number("B wins", counts["better"], "tasks on which B is better, corrected p at most 0.05")
        _number("ties", counts["tied"], "tasks on which the two cannot be told apart with these seeds and items")
        _number("B loses", counts["worse"], "tasks on which B is worse, corrected p at most 0.05")
        _number("no test", counts["unknown"], "tasks only one was scored on, or whose score is undefined")
        if average and average.difference and average.difference.value is not None:
            found = average.difference
            interval = "" if found.low is None else f"95 % {found.low:+.2f} to {found.high:+.2f}; "
            _number("mean difference", f"{found.value:+.2f}", f"{interval}{average.reason}")


def _number(label: str, value: int | str, help: str) -> None:
    st.metric(label, value, help=help, width="content")


def _tasks(rows: list[TaskDifference], a: Method, b: Method) -> None:
    import pandas as pd

    several = len({row.protocol for row in rows if not row.average}) > 1
    drawn = pd.DataFrame(
        [
            {
                "task": f"{row.task} ({row.protocol})" if several and not row.average else row.task,
                "value": row.difference.value,
                "low": row.difference.low,
                "high": row.difference.high,
                "verdict": row.outcome,
            }
            for row in rows
            if row.difference is not None and row.difference.value is not None
        ]
    )
    if not drawn.empty:
        st.altair_chart(charts.differences(drawn), width="stretch")
    table = pd.DataFrame([_line(row) for row in rows])
    number = st.column_config.NumberColumn
    parts.table(
        table,
        formats={
            "A": number(format="%.2f"),
            "B": number(format="%.2f"),
            "B - A": number(format="%+.2f"),
            "95 % from": number(format="%+.2f"),
            "95 % to": number(format="%+.2f"),
            "p": number(format="%.3g", help="of one task alone"),
            "p corrected": number(format="%.3g", help="for the number of tasks; this one decides who wins"),
            "can show": number(format="%.2f", help="the smallest true difference this comparison finds 4 times in 5"),
            "seeds' share": number(format="percent", help="of the uncertainty: the rest is the test items'"),
        },
    )
    one_seed = min(len(a.seeds), len(b.seeds)) < 2
    notes = ["Intervals are over seeds and test items; a tie is no proof of equality: see *can show*."]
    if one_seed:
        notes.append("With one seed nothing is known about other seeds: the interval is then too narrow.")
    st.caption(" ".join(notes))


def _line(row: TaskDifference) -> dict[str, Any]:
    found = row.difference
    return {
        "task": row.task,
        "B is": "" if row.average else _WORDS[row.outcome],
        "A": row.a,
        "B": row.b,
        "B - A": found.value if found else None,
        "95 % from": found.low if found else None,
        "95 % to": found.high if found else None,
        "p": found.p if found else None,
        "p corrected": None if row.average else row.p,
        "can show": row.smallest,
        "seeds' share": found.seed_share if found else None,
        "seeds": f"{len(row.seeds_a)} / {len(row.seeds_b)}"
        + (" paired" if found and found.paired and len(row.seeds_a) > 1 else ""),
        "items": row.items,
        "score": row.metric,
        "protocol": row.protocol,
        "remark": (row.reason or "")[:300],
    }
