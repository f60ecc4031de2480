from __future__ import annotations

from pathlib import Path

import pytest
from runner_fakes import spec

from harness.errors import DataError, UsageError
from harness.runs.plan import CorpusSpec
from harness.runs.workbench import Workbench, encoder_name, encoder_plumbing, plumbing


def folder(path: Path, *files: str) -> str:
    path.mkdir(parents=True)
    for file in files:
        (path / file).write_text("{}")
    return str(path)


def test_encoders_are_called_by_name_and_never_by_path(tmp_path: Path) -> None:
    assert encoder_name("org/bert-base-uncased") == "org/bert-base-uncased"
    assert encoder_name(folder(tmp_path / "bert-base-uncased")) == "bert-base-uncased"
    assert encoder_name(folder(tmp_path / "minilm" / "model")) == "minilm/model"
    assert encoder_name(f"random:{tmp_path}/minilm/model") == "random:minilm/model"
    assert encoder_name("random:mini") == "random:mini"


def test_supervised_encoders_are_plumbing(tmp_path: Path) -> None:
    assert encoder_plumbing("mini") is None
    assert encoder_plumbing("random:all-MiniLM-L6-v2")
    assert encoder_plumbing("bert-base-uncased") is None
    assert encoder_plumbing("sentence-transformers/paraphrase-albert")
    assert encoder_plumbing("all-MiniLM-L6-v2")
    assert encoder_plumbing(folder(tmp_path / "a", "modules.json"))
    assert encoder_plumbing(folder(tmp_path / "b", "config_sentence_transformers.json"))
    assert encoder_plumbing(folder(tmp_path / "c", "config.json")) is None
    assert encoder_plumbing(folder(tmp_path / "d", "modules.json", "augbench.json")) is None  # one of ours


def test_reasons_add_up_and_what_needs_no_encoder_is_not_blamed_for_it() -> None:
    assert plumbing(spec()) is None
    both = plumbing(spec(encoder="all-MiniLM-L6-v2", data="sample", plumbing="a trial")) or ""
    assert both.startswith("a trial; ")
    assert "supervised" in both
    assert "samples" in both
    assert plumbing(spec(method="tfidf", encoder="all-MiniLM-L6-v2")) is None


def test_samples_need_no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    bench = Workbench()
    sample = spec(
        tasks=("SampleSTS", "SampleSTS:dev"),
        dev="SampleSTS:dev",
        data="sample",
        corpus=CorpusSpec(source="sample", name="sample", sentences=10),
    )
    assert len(bench.corpus(sample)) == 10
    assert bench.corpus(sample) is bench.corpus(sample.model_copy(update={"seed": 5}))  # the same rows for every seed
    assert [task.id for task in bench.tasks(sample)] == ["SampleSTS", "SampleSTS:dev"]
    dev = bench.dev(sample)
    assert dev is not None
    assert dev.split == "dev"
    with pytest.raises(DataError, match="test data"):
        bench.dev(sample.model_copy(update={"dev": "SampleSTS"}))
    with pytest.raises(DataError, match="AUGBENCH_DATA"):
        bench.tasks(sample.model_copy(update={"data": "user"}))


def test_a_missing_corpus_of_the_data_folder_is_explained(tmp_path: Path) -> None:
    (tmp_path / "sts").mkdir()
    wanted = spec(corpus=CorpusSpec(source="data", name="wiki.txt"), data_path=tmp_path)
    with pytest.raises(DataError, match=r"corpus/en/wiki\.txt.*--corpus FILE"):
        Workbench().corpus(wanted)


def test_identity_names_the_run_by_content(tmp_path: Path, tiny_encoder: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("one sentence here\nanother one\nand a third\n")
    moved = tmp_path / "elsewhere" / "b.txt"
    moved.parent.mkdir()
    moved.write_text(text.read_text())
    config = {"learning_rate": 1e-5, "select": "last"}

    def cell(path: Path, **more: object) -> str:
        corpus = CorpusSpec(source="file", name=str(path))
        return (
            Workbench()
            .cell(spec(corpus=corpus, method="simcse", config=config, dev=None, encoder=str(tiny_encoder), **more))
            .train_id
        )

    first = cell(text)
    assert len(first) == 16
    assert cell(moved) == first  # paths and labels never enter
    assert cell(text, row="another label", suite="other", scale="small", tasks=("X",)) == first
    assert cell(text, seed=1) != first
    text.write_text("one sentence here\nanother one\nand a fourth\n")
    assert cell(text) != first


def test_unknown_languages_are_named() -> None:
    with pytest.raises(UsageError, match="english"):
        Workbench().pack("englsh")


def test_lines_of_test_sets_stay_out_where_the_suite_says_so(tmp_path: Path) -> None:
    for file, text in {
        "sts/en/X/test.tsv": "1.0\tYes it is!\tA heron paints.\n",
        "corpus/en/wiki.txt": "yes, it is\nA heron paints a gate.\nTwo cats sleep.\n",
    }.items():
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(text)

    def rows(without: bool) -> tuple[list[str], int | None]:
        wanted = CorpusSpec(source="data", name="wiki.txt", without_tests=without)
        corpus = Workbench().corpus(spec(corpus=wanted, data_path=tmp_path))
        return corpus.sentences, corpus.removed

    assert rows(True) == (["A heron paints a gate.", "Two cats sleep."], 1)
    assert rows(False) == (["yes, it is", "A heron paints a gate.", "Two cats sleep."], None)
