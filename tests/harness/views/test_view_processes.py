"""Views from several processes: the same as from one, whatever the batches, the order and the number of processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from view_fakes import PARSED, Toy, toy  # noqa: F401

import harness.views.build
from harness.errors import AugBenchError, DataError
from harness.languages import open_pack
from harness.operators import resolve
from harness.views import build_views, stream_views
from harness.views.build import default_jobs
from harness.views.making import can_be_reopened, pack_can_be_reopened

TEXTS = [f"sentence {i} of {'very ' * (i % 5)}many" for i in range(500)]


def views(pack, specs, texts=TEXTS, seed=0, **more):
    return build_views(texts, resolve(specs, pack), pack=pack, seed=seed, **more)


def streamed(pack, specs, portions, **more):
    return list(stream_views(portions, resolve(specs, pack), pack=pack, seed=0, **more))


@settings(max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(max_size=20) | st.sampled_from(TEXTS), min_size=1, max_size=40),
    st.integers(1, 7),
    st.integers(2, 3),
    st.randoms(),
)
def test_neither_chunks_nor_order_nor_processes_nor_caches_matter(toy, tmp_path_factory, texts, chunk, jobs, shuffler):  # noqa: F811
    alone = views(toy, ["tag", "pick"], texts, seed=5)
    order = list(range(len(texts)))
    shuffler.shuffle(order)
    folder = tmp_path_factory.mktemp("parses")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(harness.views.build, "_CHUNK", chunk)
        patch.setattr("harness.views.planning._WORTH_KEEPING", 1)
        for _ in range(2):
            shared = views(toy, ["pick", "tag"], [texts[i] for i in order], seed=5, jobs=jobs, parses=folder)
            for spec in ("tag", "pick"):
                assert shared[spec].texts == [alone[spec].texts[i] for i in order]
                assert shared[spec].edits == [alone[spec].edits[i] for i in order]
        assert list(folder.rglob("*.safetensors"))


def test_the_english_pack_works_in_other_processes_too():
    pack = open_pack("english")
    texts = [f"The {i} cats didn't sit on mat {i}." for i in range(600)]
    specs = ["crop@30", "swap"]
    assert views(pack, specs, texts, jobs=2) == views(pack, specs, texts, jobs=1)


def pids(column):
    return {text.split()[0] for text in column.texts}


def test_processes_have_one_thread_each_and_models_stay_here(toy):  # noqa: F811
    made = views(toy, ["pid", "model", "pick"], jobs=2)
    assert str(os.getpid()) not in pids(made["pid"])
    assert len(pids(made["pid"])) <= 2
    assert {text.split()[1] for text in made["pid"].texts} == {"1"}
    assert pids(made["model"]) == {str(os.getpid())}
    assert list(made) == ["pid", "model", "pick"]
    assert made["pick"] == views(toy, ["pick"])["pick"]


def test_packs_made_by_hand_and_their_operators_stay_here(toy, monkeypatch):  # noqa: F811
    class Other(Toy):
        pass

    assert pack_can_be_reopened(toy)
    assert not pack_can_be_reopened(Other())
    assert pids(views(Other(), ["pid"], jobs=2)["pid"]) == {str(os.getpid())}
    (operator,) = resolve(["pick"], toy)
    assert can_be_reopened(operator, toy)
    operator.fingerprint = lambda: {"not": "as registered"}
    assert not can_be_reopened(operator, toy)
    monkeypatch.setattr(toy, "name", "nowhere")
    assert not pack_can_be_reopened(toy)


def test_a_pack_that_changed_meanwhile_is_refused(toy, monkeypatch):  # noqa: F811
    monkeypatch.setattr(Toy, "version", 2)
    with pytest.raises(DataError, match="the pack 'toy' changed while views were made"):
        views(toy, ["pick"], jobs=2)


@pytest.mark.parametrize(
    ("jobs", "default", "expected"), [(None, 2, "elsewhere"), (None, 1, "here"), (1, 2, "here"), (2, 1, "elsewhere")]
)
def test_processes_are_used_when_there_is_enough_to_do_or_they_are_asked_for(toy, monkeypatch, jobs, default, expected):  # noqa: F811
    monkeypatch.setattr(harness.views.build, "default_jobs", lambda: default)
    monkeypatch.setattr(harness.views.build, "_ENOUGH", 50)
    found = pids(views(toy, ["pid"], jobs=jobs)["pid"])
    assert (found == {str(os.getpid())}) == (expected == "here")
    if jobs is None:
        # tokens alone are a tenth of the work
        assert pids(views(toy, ["pid"], TEXTS[:499], jobs=jobs)["pid"]) == {str(os.getpid())}


def test_parses_that_are_stored_are_little_work(toy, tmp_path, monkeypatch):  # noqa: F811
    monkeypatch.setattr(harness.views.build, "default_jobs", lambda: 2)
    monkeypatch.setattr(harness.views.build, "_ENOUGH", 100)
    first = views(toy, ["tag"], parses=tmp_path)
    assert PARSED == []
    assert views(toy, ["tag", "pid"], parses=tmp_path)["tag"] == first["tag"]
    assert pids(views(toy, ["pid", "tag"], parses=tmp_path)["pid"]) == {str(os.getpid())}


def test_a_stream_is_the_same_from_several_processes(toy, tmp_path, monkeypatch):  # noqa: F811
    portions = [TEXTS[:3], TEXTS[:3], [], *(TEXTS[i : i + 50] for i in range(3, 500, 50))]
    alone = streamed(toy, ["tag", "pick"], portions, jobs=1)
    assert [texts for texts, _ in alone] == portions
    assert [row for _, columns in alone[3:] for row in columns["pick"].texts] == views(toy, ["pick"])["pick"].texts[3:]
    assert streamed(toy, ["tag", "pick"], portions, jobs=2, parses=tmp_path) == alone
    monkeypatch.setattr(harness.views.build, "default_jobs", lambda: 2)
    monkeypatch.setattr(harness.views.build, "_ENOUGH", 10)
    late = streamed(toy, ["pid"], portions)
    assert pids(late[0][1]["pid"]) == {str(os.getpid())}
    assert str(os.getpid()) not in pids(late[-1][1]["pid"])


def test_a_stream_yields_before_its_source_ends(toy):  # noqa: F811
    def source():
        yield TEXTS[:5]
        raise DataError("line 6")

    for jobs in (1, 2, None):
        answers = stream_views(source(), resolve(["pick"], toy), pack=toy, seed=0, jobs=jobs)
        assert next(answers)[0] == TEXTS[:5]
        with pytest.raises(DataError, match="line 6"):
            next(answers)


@pytest.mark.parametrize("jobs", [1, 2])
def test_errors_are_the_same_from_other_processes(toy, jobs):  # noqa: F811
    with pytest.raises(KeyError, match="no such key") as caught:
        views(toy, ["boom"], ["boom", "x y"], jobs=jobs)
    assert caught.value.__notes__ == ["in operator boom, among the sentences from 'boom' on"]
    with pytest.raises(DataError, match=r"^no lexicon; get one$"):
        views(toy, ["refuse"], jobs=jobs)


def test_an_error_that_cannot_travel_is_told(toy):  # noqa: F811
    with pytest.raises(RuntimeError, match="LocalError: cannot travel") as caught:
        views(toy, ["odd"], jobs=2)
    assert "in operator odd" in caught.value.__notes__[0]


def test_a_process_that_dies_is_told_with_what_to_do(toy):  # noqa: F811
    with pytest.raises(AugBenchError, match=r"ended by SIGKILL \(often: out of memory; try fewer --jobs\)"):
        views(toy, ["die"], [*TEXTS, "die"], jobs=2)


def test_what_libraries_print_is_no_answer(toy, capfd):  # noqa: F811
    assert views(toy, ["print"], TEXTS[:20], jobs=2)["print"].coverage == 1
    said = capfd.readouterr()
    assert said.out == ""
    assert "and so does its C code" in said.err


@pytest.mark.parametrize(("variable", "expected"), [("1", 1), ("3", 3), ("64", 4), ("", 4), ("2,4", 4), ("0", 4)])
def test_default_jobs_are_the_cores_this_process_was_granted(monkeypatch, variable, expected):
    monkeypatch.setattr(harness.views.build, "usable_cores", lambda: 4)
    monkeypatch.setenv("OMP_NUM_THREADS", variable)
    assert default_jobs() == expected
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert default_jobs() == 4


def test_a_sentence_gets_the_same_numbers_in_every_batch():
    """Else whether two analyses are told apart could depend on what else is parsed, and then views would."""
    pack = open_pack("english")
    (corpus,) = (pack.samples / "corpus" / pack.code).glob("*.txt")
    texts = corpus.read_text(encoding="utf-8").splitlines()[:120]
    together = list(pack.parse(texts))
    for size in (1, 7):
        parts = [doc for start in range(0, len(texts), size) for doc in pack.parse(texts[start : start + size])]
        for one, other in zip(together, parts, strict=True):
            assert one.to_json() == other.to_json()
            assert np.array_equal(one.tensor, other.tensor)


def test_workers_parse_without_torch_and_the_same():
    code = (
        "import sys; from harness.languages import open_pack; pack = open_pack('english'); pack.enter_worker();"
        "(doc,) = pack.parse(['They did not sleep.']); import json; print(json.dumps(doc.to_json()));"
        "assert 'torch' not in sys.modules; import importlib.util; assert importlib.util.find_spec('torch')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    (doc,) = open_pack("english").parse(["They did not sleep."])
    assert json.loads(done.stdout) == doc.to_json()
