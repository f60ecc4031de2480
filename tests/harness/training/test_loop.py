"""The loop: same numbers every time, exact resume after a kill at any step, and no `if` for any method."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import torch

from baselines.simcse import SimCSE
from harness.encoder import load_text_encoder
from harness.errors import TrainingError
from harness.protocols import Loss
from harness.training import Settings, TokenArray, TrainingData, train

sys.path.insert(0, str(Path(__file__).parent))
from everything import QUEUE, Everything


def data_of(encoder: Path, sentences: list[str], views: tuple[str, ...] = ("anchor", "positive")) -> TrainingData:
    vocabulary = load_text_encoder(str(encoder)).vocabulary
    rows = TokenArray.of(vocabulary.rows(sentences, 32), vocabulary.size)
    return TrainingData(dict.fromkeys(views, rows), {})


def run(method, encoder: Path, data: TrainingData, folder: Path, **options):
    vocabulary = load_text_encoder(str(encoder)).vocabulary
    probe = vocabulary.rows(["the cat sits", "a dog runs late", "some bread for the child", "no train today"])
    return train(
        method,
        data,
        load_encoder=lambda: load_text_encoder(str(encoder)),
        seed=options.pop("seed", 3),
        workdir=folder,
        probe=probe,
        **options,
    )


def simcse(**changes) -> SimCSE:
    settings = {"batch_size": 16, "learning_rate": 1e-3, "epochs": 2, "eval_every": 4, "select": "label-free"}
    return SimCSE(**(settings | changes))


def weights(result) -> dict[str, torch.Tensor]:
    return result.module.state_dict()


def assert_same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> None:
    assert a.keys() == b.keys()
    for name in a:
        assert torch.equal(a[name], b[name]), name


class Killed(Exception):
    pass


def killer(at: int):
    def progress(done: int, total: int, scalars: dict[str, float]) -> None:
        if done == at:
            raise Killed

    return progress


def test_two_runs_give_equal_weights_and_another_seed_does_not(tiny_encoder, sentences, tmp_path):
    data = data_of(tiny_encoder, sentences)
    first = run(simcse(), tiny_encoder, data, tmp_path / "a")
    assert_same(weights(first), weights(run(simcse(), tiny_encoder, data, tmp_path / "b")))
    other = run(simcse(), tiny_encoder, data, tmp_path / "c", seed=4)
    assert not torch.equal(other.module.head.linear.weight, first.module.head.linear.weight)


@pytest.mark.parametrize("at", [1, 5, 9, 15])
def test_a_killed_run_resumes_to_the_same_weights_and_curves(tiny_encoder, sentences, tmp_path, at):
    data = data_of(tiny_encoder, sentences)
    settings = Settings(checkpoint_every=3)
    whole = run(simcse(), tiny_encoder, data, tmp_path / "whole", settings=settings)
    with pytest.raises(Killed):
        run(simcse(), tiny_encoder, data, tmp_path / "part", settings=settings, progress=killer(at))
    resumed = run(simcse(), tiny_encoder, data, tmp_path / "part", settings=settings)
    assert (resumed.notes["resumed_at"] or 0) == at - at % 3 - (3 if at % 3 == 0 else 0)
    assert_same(weights(whole), weights(resumed))
    assert resumed.curves == whole.curves
    assert resumed.notes["selection"] == whole.notes["selection"]


@pytest.mark.slow
def test_sigkill_loses_at_most_one_checkpoint_interval(tiny_encoder, sentences, tmp_path):
    """A real `kill -9` in the middle of training, then the same weights as without it."""
    script = textwrap.dedent(
        f"""
        import os, signal, sys
        from pathlib import Path
        sys.path[:0] = [{str(Path(__file__).parent)!r}]
        from test_loop import data_of, run, simcse
        from harness.training import Settings
        sentences = {sentences!r}
        def progress(done, total, scalars):
            if done == 8:
                os.kill(os.getpid(), signal.SIGKILL)
        encoder = Path({str(tiny_encoder)!r})
        run(simcse(), encoder, data_of(encoder, sentences), Path({str(tmp_path / "part")!r}),
            settings=Settings(checkpoint_every=3), progress=progress)
        """
    )
    died = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "HF_HUB_OFFLINE": "1"}, capture_output=True
    )
    assert died.returncode == -signal.SIGKILL, died.stderr.decode()
    data = data_of(tiny_encoder, sentences)
    settings = Settings(checkpoint_every=3)
    resumed = run(simcse(), tiny_encoder, data, tmp_path / "part", settings=settings)
    assert resumed.notes["resumed_at"] == 6
    assert_same(weights(run(simcse(), tiny_encoder, data, tmp_path / "whole", settings=settings)), weights(resumed))


def test_everything_at_once_trains_and_resumes_through_the_unchanged_loop(tiny_encoder, sentences, tmp_path):
    documents = [" ".join(sentences[i : i + 4]) for i in range(0, 120, 3)]
    vocabulary = load_text_encoder(str(tiny_encoder)).vocabulary
    rows = TokenArray.of(vocabulary.rows(documents, truncate=False), vocabulary.size)
    data = TrainingData({"document": rows}, {})

    def method() -> Everything:
        return Everything(batch_size=8, learning_rate=1e-3, epochs=2, eval_every=0, select="last", pooler="avg")

    settings = Settings(checkpoint_every=2, log_every=1)
    whole_method = method()
    whole = run(whole_method, tiny_encoder, data, tmp_path / "whole", settings=settings)
    assert whole_method.pushed == 80
    assert whole.module.queue.shape[0] == QUEUE
    fresh = load_text_encoder(str(tiny_encoder)).state_dict()
    moved = {k for k, v in whole.module.teacher.state_dict().items() if not torch.equal(v, fresh[k])}
    assert moved, "the momentum encoder did not follow"
    with pytest.raises(Killed):
        run(method(), tiny_encoder, data, tmp_path / "part", settings=settings, progress=killer(5))
    resumed_method = method()
    resumed = run(resumed_method, tiny_encoder, data, tmp_path / "part", settings=settings)
    assert resumed.notes["resumed_at"] == 4
    assert resumed_method.pushed == 80
    assert_same(weights(whole), weights(resumed))
    names = {point["name"] for point in whole.curves}
    assert {"contrast", "guess", "loss", "effective_rank"} <= names


def test_dev_selection_keeps_the_best_weights_not_the_last(tiny_encoder, sentences, tmp_path):
    scores = iter([0.1, 0.9, 0.2, 0.3])
    snapshots = []

    def dev(encoder) -> float:
        snapshots.append({k: v.clone() for k, v in encoder.state_dict().items()})
        return next(scores)

    result = run(simcse(select="dev"), tiny_encoder, data_of(tiny_encoder, sentences), tmp_path, dev_score=dev)
    chosen = result.notes["selection"]
    assert (chosen["best_step"], chosen["best_score"], chosen["last_score"], chosen["looks"]) == (8, 0.9, 0.3, 4)
    assert_same(result.encoder.state_dict(), snapshots[1])


def test_selection_by_dev_without_a_dev_split_says_what_to_do(tiny_encoder, sentences, tmp_path):
    with pytest.raises(TrainingError, match="select=last"):
        run(simcse(select="dev"), tiny_encoder, data_of(tiny_encoder, sentences), tmp_path)


def test_nan_stops_the_run_with_the_step(tiny_encoder, sentences, tmp_path):
    class Broken(SimCSE):
        name = "broken"

        def objective(self, module, features, batch, step) -> Loss:
            loss = super().objective(module, features, batch, step)
            return Loss(loss.value * (float("nan") if step.number == 2 else 1.0))

    method = Broken(batch_size=16, select="last")
    with pytest.raises(TrainingError, match=r"step 3.*nan"):
        run(method, tiny_encoder, data_of(tiny_encoder, sentences), tmp_path)


def test_a_checkpoint_of_another_run_is_refused(tiny_encoder, sentences, tmp_path):
    data = data_of(tiny_encoder, sentences)
    settings = Settings(checkpoint_every=3)
    with pytest.raises(Killed):
        run(simcse(), tiny_encoder, data, tmp_path, settings=settings, progress=killer(5), identity="one")
    with pytest.raises(TrainingError, match="another run"):
        run(simcse(), tiny_encoder, data, tmp_path, settings=settings, identity="two")


def test_a_damaged_checkpoint_says_which_folder_to_delete(tiny_encoder, sentences, tmp_path):
    data = data_of(tiny_encoder, sentences)
    with pytest.raises(Killed):
        run(simcse(), tiny_encoder, data, tmp_path, settings=Settings(checkpoint_every=3), progress=killer(5))
    (tmp_path / "checkpoint" / "module.safetensors").write_bytes(b"half")
    with pytest.raises(TrainingError, match=str(tmp_path / "checkpoint")):
        run(simcse(), tiny_encoder, data, tmp_path, settings=Settings(checkpoint_every=3))


def test_a_kill_between_the_two_renames_of_a_checkpoint_loses_nothing(tiny_encoder, sentences, tmp_path):
    data = data_of(tiny_encoder, sentences)
    settings = Settings(checkpoint_every=3)
    with pytest.raises(Killed):
        run(simcse(), tiny_encoder, data, tmp_path / "part", settings=settings, progress=killer(8))
    (tmp_path / "part" / "checkpoint").rename(tmp_path / "part" / "checkpoint.new")
    resumed = run(simcse(), tiny_encoder, data, tmp_path / "part", settings=settings)
    assert resumed.notes["resumed_at"] == 6


def test_the_users_random_state_is_left_alone(tiny_encoder, sentences, tmp_path):
    torch.manual_seed(11)
    np.random.seed(11)
    expected = torch.rand(3)
    torch.manual_seed(11)
    run(simcse(epochs=1), tiny_encoder, data_of(tiny_encoder, sentences), tmp_path)
    assert torch.equal(torch.rand(3), expected)


def test_collapse_raises_the_alarm(tiny_encoder, sentences, tmp_path):
    class Collapsing(SimCSE):
        name = "collapsing"

        def after_step(self, module, batch, step) -> None:
            with torch.no_grad():  # all sentences onto one point
                last = module.encoder.model.encoder.layer[-1].output.LayerNorm
                last.weight.zero_()
                last.bias.fill_(1.0)

    result = run(Collapsing(batch_size=16, select="last"), tiny_encoder, data_of(tiny_encoder, sentences), tmp_path)
    assert "same way" in result.notes["collapse_alarms"][-1]["reason"]


def test_notes_and_curves_are_json(tiny_encoder, sentences, tmp_path):
    result = run(simcse(), tiny_encoder, data_of(tiny_encoder, sentences), tmp_path)
    json.dumps([result.notes, result.curves, result.seconds], allow_nan=False)
