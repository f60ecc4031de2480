"""How is all this to be read, and how does one take part?"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from leaderboard import data, empty, parts, style

_WHAT = """
AugBench trains sentence encoders without labels, with one small change of a sentence after another, and measures what each change
is worth. Everything but the augmentation stays the same: encoder, text, number of steps, seeds, and how scores are computed.
Nothing on these pages was typed in by hand: a number is either **measured**, and then leads to the runs behind it, or
**published**, and then names the table of the paper it stands in. Measured and published numbers never share a cell.
"""

#: on the page | what it says | what it does not say
_STATISTICS = (
    (
        "**76.25 ± 0.43**",
        "mean and sample standard deviation over the seeds: how far apart runs lie that differ in nothing but chance",
        "how sure the mean is; that is the interval",
    ),
    (
        "**a number without ±**",
        "one seed: nothing is known about other seeds",
        "that it would come out like this again",
    ),
    (
        "**95 % interval**",
        "over other seeds *and* other test items: both were drawn by chance",
        "anything about another language, encoder or kind of text",
    ),
    (
        "**tied with the best**",
        "a paired test on the same items, corrected for the number of methods, does not tell it from the best",
        "that the two are equal; more seeds may part them",
    ),
    (
        "**ranks 2 to 5 of 9**",
        "one method is surely better, and four are surely worse",
        "that it is third",
    ),
    (
        "**p, corrected**",
        "how often chance alone would give such a difference on any of the tasks (Holm); at most 0.05 counts as a difference",
        "how large the difference is: look at the interval",
    ),
    (
        "**can show**",
        "the smallest true difference this comparison would find four times in five",
        "anything about smaller ones: they are out of reach with these seeds",
    ),
    ("**blank**", "not measured, or undefined (a constant prediction)", "0"),
)

_WHY = """
**Why paired?** Two methods are scored on the same sentences and usually with the same seeds. A hard sentence is hard for both, so
the difference varies far less than each score alone. Comparing two intervals by eye throws that away.

**Why several seeds?** The same training with another seed moves the score of an unsupervised sentence encoder by up to two points,
as much as most papers claim as progress. The best seed is never shown in place of the mean, and nothing is ranked by it.

**Why only within one setting?** Scores of other encoders, texts, amounts of text or protocols answer other questions. They stand
in other tables, and a row of older code is marked as such.
"""

_PROTOCOL = (
    "A protocol is a named, versioned way to compute a score; it stands beside every score, such as `sts-original@1`."
)
#: protocol | how
_PROTOCOLS = (
    (
        "`sts-original`",
        "cosine of the two sentences' vectors; Spearman's ρ × 100 with human scores, over all subsets of a year together; texts as "
        "the organisers published them",
    ),
    ("`sts-senteval`", "the same on SentEval's texts (tokenised, lower-cased), which most papers since SimCSE report"),
    ("transfer, `logreg`", "a logistic regression on frozen vectors, solved exactly; accuracy"),
    ("transfer, `senteval-mlp`", "SentEval's own classifier, step by step; differs from `logreg` by points"),
    ("clustering, intents, pairs", "see the evaluation guide of the repository, docs/evaluation.md"),
    ("`negation-attention`", "how much the [CLS] vector looks at negation words; no score of quality"),
)
_SPLITS = """
`:dev` behind a task's name is its development split, which training may look at to choose a step. Test data never chooses anything.
"""

_PLUMBING = """
**Plumbing** marks runs that show that the machinery works and nothing else: trained on a sample, or from an encoder that was
already trained to compare sentences. **Older** marks rows that were run again later by other code.
Both can be switched off on the board.
"""

_SUBMIT = """
1. Run a suite: every row, at least three seeds. What is done is not done again, and an interruption costs minutes.
2. Pack the records and check what you are going to send. A record is data: the check reads it, runs nothing, and computes
   the stated scores again from the stored predictions.
3. Send the packed folder (`run.json`, `scores/`, `curves.parquet`; no weights) as a pull request to the repository's records.
"""


def render() -> None:
    """Show the page."""
    style.title("About", "How to read these pages, and how to take part.")
    st.markdown(_WHAT)
    st.header("Numbers in plain words", anchor=False)
    st.markdown(_table(("on the page", "what it says", "what it does not say"), _STATISTICS))
    st.markdown(_WHY)
    st.header("Protocols", anchor=False)
    st.markdown(_PROTOCOL)
    st.markdown(_table(("protocol", "how"), _PROTOCOLS))
    st.markdown(_SPLITS)
    st.markdown(_PLUMBING)
    st.header("Your own results", anchor=False)
    st.write("These pages show any results folder, several at once, and only read them:")
    parts.command("augbench leaderboard --results results --results FOLDER_OF_A_COLLEAGUE --data DATA_FOLDER")
    st.write("Records hold no sentences; with `--data`, Compare shows the pairs on which two methods disagree.")
    st.header("Submit", anchor=False)
    st.markdown(_SUBMIT)
    parts.command(
        "augbench run sda-table8 --scale small --seeds 0-4 --data DATA_FOLDER\n"
        "augbench submit pack results --out records.tar.xz\naugbench submit check records.tar.xz"
    )
    st.header("What is shown now", anchor=False)
    _shown()
    st.caption("Dependency trees are drawn by displaCy (spaCy), charts by Vega. Colours: Okabe and Ito (2008).")


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Our own words as a Markdown table."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shown() -> None:
    index = data.index()
    for folder in data.folders():
        st.text(f"results folder: {folder}")
    for folder in data.missing():
        st.text(f"not there: {folder}")
    runs = index.runs
    protocols = data.choices(index.scores, "protocol") if len(index.scores) else []
    numbers = {
        "runs": runs["train_id"].nunique(),
        "scores": len(index.rows("score")),
        "protocols": len(protocols),
        "records not readable": len(index.broken),
    }
    with st.container(horizontal=True, gap="large"):
        for label, value in numbers.items():
            st.metric(label, f"{value:,}", width="content")
    if protocols:
        parts.table([{"protocol": name} for name in protocols])
    _references()
    empty.broken(data.index())


def _references() -> None:
    found, problem = data.references()
    if problem:
        st.warning(style.plain(f"Published numbers cannot be shown: {problem}"), icon=":material/warning:")
        return
    sources: dict[str, int] = {}
    for one in found:
        sources[one.source] = sources.get(one.source, 0) + 1
    if sources:
        with st.expander(f"{len(found):,} published numbers from {len(sources)} tables"):
            rows = [{"table": source, "numbers": count} for source, count in sorted(sources.items())]
            parts.table(rows)
