"""What is behind one run: how it went, with what, how to do it again, and what sets it apart from another?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from leaderboard import charts, data, empty, parts, run_data, state, style

if TYPE_CHECKING:
    import pandas as pd

    from harness.records.schema import ScoreRecord
    from harness.records.store import Run

_MOST_CHOICES = 2000


def render() -> None:
    """Show the page."""
    style.title("Run", "One run: curves, filled configuration, versions, hashes, and the command that makes it again.")
    runs = data.index().runs
    if runs.empty:
        empty.show(data.index())
        return
    chosen, other = _choose(runs)
    if chosen is None:
        empty.broken(data.index())
        return
    _head(chosen)
    _command(chosen)
    scores = data.score_records(chosen.train_id)
    _scores(chosen, scores)
    _curves(chosen, other)
    if other is not None:
        _difference(chosen, other)
    _configuration(chosen)
    st.subheader("Data and code hashes", anchor=False)
    parts.table(run_data.hashes(chosen.record, scores))
    notes = run_data.flat(chosen.record.notes)
    if notes:
        with st.expander(f"Notes of the run ({len(notes):,}): automatic choices with their reasons"):
            parts.table([{"note": key, "says": value} for key, value in notes.items()])
    empty.broken(data.index())


def _choose(runs: pd.DataFrame) -> tuple[Run | None, Run | None]:
    named = state.given(state.RUN)
    first, second, third = st.columns([1, 2, 2])
    suites = data.choices(runs, "suite")
    with first:
        suite = state.one("Suite", suites, "suite", default=_suite_of(runs, named))
    here = runs[(runs["suite"] == suite) & (runs["listing"] == 0)]
    if here.empty:
        here = runs[runs["suite"] == suite]
    options = _options(here)
    with second:
        train_id = state.one("Run", options, state.RUN)
    others = {name: title for name, title in _options(runs[runs["listing"] == 0]).items() if name != train_id}
    with third:
        beside = state.one(
            "Beside another run",
            others,
            "against",
            optional=True,
            help="Shows in what they differ, and both curves.",
        )
    if named and named not in set(runs["train_id"]):
        st.warning("The run in this address is not in the results folders shown here.", icon=":material/warning:")
    found = data.run(train_id) if train_id else None
    if found is None:
        st.warning("This run can no longer be read.", icon=":material/warning:")
    return found, data.run(beside) if beside else None


def _suite_of(runs: pd.DataFrame, train_id: str | None) -> str | None:
    found = runs.loc[(runs["train_id"] == train_id) & (runs["listing"] == 0), "suite"]
    return None if found.empty else str(found.iloc[0])


def _options(runs: pd.DataFrame) -> dict[str, str]:
    ordered = runs.drop_duplicates("train_id").sort_values(
        ["suite", "row", "language", "seed", "train_id"], kind="stable"
    )
    named = state.given(state.RUN)
    if len(ordered) > _MOST_CHOICES:
        ordered = ordered[(ordered["train_id"] == named) | (ordered.index.isin(ordered.index[:_MOST_CHOICES]))]
    return {
        str(one.train_id): " · ".join(
            [
                str(one.row)[:80],
                f"seed {one.seed}",
                str(one.language)[:30],
                *([] if one.status == "ok" else [str(one.status)]),
            ]
        )
        + f" · {str(one.train_id)[:8]}"
        for one in ordered.itertuples(index=False)
    }


def _head(run: Run) -> None:
    record = run.record
    spec = record.spec
    if record.plumbing:
        st.warning("Not a result: " + style.plain(record.plumbing[:400]), icon=":material/warning:")
    if record.status != "ok":
        st.error(
            style.plain(f"{record.status}: {(record.reason or 'no reason recorded')[:600]}"), icon=":material/error:"
        )
        if record.traceback:
            with st.expander("Traceback"):
                st.code(record.traceback[:20_000], language="text")
    total = record.seconds.get("total")
    memory = max(record.peak_memory_mib.values(), default=None)
    numbers = {
        "seed": str(spec.seed),
        "time": "" if total is None else _duration(total),
        "peak memory": "" if memory is None else f"{memory / 1024:.2f} GiB",
        "trained on": f"{spec.corpus.rows:,} lines",
        "finished": record.finished[:10],
    }
    with st.container(horizontal=True, gap="large"):
        for label, value in numbers.items():
            st.metric(label, value, width="content")
    facts = [
        spec.method,
        spec.language,
        f"encoder {spec.encoder.name}",
        f"corpus {spec.corpus.name}",
        f"scale {spec.scale}",
    ]
    st.caption(style.plain(" · ".join(fact[:80] for fact in facts)))
    if len(record.listings) > 1:
        also = "; ".join(f"{one.suite}: {one.row}" for one in record.listings[1:10])
        st.caption("Also stands in " + style.plain(also[:400]))
    phases = {phase: value for phase, value in record.seconds.items() if phase != "total"}
    if phases:
        with st.expander("Seconds by phase, memory"):
            rows = [{"what": phase[:80], "value": f"{value:,.1f} s"} for phase, value in phases.items()]
            rows += [
                {"what": f"peak memory, {kind}"[:80], "value": f"{v:,.0f} MiB"}
                for kind, v in record.peak_memory_mib.items()
            ]
            parts.table(rows)


def _command(run: Run) -> None:
    found = run_data.command(run.record)
    st.subheader("Do it again", anchor=False)
    st.code(found.line[:4000], language="bash", wrap_lines=True)
    st.caption(" ".join(found.remarks))


def _scores(run: Run, scores: list[ScoreRecord]) -> None:
    st.subheader("Scores", anchor=False)
    frame = run_data.score_frame(scores)
    if frame.empty:
        st.caption("This run has no scores.")
    else:
        every = state.flag("every metric and aggregation", "every")
        shown = frame if every else frame[frame["main"]]
        columns = {"value": st.column_config.NumberColumn(format="%.2f")}
        parts.table(shown.drop(columns="main"), formats=columns)
    if run.record.problems:
        rows = [
            {"task": task[:80], "status": problem.status, "reason": problem.reason[:500]}
            for task, problem in run.record.problems.items()
        ]
        st.caption("Tasks without a score:")
        parts.table(rows)
    beside = run_data.facts(scores)
    if not beside.empty:
        with st.expander("Measured beside the scores"):
            parts.table(beside)


def _curves(run: Run, other: Run | None) -> None:
    import pandas as pd

    st.subheader("Curves", anchor=False)
    names = {"this run": run, **({"the other": other} if other is not None else {})}
    frames: list[pd.DataFrame] = []
    thinned: dict[str, int] = {}
    for name, one in names.items():
        frame, cut = run_data.curve_frame(one.curves())
        frames.append(frame.assign(run=name))
        thinned |= cut
    frame = pd.concat(frames, ignore_index=True)
    if frame.empty:
        st.caption("No curves were recorded: nothing was trained step by step.")
        return
    present = [name for name in names if name in set(frame["run"])]
    curves = sorted(frame["name"].unique())
    chosen = state.many("Curves", curves, "curves") or curves[:9]
    columns = st.columns(3)
    for number, name in enumerate(chosen):
        part = frame[frame["name"] == name].drop(columns="name")
        columns[number % 3].altair_chart(charts.training(part, name, order=present), width="stretch")
    if len(curves) > len(chosen):
        st.caption(f"{len(chosen)} of {len(curves)} curves are drawn; choose others above.")
    if thinned:
        st.caption(f"Long curves are thinned to {run_data.MAX_POINTS:,} points.")


def _difference(run: Run, other: Run) -> None:
    st.subheader("In what they differ", anchor=False)
    found = run_data.difference(run.record, other.record)
    if found.empty:
        st.caption("In nothing that is recorded.")
        return
    shown = found.rename(columns={"first": run.train_id[:8], "second": other.train_id[:8]})
    if run.train_id[:8] == other.train_id[:8]:
        shown = found
    parts.table(shown)


def _configuration(run: Run) -> None:
    st.subheader("Configuration, as it was filled", anchor=False)
    sections = run_data.filled(run.record)
    columns = st.columns(2)
    for number, (name, values) in enumerate(sections.items()):
        with columns[number % 2]:
            st.markdown(f"**{name}**")
            rows = [{"name": key, "value": value} for key, value in values.items()]
            parts.table(rows)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
