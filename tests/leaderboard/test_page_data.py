"""What the pages Explorer, Quality and Run show, without Streamlit."""

from __future__ import annotations

import base64
import json
import random
import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_records import HOSTILE, add_analysis, add_run, add_sweep, coverage_result, plane_result

from harness.errors import AugBenchError
from harness.index import open_index
from harness.protocols import Change, Edit
from harness.records.store import Broken, Run
from leaderboard import explorer_data, quality_data, run_data


# -- explorer ---------------------------------------------------------------------------------------------------------
class Doc(list[Any]):
    """Tokens parted by blanks."""

    def __init__(self, words: list[str]) -> None:
        last = len(words) - 1
        super().__init__(SimpleNamespace(text=w, whitespace_=" " * (i < last), i=i) for i, w in enumerate(words))

    @property
    def text(self) -> str:
        return "".join(token.text + token.whitespace_ for token in self)


@given(st.integers(1, 8), st.integers(0, 2**32))
def test_marked_pieces_hold_the_original_and_every_change(length: int, seed: int) -> None:
    rng = random.Random(seed)
    doc = Doc([f"w{n}" for n in range(length)])
    changes, at = [], 0
    while at < length:
        kind = rng.choice(["insert", "delete", "replace", "keep"])
        if kind == "insert":
            changes.append(Change("insert", at, at, f"+{at} "))
        elif kind != "keep":
            changes.append(Change(kind, at, at + 1, f"={at}" if kind == "replace" else ""))  # type: ignore[arg-type]
        at += 1
    pieces = explorer_data.marked(doc, changes)  # type: ignore[arg-type]
    words = "".join(piece.text for piece in pieces if piece.mark != "inserted").split()
    assert words == doc.text.split()
    assert [p.text for p in pieces if p.mark == "inserted"] == [c.text for c in changes if c.text]
    assert sum(p.mark == "deleted" for p in pieces) == sum(c.kind in ("delete", "replace") for c in changes)


@given(st.text(max_size=900))
def test_typed_texts_are_one_short_line(typed: str) -> None:
    found = explorer_data.cleaned(typed)
    assert len(found) <= explorer_data.MAX_CHARACTERS
    assert found.splitlines() in ([], [found])
    assert found == found.strip()
    found.encode("utf-8")


def test_operators_say_why_they_leave_a_sentence_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from harness import operators
    from harness.protocols import Operator

    class Never(Operator):
        name = "never"

        def apply(self, doc: Any, rng: random.Random) -> Edit | None:
            return None

    class Sometimes(Operator):
        """Now and then."""

        name = "sometimes"

        def apply(self, doc: Any, rng: random.Random) -> Edit | None:
            return Edit("changed", (Change("replace", 0, 1, "changed"),)) if rng.random() < 0.4 else None

    class Bad(Operator):
        name = "bad"

        def apply(self, doc: Any, rng: random.Random) -> Edit | None:
            raise RuntimeError(HOSTILE)

    made = {"never": Never, "sometimes": Sometimes, "bad": Bad}

    def resolve(specs: list[str], *_: Any) -> list[Operator]:
        if specs[0] not in made:
            raise AugBenchError("needs an encoder")
        return [made[specs[0]]()]

    monkeypatch.setattr(operators, "resolve", resolve)
    pack: Any = SimpleNamespace(name="toy")
    doc: Any = Doc(["one", "two"])
    seen = {
        seed: list(explorer_data.views(pack, doc, ["never", "sometimes", "bad", "none"], seed=seed))
        for seed in range(8)
    }
    never, _, bad, none = seen[0]
    assert "nothing in this sentence fits" in never.why
    assert never.text is None
    assert "RuntimeError" in bad.why
    assert none.why == "needs an encoder"
    sometimes = [views[1] for views in seen.values()]
    assert {one.about for one in sometimes} == {"Now and then."}
    assert any(one.text == "changed" for one in sometimes)
    assert all("depends on the seed" in one.why for one in sometimes if one.text is None)


def test_trees_are_pictures_with_escaped_words() -> None:
    spacy = pytest.importorskip("spacy")
    from spacy.tokens import Doc as SpacyDoc

    words = ["<script>", "runs", "&", "他"]
    doc = SpacyDoc(
        spacy.blank("en").vocab, words=words, heads=[1, 1, 1, 1], deps=["<b>", "ROOT", "cc", "obj"], pos=["X"] * 4
    )
    (picture,) = explorer_data.tree_pictures(doc)
    head, _, body = picture.partition(",")
    svg = base64.b64decode(body).decode()
    assert head == "data:image/svg+xml;base64"
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg
    assert "<b>" not in svg
    assert "他" in svg
    import xml.etree.ElementTree as Tree

    assert Tree.fromstring(svg).attrib["viewBox"]
    assert explorer_data.tree_pictures(spacy.blank("en")("no tree here")) == []


# -- quality ----------------------------------------------------------------------------------------------------------
def test_coverage_stands_beside_printed_numbers(tmp_path: Path) -> None:
    add_analysis(tmp_path, "sda-table2", "coverage", coverage_result())
    (record,) = quality_data.read_analyses([tmp_path], pytest.fail)
    frame = quality_data.table_frame(quality_data.analysis_tables(record)[0]).set_index("row")
    assert frame.loc["PI", "Changed %"] == 25.0
    assert frame.loc["PI", "Changed %, 95 % from"] < 25.0 < frame.loc["PI", "Changed %, 95 % to"]
    assert frame["Published"].notna().any()


