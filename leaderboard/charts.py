"""How are the pictures drawn? Altair charts that colour-blind readers can tell apart, in light and dark.

Colours and grid come from Streamlit's theme; what they tell is told by shape or label as well. Texts of records enter only as
values of a field, which Vega draws as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from leaderboard.style import PALETTE

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

#: beside the colours: signs that differ in shape
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
#: a thin neutral line that is seen on white and on black
NEUTRAL = "#8A8A8A"
_LABEL = 260


def differences(frame: pd.DataFrame) -> alt.Chart:
    """Draw differences with their intervals: columns task, value, low, high, verdict (`better`, `worse`, `tied`, `unknown`)."""
    import altair as alt

    order = list(frame["task"])
    base = alt.Chart(frame).encode(y=alt.Y("task:N", sort=order, title=None, axis=_labels()))
    colours = alt.Scale(domain=["better", "worse", "tied", "unknown"], range=[PALETTE[0], PALETTE[5], NEUTRAL, NEUTRAL])
    shapes = alt.Scale(
        domain=["better", "worse", "tied", "unknown"], range=["triangle-right", "triangle-left", "circle", "cross"]
    )
    verdict = alt.Color("verdict:N", scale=colours, title="B is", legend=alt.Legend(orient="top"))
    whole = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="B minus A, points"), x2="high:Q", color=verdict
    )
    point = base.mark_point(filled=True, size=90, opacity=1).encode(
        x="value:Q",
        color=verdict,
        shape=alt.Shape("verdict:N", scale=shapes, title="B is"),
        tooltip=[
            alt.Tooltip("task:N", title="task"),
            alt.Tooltip("value:Q", title="B minus A", format="+.2f"),
            alt.Tooltip("low:Q", title="from", format="+.2f"),
            alt.Tooltip("high:Q", title="to", format="+.2f"),
            alt.Tooltip("verdict:N", title="B is"),
        ],
    )
    return _sized(_zero("x") + whole + point, height=32 * len(frame) + 160)


def items(frame: pd.DataFrame, *, kind: str, a: str, b: str, graded: bool) -> alt.Chart:
    """Draw items of a task: place under A against place under B, coloured by the gold score where there are grades."""
    import altair as alt

    scale = alt.Scale(domain=[0, 100])
    shown: dict[str, Any] = {}
    if graded:
        shown["color"] = alt.Color("gold:Q", scale=_shades(), title="gold score")
    point = (
        alt.Chart(frame)
        .mark_circle(size=26, opacity=0.55, color=PALETTE[0])
        .encode(
            x=alt.X("a:Q", scale=scale, title=f"A: {kind}"),
            y=alt.Y("b:Q", scale=scale, title=f"B: {kind}"),
            tooltip=[
                alt.Tooltip("item:Q", title="item"),
                alt.Tooltip("gold:Q", title="gold", format=".2f"),
                alt.Tooltip("a:Q", title="A", format=".1f"),
                alt.Tooltip("b:Q", title="B", format=".1f"),
            ],
            **shown,
        )
    )
    return _sized(_diagonal() + point, height=420)


def shares(frame: pd.DataFrame) -> alt.Chart:
    """Draw measured shares with intervals beside printed ones: columns row, value, low, high, printed (None where none)."""
    import altair as alt
    import pandas as pd

    order = list(frame["row"])
    y = alt.Y("row:N", sort=order, title=None, axis=_labels())
    points = pd.concat(
        [
            frame[["row", "value"]].assign(what="measured here"),
            frame[["row", "printed"]].rename(columns={"printed": "value"}).assign(what="published"),
        ]
    ).dropna(subset="value")
    domain = ["measured here", "published"]
    rule = (
        alt.Chart(frame)
        .mark_rule(strokeWidth=2, color=PALETTE[0])
        .encode(y=y, x=alt.X("low:Q", title="lines changed, %", scale=alt.Scale(domain=[0, 100])), x2="high:Q")
    )
    point = (
        alt.Chart(points)
        .mark_point(filled=True, size=100, opacity=1)
        .encode(
            y=y,
            x="value:Q",
            color=alt.Color(
                "what:N", scale=alt.Scale(domain=domain, range=[PALETTE[0], PALETTE[1]]), title=None, legend=_top()
            ),
            shape=alt.Shape("what:N", scale=alt.Scale(domain=domain, range=["circle", "diamond"]), title=None),
            tooltip=[
                alt.Tooltip("row:N"),
                alt.Tooltip("what:N", title="is"),
                alt.Tooltip("value:Q", title="%", format=".2f"),
            ],
        )
    )
    return _sized(rule + point, height=32 * len(frame) + 120)


def plane(frame: pd.DataFrame) -> alt.Chart:
    """Draw operators by diversity and consistency with their intervals; size and colour show `score` where there is one.

    Columns: label, consistency, diversity, …_low, …_high, score (None where nothing was trained).
    """
    import altair as alt

    x = alt.X("diversity:Q", title="diversity: words that differ, %", scale=alt.Scale(zero=False, padding=24))
    y = alt.Y("consistency:Q", title="consistency: similarity × 100", scale=alt.Scale(zero=False, padding=24))
    base = alt.Chart(frame)
    tips = [
        alt.Tooltip("label:N", title="operator"),
        alt.Tooltip("consistency:Q", format=".2f"),
        alt.Tooltip("diversity:Q", format=".2f"),
        alt.Tooltip("score:Q", title="score after training", format=".2f"),
    ]
    flat = base.mark_rule(color=NEUTRAL).encode(x=alt.X("diversity_low:Q"), x2="diversity_high:Q", y=y)
    tall = base.mark_rule(color=NEUTRAL).encode(x=x, y=alt.Y("consistency_low:Q"), y2="consistency_high:Q")
    layers = [flat, tall]
    without = base.transform_filter("!isValid(datum.score)")
    layers.append(without.mark_point(size=70, color=NEUTRAL, strokeWidth=2).encode(x=x, y=y, tooltip=tips))
    if frame["score"].notna().any():
        colour = alt.Color("score:Q", scale=_shades(zero=False), title="score after training")
        with_score = base.transform_filter("isValid(datum.score)")
        layers.append(with_score.mark_circle(size=170, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips))
    layers.append(
        base.mark_text(dx=9, dy=-9, align="left", fontSize=11, color=NEUTRAL).encode(x=x, y=y, text="label:N")
    )
    return _sized(alt.layer(*layers), height=460)


def curves(frame: pd.DataFrame, *, x: str, y: str, series: str, beside: pd.DataFrame | None = None) -> alt.Chart:
    """Draw curves with bands: columns `series`, x, mean, low, high; `beside`: level lines (row, mean)."""
    import altair as alt

    names = sorted(frame[series].dropna().unique())
    colour = alt.Color(f"{series}:N", scale=_palette(names), title=None, legend=_top())
    base = alt.Chart(frame)
    at = alt.X("x:Q", title=x, scale=alt.Scale(zero=False))
    value = alt.Y("mean:Q", title=y, scale=alt.Scale(zero=False))
    layers = [
        base.transform_filter("isValid(datum.low)")
        .mark_area(opacity=0.15)
        .encode(x=at, y="low:Q", y2="high:Q", color=colour),
        base.mark_line().encode(x=at, y=value, color=colour),
        base.mark_point(filled=True, size=80, opacity=1).encode(
            x=at,
            y=value,
            color=colour,
            shape=alt.Shape(f"{series}:N", scale=_shapes(names), title=None),
            tooltip=[
                alt.Tooltip(f"{series}:N", title="operator"),
                alt.Tooltip("x:Q", title=x),
                alt.Tooltip("mean:Q", title=y, format=".2f"),
                alt.Tooltip("std:Q", title="spread over seeds", format=".2f"),
                alt.Tooltip("seeds:Q", title="seeds"),
            ],
        ),
    ]
    if beside is not None and not beside.empty:
        level = alt.Chart(beside).encode(
            y="mean:Q", tooltip=[alt.Tooltip("row:N"), alt.Tooltip("mean:Q", format=".2f")]
        )
        layers += [
            level.mark_rule(strokeDash=[5, 4], color=NEUTRAL),
            level.mark_text(align="left", x=4, dy=-6, fontSize=11, color=NEUTRAL).encode(text="row:N"),
        ]
    return _sized(alt.layer(*layers), height=380)


def bars(frame: pd.DataFrame, *, title: str, at: float | None = None) -> alt.Chart:
    """Draw means with intervals by row: columns row, mean, low, high; `at` is a level to compare with."""
    import altair as alt

    y = alt.Y("row:N", sort="-x", title=None, axis=_labels())
    base = alt.Chart(frame)
    layers: list[Any] = [
        base.mark_rule(strokeWidth=2, color=PALETTE[0]).encode(y=y, x=alt.X("low:Q", title=title), x2="high:Q"),
        base.mark_point(filled=True, size=90, opacity=1, color=PALETTE[0]).encode(
            y=y,
            x=alt.X("mean:Q", title=title, scale=alt.Scale(zero=False)),
            tooltip=[alt.Tooltip("row:N"), alt.Tooltip("mean:Q", format=".3f"), alt.Tooltip("seeds:Q")],
        ),
    ]
    if at is not None:
        import pandas as pd

        layers.insert(
            0, alt.Chart(pd.DataFrame({"at": [at]})).mark_rule(strokeDash=[5, 4], color=NEUTRAL).encode(x="at:Q")
        )
    return _sized(alt.layer(*layers), height=32 * len(frame) + 80)


def training(frame: pd.DataFrame, name: str, *, order: Sequence[str]) -> alt.Chart:
    """Draw one curve of a run, or of two: columns step, value, run."""
    import altair as alt

    scale = alt.Scale(domain=list(order), range=list(PALETTE[: len(order)]))
    dashes = alt.Scale(domain=list(order), range=[[1, 0], [6, 3]][: len(order)])
    legend = _top() if len(order) > 1 else None
    chart = (
        alt.Chart(frame)
        .mark_line(point=alt.OverlayMarkDef(size=18) if len(frame) < 60 else False)
        .encode(
            x=alt.X("step:Q", title="step"),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(zero=False)),
            color=alt.Color("run:N", scale=scale, title=None, legend=legend),
            strokeDash=alt.StrokeDash("run:N", scale=dashes, legend=None),
            tooltip=[alt.Tooltip("run:N"), alt.Tooltip("step:Q"), alt.Tooltip("value:Q", format=".5g")],
        )
    )
    return _sized(chart, height=210).properties(title=name[:60])


def _zero(axis: str) -> alt.Chart:
    import altair as alt
    import pandas as pd

    data = alt.Chart(pd.DataFrame({"zero": [0.0]}))
    return data.mark_rule(color=NEUTRAL, strokeDash=[3, 3]).encode(
        **{axis: alt.X("zero:Q") if axis == "x" else alt.Y("zero:Q")}
    )


def _diagonal() -> alt.Chart:
    import altair as alt
    import pandas as pd

    data = pd.DataFrame({"a": [0.0, 100.0], "b": [0.0, 100.0]})
    return alt.Chart(data).mark_line(color=NEUTRAL, strokeDash=[3, 3]).encode(x="a:Q", y="b:Q")


def _palette(names: Sequence[str]) -> Any:
    import altair as alt

    return alt.Scale(domain=list(names), range=[PALETTE[n % len(PALETTE)] for n in range(len(names))])


def _shapes(names: Sequence[str]) -> Any:
    import altair as alt

    return alt.Scale(domain=list(names), range=[SHAPES[n % len(SHAPES)] for n in range(len(names))])


def _labels() -> Any:
    """Every row keeps its label, whatever its length."""
    import altair as alt

    return alt.Axis(labelLimit=_LABEL, labelOverlap=False)


def _shades(**options: Any) -> Any:
    """Viridis without its ends, which are hardly seen on black and on white."""
    import altair as alt

    return alt.Scale(scheme=alt.SchemeParams(name="viridis", extent=[0.2, 0.93]), **options)


def _top() -> Any:
    import altair as alt

    # bands are pale: their colour in the legend must not be
    return alt.Legend(orient="top", symbolOpacity=1)


def _sized(chart: Any, *, height: int) -> Any:
    return chart.properties(height=height, width="container")
