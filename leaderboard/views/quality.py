"""What do the augmentations do to text, and does that explain what they are worth in training?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from harness.errors import AugBenchError
from harness.records.store import Broken
from leaderboard import charts, data, parts, quality_data, state, style

if TYPE_CHECKING:
    import pandas as pd

    from harness.analyses.records import AnalysisRecord

_PARTS = {
    "coverage": "Coverage",
    "plane": "Consistency and diversity",
    "sensitivity": "Sensitivity",
    "attention": "Attention to negation",
}


def render() -> None:
    """Show the page."""
    style.title("Quality", "What operators change and keep, and what that is worth after training.")
    part = state.segment("Show", _PARTS, "show")
    stamp = _stamp()
    records, broken = _analyses(stamp)
    if part == "coverage":
        _coverage(records)
    elif part == "plane":
        _plane(records)
    elif part == "sensitivity":
        _sensitivity()
    else:
        _attention()
    if broken:
        with st.expander(f"{len(broken)} analyses could not be read"):
            parts.table(
                [{"file": one.path.name, "reason": one.reason[:500]} for one in broken],
            )


def _stamp() -> tuple[tuple[str, int], ...]:
    """The files of analyses there are, and when they were written: what the reading below is kept under."""
    found = []
    for folder in data.folders():
        for path in sorted((folder / "analyses").glob("*.json")):
            found.append((str(path), path.lstat().st_mtime_ns))
    return tuple(found)


@st.cache_resource(show_spinner=False, max_entries=4)
def _analyses(stamp: tuple[tuple[str, int], ...]) -> tuple[list[AnalysisRecord], list[Broken]]:
    broken: list[Broken] = []
    return quality_data.read_analyses(data.folders(), broken.append), broken


def _pick(records: list[AnalysisRecord], key: str) -> AnalysisRecord | None:
    """One of several records, the latest first."""
    titles = {}
    for one in reversed(records):
        facts = " · ".join(f"{name} {value}" for name, value in one.facts.items())
        titles[one.analysis_id] = f"{one.language} · {facts} · {one.finished[:10]}"[:200]
    chosen = state.one("Analysis", titles, key)
    record: AnalysisRecord | None = next((one for one in records if one.analysis_id == chosen), None)
    if record is not None and record.plumbing:
        st.warning("Not a result: " + style.plain(record.plumbing[:400]), icon=":material/warning:")
    return record


def _coverage(records: list[AnalysisRecord]) -> None:
    import pandas as pd

    found = [record for record in records if record.suite == quality_data.COVERAGE]
    if not found:
        st.info("No coverage has been counted in the results folders shown here. Two minutes on one core:")
        parts.command("augbench run sda-table2")
        return
    record = _pick(found, "analysis")
    if record is None:
        return
    tables = _tables(record)
    if not tables:
        return
    frame = quality_data.table_frame(tables[0])
    columns = {
        "value": "Changed %",
        "low": "Changed %, 95 % from",
        "high": "Changed %, 95 % to",
        "printed": "Published",
    }
    if "Changed %" not in frame.columns:
        _show(tables[0])
        return
    drawn = pd.DataFrame({"row": frame["row"]} | {name: frame.get(column) for name, column in columns.items()})
    drawn = drawn.assign(**{name: drawn[name].astype(float) for name in columns})
    st.altair_chart(charts.shares(drawn.dropna(subset=["value"])), width="stretch")
    st.caption(
        "The paper's Table 2 gives the share of its English corpus that each rule changed; ours are counted on the corpus named "
        "above" + ("." if record.language == "english" else ", which is of another language.")
    )
    for table in tables:
        _show(table)


def _plane(records: list[AnalysisRecord]) -> None:
    st.write(
        "The paper's hypothesis: a good positive keeps the meaning (up) and changes the wording (right). If that is so, the best "
        "scores lie at the upper right. Colour is the score after training with the operator; rings were not trained with."
    )
    found = [record for record in records if record.suite == quality_data.PLANE]
    if not found:
        st.info("No analysis of augmentation quality is in the results folders shown here. Five minutes on one core:")
        parts.command("augbench run augmentation-quality")
        return
    record = _pick(found, "analysis")
    if record is None:
        return
    try:
        points = quality_data.plane(record)
    except AugBenchError as error:
        st.warning(style.plain(f"This record cannot be drawn: {error}."), icon=":material/warning:")
        return
    scores, task = _scored("after training")
    points = points.assign(label=points["operator"], score=float("nan"), row="")
    if scores is not None and task is not None:
        negation = state.flag("trained with negations as hard negatives", "negation")
        values = quality_data.downstream(quality_data.run_values(scores, task), negation=negation)
        best = values.sort_values("mean").drop_duplicates("operator", keep="last").set_index("operator")
        points["score"] = points["operator"].map(best["mean"]).astype(float)
        points["row"] = points["operator"].map(best["row"])
        if points["score"].isna().all():
            st.caption(
                "No run of this choice trains with one of these operators; `augbench run sda-table8` makes such runs."
            )
    st.altair_chart(charts.plane(points), width="stretch")
    number = st.column_config.NumberColumn(format="%.2f")
    numeric = [name for name in points.columns if name not in ("operator", "label", "row")]
    parts.table(points.drop(columns="label"), formats=dict.fromkeys(numeric, number))
    st.caption(
        "Consistency is the cosine of a line and its view under a reference encoder, diversity the edit distance of their words; "
        "lines an operator leaves alone count with 100 and 0. Neither is the thing itself: an encoder hears a negation hardly "
        "louder than a comma."
    )
    for table in _tables(record):
        _show(table)


def _sensitivity() -> None:
    scores = quality_data.settings_of(_all_scores())
    present = [suite for suite in quality_data.SWEEPS if suite in set(scores["suite"])]
    if not present:
        st.info("No sweep is in the results folders shown here. They take hours without a GPU:")
        parts.command("augbench run sda-figure5a\naugbench run sda-figure5b")
        return
    first, second, third = st.columns(3)
    with first:
        suite = state.one("Swept", {name: f"{quality_data.SWEEPS[name][1]} ({name})" for name in present}, "sweep")
    if suite is None:
        return
    here, task = _narrowed(scores[scores["suite"] == suite], second, third)
    if here is None or task is None:
        return
    curves, beside = quality_data.sensitivity(here, suite, task)
    if curves.empty:
        st.info("No finished run of this sweep has a score on this task.", icon=":material/info:")
        return
    x = quality_data.SWEEPS[suite][1]
    st.altair_chart(
        charts.curves(curves, x=x, y=_mean_title(here, task), series="operator", beside=beside), width="stretch"
    )
    parts.plumbing(here["plumbing"])
    st.caption(
        "Points are means over seeds, bands 95 % t intervals over them; with one seed there is no band, and nothing is known "
        "about other seeds. Broken lines: rows that are not swept."
    )
    number = st.column_config.NumberColumn(format="%.2f")
    formats = dict.fromkeys(("mean", "std", "low", "high"), number)
    parts.table(curves.rename(columns={"x": x}), formats=formats)


def _attention() -> None:
    scores = _all_scores()
    found = scores[scores["protocol"].fillna("").str.startswith(quality_data.ATTENTION)]
    if found.empty:
        st.info("No run was asked for its attention to negation words. Figure 4 of the paper, as a number:")
        parts.command("augbench run sda-figure4")
        st.write("Or of any encoder:")
        parts.command("augbench evaluate --encoder ENCODER --tasks attention --data DATA_FOLDER")
        return
    first, second = st.columns(2)
    titles = parts.setting_names(found)
    with first:
        setting = state.one("Trained with", titles, "setting")
    here = found[found["setting"] == setting]
    with second:
        task = state.one("Sentences of", data.choices(here, "task"), "task")
    frame = quality_data.attention(here[here["task"] == task])
    if frame.empty:
        st.info("No defined value.", icon=":material/info:")
        return
    st.altair_chart(charts.bars(frame, title="attention to negation words over equal weights", at=1.0), width="stretch")
    parts.plumbing(here["plumbing"])
    number = st.column_config.NumberColumn(format="%.3f")
    parts.table(
        frame.drop(columns="task"),
        formats=dict.fromkeys(("mean", "std", "low", "high"), number),
    )
    st.caption(
        "Of the weight that [CLS] gives the words of a sentence in the last layer, the negation words' part, divided by what equal "
        "weights would give: 1 (the broken line) is no interest. It is no score of quality. Rank and share of first places stand "
        "in the score files."
    )


def _tables(record: AnalysisRecord) -> list[Any]:
    try:
        return quality_data.analysis_tables(record)
    except (AugBenchError, ValueError, KeyError, TypeError) as error:
        st.warning(style.plain(f"The tables of this record cannot be made: {error}."), icon=":material/warning:")
        return []


def _show(table: Any) -> None:
    st.markdown(f"**{style.plain(table.title[:200])}**")
    number = st.column_config.NumberColumn(format="%.2f")
    counts = {heading.title for heading in table.headings if heading.kind == "count"}
    frame = quality_data.table_frame(table)
    whole = st.column_config.NumberColumn(format="localized")
    formats = {name: whole if name in counts else number for name in frame.columns if name != "row"}
    parts.table(frame, formats=formats)
    for remark in [*table.footnotes, *table.remarks]:
        st.caption(style.plain(remark[:1200]))


def _all_scores() -> pd.DataFrame:
    scores = data.index().scores
    return data.current(scores[scores["status"] == "ok"])


def _scored(what: str) -> tuple[pd.DataFrame | None, str | None]:
    """The scores of runs that train with operators, in one setting and suite, and the task to look at."""
    scores = quality_data.settings_of(_all_scores())
    scores = scores[scores["operator"].notna()]
    if scores.empty:
        return None, None
    first, second, third = st.columns(3)
    with first:
        suite = state.one(f"Suite {what}", data.choices(scores, "suite"), "suite")
    return _narrowed(scores[scores["suite"] == suite], second, third)


def _narrowed(scores: pd.DataFrame, setting_place: Any, task_place: Any) -> tuple[pd.DataFrame | None, str | None]:
    titles = parts.setting_names(scores)
    with setting_place:
        setting = state.one("Trained with", titles, "setting")
    here = scores[scores["setting"] == setting]
    tasks = {quality_data.MEAN: "mean of the test tasks"} | {name: name for name in data.choices(here, "task")}
    with task_place:
        task = state.one("Score", tasks, "task")
    return (None, None) if setting is None else (here, task)


def _mean_title(here: pd.DataFrame, task: str) -> str:
    if task != quality_data.MEAN:
        return task
    tasks = quality_data.mean_tasks(here)
    return f"mean of {', '.join(tasks)}" if len(tasks) < 4 else f"mean of {len(tasks)} test tasks"
