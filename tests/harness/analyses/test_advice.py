"""Advice from beginning to end with a tiny encoder: training, looking, verdict, record, tables; and what is refused."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from analysed_pack import Stub, write_corpus

from harness.advice.result import AdviceResult
from harness.analyses.job import Request
from harness.analyses.run import open_job, run_job, tables_of
from harness.analyses.suites import AdviceSuite
from harness.errors import DataError, UsageError
from harness.records.schema import unpack
from harness.reports.formats import render
from harness.suite import load_suite, parse_suite

SUITE = """[suite]
name = "mine"
kind = "advice"
title = "Mine"
default_scale = "small"
[config]
select = "last"
eval_every = 0
batch_size = 64
learning_rate = 1e-3
max_length = 16
[scales.smoke]
corpus = "sample"
sentences = 200
[scales.small]
sentences = 200
held_out = 0.3
seeds = [0, 1]
[[rows]]
label = "Base"
untrained = true
[[rows]]
label = "Plain"
[[rows]]
label = "Shout"
operator = "shout"
[[rows]]
label = "Lacking"
operator = "lacking"
"""
TEXT = "the a cat dog bird sits runs on under mat house tree and not red blue old man reads bread book"
WORDS = TEXT.split()  # words of the tiny encoder


def suite(text: str = SUITE) -> AdviceSuite:
    found = parse_suite(text.encode(), "mine.toml")
    assert isinstance(found, AdviceSuite)
    return found


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AUGBENCH_CACHE", str(tmp_path / "cache"))


def lines(count: int = 220) -> list[str]:
    rng = random.Random(3)
    return list(dict.fromkeys(" ".join(rng.choices(WORDS, k=rng.randint(5, 10))) for _ in range(count)))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "my.txt", [*lines(), *lines()[:20], ""])


def job(tmp_path: Path, corpus: Path | None, encoder: Path, text: str = SUITE, **more: Any) -> Any:
    request = Request(language=Stub(tmp_path / "pack"), corpus=corpus, encoder=str(encoder), jobs=1, **more)
    return open_job(suite(text), request)


@pytest.mark.slow
def test_from_a_text_to_a_recommendation(
    tmp_path: Path, corpus: Path, tiny_encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text(
        "".join(f"{i % 6}\tthe {w} cat\tthe {w} {WORDS[i]}\n" for i, w in enumerate(WORDS)), encoding="utf-8"
    )
    opened = job(tmp_path, corpus, tiny_encoder, labelled=str(pairs))
    assert len(opened.train) == 140
    assert len(opened.held_out) == 60
    assert not set(opened.train.sentences) & set(opened.held_out)
    record = run_job(opened, tmp_path / "results")
    result = AdviceResult.model_validate(record.result)
    base, plain, shout, lacking = result.rows
    assert (len(base.windows), len(plain.windows), len(shout.windows)) == (1, 2, 2)
    assert plain.windows[0] != plain.windows[1] != base.windows[0]
    assert lacking.skipped == "lacking needs what is not here"
    assert shout.changed == (1.0, 1.0)  # every line ends in a word; the mark stays inside of 16 pieces
    assert shout.consistency is not None
    assert 0 < shout.diversity < 100 * 1 / 5
    # no row is examined on its own views: there are none but those of `shout`
    assert shout.others == (None, None)
    assert plain.others[0] is not None
    assert unpack(shout.per_line[1], "<f2").mean() * 100 == pytest.approx(shout.windows[1], abs=0.1)
    assert result.by_windows.find("Shout").value == pytest.approx(np.mean(shout.windows))
    assert result.by_labels.find("Plain").value == pytest.approx(np.mean(plain.labelled))
    assert {s.label for s in result.by_windows.standings} == {"Base", "Plain", "Shout"}

    tables = tables_of(suite(), record, remarks=["said below"])
    assert [table.title.partition(": ")[2] for table in tables] == [
        "on the labelled pairs",
        "on held-out lines",
        "what else was measured",
    ]
    assert tables[0].remarks[0].startswith("Recommendation")
    assert tables[0].remarks[-1] == "said below"
    assert tables[1].remarks[0].startswith(("By this alone", "No"))
    assert [line.label for line in tables[2].lines] == ["Base", "Plain", "Shout", "Lacking"]
    for form in ("md", "csv", "latex", "json"):
        assert "Shout" in render(tables, form)

    # what was done before is not done again, and gives the same
    monkeypatch.setattr("harness.stages.execute", lambda *a, **k: pytest.fail("trained again"))
    again = job(tmp_path, corpus, tiny_encoder, labelled=str(pairs))
    assert again.id == opened.id
    assert again.measure() == result


def test_a_damaged_file_of_the_cache_costs_a_warning(
    tmp_path: Path, corpus: Path, tiny_encoder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    from harness.advice.material import Material
    from harness.advice.trial import untrained

    opened = job(tmp_path, corpus, tiny_encoder)
    material = Material(opened.held_out, opened.windows)
    asked = {"pack": opened.pack, "encoder": str(tiny_encoder), "pooler": "avg", "material": material}
    first = untrained(**asked)
    (file,) = (tmp_path / "cache" / "advice").glob("*.json")
    np.testing.assert_allclose(untrained(**asked).windows, first.windows, atol=1e-6)
    file.write_text("{", encoding="utf-8")
    np.testing.assert_allclose(untrained(**asked).windows, first.windows, atol=1e-6)
    assert "is damaged" in caplog.text


def test_texts_that_are_too_small_empty_or_in_another_encoding(tmp_path: Path, tiny_encoder: Path) -> None:
    few = write_corpus(tmp_path / "few.txt", [f"line number {i} of a file" for i in range(150)] * 2)
    with pytest.raises(DataError, match=r"few.txt has 150 different lines.*at least 200"):
        job(tmp_path, few, tiny_encoder)
    empty = tmp_path / "empty.txt"
    empty.write_bytes(b"\n \n")
    with pytest.raises(DataError, match="holds no sentence"):
        job(tmp_path, empty, tiny_encoder)
    latin = tmp_path / "latin.txt"
    latin.write_bytes("caf\xe9 au lait\n".encode("latin-1") * 300)
    with pytest.raises(DataError, match=r"latin.txt, line 1: .*not UTF-8.*iconv"):
        job(tmp_path, latin, tiny_encoder)
    with pytest.raises(DataError, match="too short to compare"):
        job(tmp_path, write_corpus(tmp_path / "short.txt", [f"w{i}" for i in range(300)]), tiny_encoder)
    with pytest.raises(UsageError, match=r"on your own text.*--corpus FILE.*--scale smoke"):
        job(tmp_path, None, tiny_encoder)


def test_the_identity_knows_what_decides_the_numbers(
    tmp_path: Path, corpus: Path, tiny_encoder: Path, tiny_mlm: Path
) -> None:
    base = job(tmp_path, corpus, tiny_encoder)
    others = [
        job(tmp_path, corpus, tiny_mlm),
        job(tmp_path, corpus, tiny_encoder, seeds=(5,)),
        job(tmp_path, corpus, tiny_encoder, SUITE.replace("batch_size = 64", "batch_size = 32")),
        job(tmp_path, write_corpus(tmp_path / "less.txt", lines(210)), tiny_encoder),
    ]
    ids = {base.id, *(other.id for other in others)}
    assert len(ids) == 5
    moved = write_corpus(tmp_path / "elsewhere" / "other.txt", corpus.read_text().split("\n"))
    assert job(tmp_path, moved, tiny_encoder).id == base.id


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("untrained = true", 'untrained = true\noperator = "coin"', "an untrained row has no operator"),
        ('operator = "lacking"', 'operator = "shout"', "two rows count the operator 'shout'"),
        ("sentences = 200\nheld_out = 0.3", "sentences = 100", "200"),
    ],
)
def test_suites_that_make_no_sense(old: str, new: str, says: str) -> None:
    with pytest.raises(DataError, match=says):
        suite(SUITE.replace(old, new))


def test_the_shipped_suite() -> None:
    found = load_suite("which-augmentation")
    assert isinstance(found, AdviceSuite)
    for language in ("english", "chinese"):
        opened = open_job(found, Request(language=language, scale="smoke"))
        assert set(opened.skipped) <= {"synonym"}
        assert opened.plumbing is not None
        settings = {
            label: {k: v for k, v in method.config.model_dump().items() if k not in ("operator", "proportion")}
            for label, method in opened.methods.items()
        }
        assert all(one == settings["PI"] for one in settings.values())  # one budget for all
