"""Augmentation quality: what is counted is what a plain loop counts; what is lacking is said; tables show the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysed_pack import Stub, write_corpus

from harness.analyses.job import Request
from harness.analyses.quality import Similarity, compare
from harness.analyses.quality_result import OperatorQuality, QualityResult
from harness.analyses.run import find_record, open_job, report_tables, run_job, tables_of
from harness.analyses.suites import QualitySuite
from harness.diagnostics.surface import relative_distance, surface_units
from harness.encoder import open_embedder
from harness.errors import DataError, Skipped, UsageError
from harness.records.schema import unpack
from harness.reports.formats import as_json, render
from harness.suite import load_suite, parse_suite

SUITE = """[suite]
name = "mine"
kind = "quality"
title = "Mine"
default_scale = "small"
[scales.smoke]
corpus = "sample"
perplexity = 0
[scales.small]
corpus = "wiki.txt"
seeds = [0, 1]
perplexity = 3
[[rows]]
label = "Shout"
operator = "shout"
[[rows]]
label = "Coin"
operator = "coin"
[[rows]]
label = "Lacking"
operator = "lacking"
[[rows]]
label = "Unknown here"
operator = "mv"
[[rows]]
label = "Mask"
operator = "mask@50"
anchor = true
"""
LINES = ["the cat sits", "the dog runs!", "", "a bird flies", "the cat sits", "…", "old bread and cheese"]
DIFFERENT = ["the cat sits", "the dog runs!", "a bird flies", "old bread and cheese"]


def suite(text: str = SUITE) -> QualitySuite:
    found = parse_suite(text.encode(), "mine.toml")
    assert isinstance(found, QualitySuite)
    return found


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def pack(tmp_path: Path, tiny_mlm: Path) -> Stub:
    stub = Stub(tmp_path / "pack")
    stub.encoder = tiny_mlm
    return stub


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "corpus.txt", LINES)


def job(pack: Any, corpus: Path | None, text: str = SUITE, **more: Any) -> Any:
    return open_job(suite(text), Request(language=pack, corpus=corpus, jobs=1, **more))


def by_name(result: QualityResult) -> dict[str, OperatorQuality]:
    return {one.operator: one for one in result.operators}


def test_the_numbers_are_those_of_a_plain_loop(pack: Stub, corpus: Path, tiny_mlm: Path) -> None:
    result = job(pack, corpus).measure()
    assert (result.lines, result.of, result.seeds) == (4, 7, (0, 1))
    shout = by_name(result)["shout"]
    assert shout.changed == (3, 3)
    views = {text: f"{text}!" for text in DIFFERENT if text[-1].isalpha()}
    embedder = open_embedder(str(tiny_mlm), pooler="avg")

    def cosine(a: str, b: str) -> float:
        u, v = embedder.encode([a, b]).astype(float)
        return float(u @ v / np.linalg.norm(u) / np.linalg.norm(v))

    cosines = [cosine(text, view) for text, view in views.items()]
    letters = [1 / len(view) for view in views.values()]
    words = [relative_distance(surface_units(text), surface_units(view)) for text, view in views.items()]
    assert shout.similarity[0] == pytest.approx(100 * np.mean(cosines), abs=1e-3)
    assert shout.characters[0] == pytest.approx(100 * np.mean(letters))
    assert shout.words[0] == pytest.approx(100 * np.mean(words))
    assert shout.length[0] == pytest.approx(100 * 3 / 10)  # three marks behind ten words
    assert shout.self_bleu == pytest.approx(100)  # nothing is left to chance
    # over all lines: the fourth is as it was
    assert shout.consistency.value == pytest.approx(100 * (sum(cosines) + 1) / 4, abs=1e-3)
    assert shout.diversity.value == pytest.approx(100 * sum(words) / 4)
    assert shout.consistency.low < shout.consistency.value < shout.consistency.high
    np.testing.assert_allclose(unpack(shout.lines_similarity, "<f2")[1], 1)
    np.testing.assert_allclose(unpack(shout.lines_words, "<f2"), [0.25, 0, 0.25, 0.2], atol=1e-3)
    pairs = [cosine(a, b) for a in DIFFERENT for b in DIFFERENT if a != b]
    assert result.apart == pytest.approx(100 * np.mean(pairs), abs=1e-3)


def test_perplexity_is_that_of_the_changed_lines(pack: Stub, corpus: Path) -> None:
    result = job(pack, corpus).measure()
    assert result.judge is not None
    found = by_name(result)["shout"].perplexity
    assert found is not None
    assert found.views == 3
    assert found.of_views is not None
    assert found.of_lines is not None
    assert found.of_views != found.of_lines
    none = job(pack, write_corpus(corpus.with_name("x.txt"), ["a?", "b?"])).measure()
    nothing = by_name(none)["shout"]
    assert (nothing.changed, nothing.similarity, nothing.bleu, nothing.length) == ((0, 0), *[(None, None)] * 3)
    assert nothing.perplexity.of_views is None
    assert (nothing.consistency.value, nothing.diversity.value) == (pytest.approx(100), 0)


def test_what_is_lacking_is_a_recorded_skip(pack: Stub, corpus: Path, tiny_encoder: Path, tmp_path: Path) -> None:
    result = job(pack, corpus).measure()
    assert result.skipped == {
        "lacking": "lacking needs what is not here",
        "mv": "the language pack 'stub' has no operator 'mv'",
    }
    pack.encoder = tiny_encoder
    headless = job(pack, corpus).measure()
    assert headless.judge is None
    assert "without its masked-language-model head" in headless.no_judge
    assert by_name(headless)["shout"].perplexity is None
    bare = Stub(tmp_path / "bare")
    without = job(bare, corpus, encoder=str(tiny_encoder)).measure()
    assert without.no_judge == "the language pack 'stub' ships no encoder"
    assert "--encoder" in without.skipped["mask@50"]
    alone = SUITE[: SUITE.index("[[rows]]")] + '[[rows]]\nlabel = "Lacking"\noperator = "lacking"\n'
    with pytest.raises(Skipped, match=r"no operator of 'mine'.*needs what is not here"):
        job(pack, corpus, alone)
    with pytest.raises(UsageError, match="word pieces"):
        job(pack, corpus, SUITE.replace('"coin"', '"repeat"'))
    with pytest.raises(DataError, match=r"no corpus/st/wiki\.txt"):
        job(pack, None, data=write_corpus(tmp_path / "data/corpus/st/other.txt", ["a"]).parents[2])


def test_the_identity_knows_what_decides_the_numbers(pack: Stub, corpus: Path, tiny_encoder: Path) -> None:
    base = job(pack, corpus)
    assert job(pack, corpus).id == base.id
    others = [
        job(pack, corpus, seeds=(0,)),
        job(pack, corpus, encoder=str(tiny_encoder)),
        job(pack, corpus, SUITE.replace('kind = "quality"', 'kind = "quality"\npooler = "cls"')),
        job(pack, corpus, SUITE.replace("perplexity = 3", "perplexity = 2")),
        job(pack, write_corpus(corpus.with_name("y.txt"), LINES[:3])),
        job(pack, corpus, SUITE.replace("mask@50", "mask@40")),
    ]
    assert len({base.id, *(other.id for other in others)}) == 7
    before = base.facts()
    base.embedder.encode(["the cat"])
    assert base.facts() == before


def test_records_become_tables_in_every_format(pack: Stub, corpus: Path, tmp_path: Path) -> None:
    opened = job(pack, corpus)
    record = run_job(opened, tmp_path / "results")
    assert find_record(job(pack, corpus), tmp_path / "results") == record
    first, plane = tables_of(suite(), record, remarks=["said below"])
    shout, _, lacking, unknown, mask = first.lines
    assert [cell.mean is None for cell in shout.cells] == [False] * 9
    assert shout.cells[0].text() == "75.0"
    assert all(cell.mean is None for cell in lacking.cells)
    assert first.footnotes[unknown.remarks[0] - 1].startswith("skipped: the language pack 'stub' has no operator")
    assert mask.anchor
    assert first.remarks[-1] == "said below"
    assert any("that is the floor" in remark for remark in first.remarks)
    assert [heading.title for heading in plane.headings][::3] == ["Consistency", "Diversity"]
    for form in ("md", "csv", "latex", "json"):
        assert "Shout" in render([first, plane], form)
    assert len(as_json(first)["rows"][0]["cells"][1]["values"]) == 2
    # another pack's samples are plumbing
    write_corpus(pack.samples / "corpus" / "st" / "s.txt", LINES)
    sample = run_job(job(pack, None, scale="smoke"), tmp_path / "results")
    table = tables_of(suite(), sample)[0]
    assert all(line.plumbing for line in table.lines)
    assert any("asks for no perplexity" in remark for remark in table.remarks)
    shown, stale, broken = report_tables(suite(), tmp_path / "results")
    assert (shown, len(stale), broken) == ([], 2, [])  # the pack `stub` is not installed here


def test_a_view_without_a_vector_is_no_view(tiny_encoder: Path) -> None:
    class Zeros:
        def encode(self, texts: list[str], *, progress: bool = False) -> np.ndarray:
            return np.zeros((len(texts), 4), dtype=np.float32)

    cosines = Similarity(Zeros(), ["a", "b"])
    one = compare("x", ["a", "b"], [["a"], ["b"]], [["a", "c"]], cosines, None)
    assert (one.changed, one.similarity, one.self_bleu) == ((1,), (0.0,), None)


def test_the_shipped_suite_names_operators_both_packs_have() -> None:
    found = load_suite("augmentation-quality")
    assert isinstance(found, QualitySuite)
    for language in ("english", "chinese"):
        opened = open_job(found, Request(language=language, scale="smoke"))
        # the Chinese pack ships no synonyms, and says so
        assert set(opened.skipped) <= {"synonym"}
    assert {"pi", "mv", "dn", "negation", "crop@10", "punct"} <= {row.operator for row in found.rows}