def test_damaged_analyses_are_named(tmp_path: Path) -> None:
    good = add_analysis(tmp_path, "augmentation-quality", "quality", plane_result())
    folder = tmp_path / "analyses"
    (folder / "bad.json").write_text("{", encoding="utf-8")
    (folder / "link.json").symlink_to(tmp_path / "nowhere")
    broken: list[Broken] = []
    found = quality_data.read_analyses([tmp_path, tmp_path], broken.append)
    assert [one.analysis_id for one in found] == [good.analysis_id]
    assert {one.path.name for one in broken} == {"bad.json", "link.json"}
    with pytest.raises(AugBenchError, match="no suite called"):
        quality_data.analysis_tables(good.model_copy(update={"suite": "../../etc/passwd.toml"}))


def test_the_plane_reads_what_is_a_place(tmp_path: Path) -> None:
    record = add_analysis(tmp_path, "augmentation-quality", "quality", plane_result())
    points = quality_data.plane(record).set_index("operator")
    assert list(points.index) == ["pi", "mv", HOSTILE[:80]]
    assert points.loc["pi", "consistency_low"] == 94.0
    assert points.loc["mv", "diversity"] == 20.0
    for result in ({}, {"operators": "x"}, {"operators": [{"operator": "pi"}]}):
        with pytest.raises(AugBenchError):
            quality_data.plane(record.model_copy(update={"result": result}))


def test_sweeps_become_curves(tmp_path: Path) -> None:
    add_sweep(tmp_path)
    scores = quality_data.settings_of(open_index([tmp_path]).scores)
    curves, beside = quality_data.sensitivity(scores, "sda-figure5a", "STS-B")
    assert list(zip(curves["operator"], curves["x"], strict=True)) == [
        (o, x) for o in ("mv", "pi") for x in (0.0, 0.5, 1.0)
    ]
    assert set(curves["seeds"]) == {3}
    assert curves["mean"][0] == curves["mean"][3]
    assert list(beside["row"]) == ["None (SimCSE)"]
    own = scores[(scores["task"] == "STS-B") & (scores["operator"] == "mv") & (scores["proportion"] == 0.5)]
    assert curves["mean"][1] == pytest.approx(own["value"].mean())
    margins, without = quality_data.sensitivity(scores, "sda-figure5b", quality_data.MEAN)
    assert list(margins["x"]) == [0.1, 0.5]
    assert list(without["row"]) == ["DN, without negation"]
    both = scores[(scores["suite"] == "sda-figure5b") & (scores["margin"] == 0.1) & scores["negation"]]
    assert margins["mean"][0] == pytest.approx(both["value"].mean())
    assert quality_data.mean_tasks(scores) == ["SICK-R", "STS-B"]


# -- run --------------------------------------------------------------------------------------------------------------
def test_the_command_can_be_parsed_again(tmp_path: Path) -> None:
    record = add_run(tmp_path, seed=4, row=HOSTILE, encoder="a model; rm -rf /")
    spec = record.spec.model_copy(update={"overrides": {"learning_rate": 3e-05, "pooler": "cls"}})
    found = run_data.command(record.model_copy(update={"spec": spec}))
    words = shlex.split(found.line)
    assert words[:3] == ["augbench", "run", "sda-table8"]
    assert words[words.index("--encoder") + 1] == "a model; rm -rf /"
    assert words[words.index("--seeds") + 1] == "4"
    from harness.runs.plan import parse_overrides

    pairs = [words[n + 1] for n, word in enumerate(words) if word == "--set"]
    assert parse_overrides(pairs) == {"learning_rate": 3e-05, "pooler": "cls"}
    assert any("Encoder" in remark for remark in found.remarks)
    assert "--row" not in words
    assert any("no row" in remark for remark in found.remarks)
    known = run_data.command(record.model_copy(update={"spec": spec.model_copy(update={"row": "PI, with negation"})}))
    words = shlex.split(known.line)
    assert words[words.index("--row") + 1] == "PI, with negation"


def test_differences_are_what_differs(tmp_path: Path) -> None:
    a = add_run(tmp_path, config={"x": 1, "same": 2})
    b = add_run(tmp_path, config={"x": 3, "same": 2, "new": True}, seed=1)
    found = run_data.difference(a, b).set_index("what")
    assert list(found.loc["config.x"]) == ["1", "3"]
    assert list(found.loc["config.new"]) == ["not there", "true"]
    assert "config.same" not in found.index
    assert run_data.difference(a, a).empty


@settings(max_examples=30)
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=900),
        lambda inner: st.dictionaries(st.text(max_size=9), inner),
    )
)
def test_anything_becomes_short_lines(value: Any) -> None:
    for key, text in run_data.flat({"top": value}).items():
        assert isinstance(text, str)
        assert len(text) <= run_data.MAX_TEXT
        assert "\n" not in key + text


def test_long_curves_are_thinned_and_keep_their_ends(tmp_path: Path) -> None:
    record = add_run(tmp_path)
    frame, thinned = run_data.curve_frame(Run(tmp_path / record.train_id, record).curves())
    assert thinned == {}
    assert set(frame["name"]) == {"loss", "dev"}
    long: list[dict[str, Any]] = [{"step": n, "name": "loss", "value": float(n)} for n in range(10_000)]
    long += [
        {"step": 1, "name": "loss", "value": None},
        {"step": None, "name": "loss", "value": 1.0},
        {"odd": json.dumps({})},
    ]
    frame, thinned = run_data.curve_frame(long)
    assert thinned == {"loss": 10_000}
    assert len(frame) <= run_data.MAX_POINTS + 1
    assert [frame["step"].iloc[0], frame["step"].iloc[-1]] == [0, 9999]
