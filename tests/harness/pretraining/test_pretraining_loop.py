"""Training: something is learnt, and a run that was stopped or prolonged ends with the weights of one that was not."""

from __future__ import annotations

import json
import random
import shutil

import numpy as np
import pytest
import torch
from pretraining_fakes import SPECIAL, counting_segments, segments_of, tiny_recipe

from harness.errors import TrainingError
from harness.pretraining import loop
from harness.pretraining.loop import LATEST, STABLE, Reader, held_out_loss, pretrain
from harness.pretraining.network import make_network

SIZE = 45
COUNTS = np.full(SIZE, 10)
TRAIN, HELD_OUT = counting_segments(60, SIZE), counting_segments(12, SIZE, seed=1)
BUDGET = 3_000  # about 27 steps, the last third of them decaying


class Stopped(Exception):
    """What a callback raises to end a run in the middle."""


def train(work, *, stop=None, seconds=1e9, texts=(TRAIN, HELD_OUT), text="a", **changes):
    """Train a fresh network in `work`; returns its weights, the story, and what the callback was told."""
    recipe = tiny_recipe(**{"tokens": BUDGET, **changes})
    network = make_network(recipe.shape, SIZE, recipe.seed, pad=0)
    told = []

    def progress(done, total, scalars):
        told.append((done, total, scalars))
        if len(told) == stop:
            raise Stopped

    readers = [Reader(s, recipe, SPECIAL, COUNTS) for s in texts]
    story = pretrain(
        network,
        *readers,
        work=work,
        text=text,
        device="cpu",
        precision="fp32",
        checkpoint_seconds=seconds,
        progress=progress,
    )
    return network.state_dict(), story, told


def same(one, other):
    return one.keys() == other.keys() and all(torch.equal(tensor, other[name]) for name, tensor in one.items())


@pytest.fixture(autouse=True)
def _many_points(monkeypatch):
    monkeypatch.setattr(loop, "_POINT_EVERY", 4)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """A run that nothing disturbed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "_POINT_EVERY", 4)
        work = tmp_path_factory.mktemp("straight")
        return (*train(work), work)


def test_what_is_told(straight):
    _, story, told, _ = straight
    assert story["step"] == len(told)
    assert BUDGET <= story["tokens"] < BUDGET + 4 * 32
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert told[-1][:2] == (BUDGET, BUDGET)
    assert told[0][2].keys() == {"loss", "gradient", "pieces/s"}
    assert [point[0] for point in story["curve"]] == list(range(4, story["step"] + 1, 4))
    losses = [scalars["loss"] for _, _, scalars in told]
    assert story["curve"][1][2] == pytest.approx(sum(losses[4:8]) / 4, abs=1e-4)
    assert story["epoch"] >= 2
    assert story["perplexity"] == pytest.approx(2.718281828 ** story["held_out_loss"])
    assert story["precision"] == "fp32 (as asked)"


def test_something_is_learnt(tmp_path):
    rng = random.Random(0)
    text = [[rng.randrange(5, SIZE)] * rng.randint(4, 12) for _ in range(230)]
    texts = segments_of(text[:200]), segments_of(text[200:])
    _, story, _ = train(tmp_path, tokens=9_000, rate=2e-2, texts=texts)
    losses = [point[2] for point in story["curve"]]
    # 3.7 nats for one of 40 pieces; less only for who sees that a segment repeats one
    assert losses[0] > 3.6
    assert losses[-1] < 3
    assert story["held_out_loss"] < 3.2


@pytest.mark.parametrize("stops", [[1], [8], [25], [3, 4, 9]])
def test_stopped_and_resumed(tmp_path, straight, stops):
    for stop in stops:
        with pytest.raises(Stopped):
            train(tmp_path, stop=stop, seconds=0)
    weights, story, told = train(tmp_path)
    assert same(weights, straight[0])
    assert story["curve"] == straight[1]["curve"]
    assert story["held_out_loss"] == straight[1]["held_out_loss"]
    # a checkpoint after each step but the one that was interrupted
    assert len(told) == story["step"] - sum(stop - 1 for stop in stops)


def test_a_finished_run_does_nothing_more(tmp_path, straight):
    shutil.copytree(straight[3], tmp_path, dirs_exist_ok=True)
    weights, story, told = train(tmp_path)
    assert told == []
    assert same(weights, straight[0])
    assert story["curve"] == straight[1]["curve"]


def test_a_larger_budget_is_as_if_it_had_been_so_from_the_start(tmp_path, straight):
    shutil.copytree(straight[3], tmp_path / "longer", dirs_exist_ok=True)
    longer, story, told = train(tmp_path / "longer", tokens=4_500)
    fresh, expected, _ = train(tmp_path / "fresh", tokens=4_500)
    assert same(longer, fresh)
    assert story["curve"] == expected["curve"]
    assert len(told) < story["step"] * 2 / 3  # the part before the fall was not done again


def test_a_slightly_larger_budget_goes_on_from_before_the_fall_too(tmp_path, straight):
    shutil.copytree(straight[3], tmp_path / "longer", dirs_exist_ok=True)
    longer, *_ = train(tmp_path / "longer", tokens=3_600)
    fresh, *_ = train(tmp_path / "fresh", tokens=3_600)
    assert same(longer, fresh)


def test_what_was_before_the_fall_is_kept(straight):
    latest, stable = (json.loads((straight[3] / name / "state.json").read_text()) for name in (LATEST, STABLE))
    assert stable["tokens"] / BUDGET == pytest.approx(0.7, abs=4 * 32 / BUDGET)
    assert not stable["decaying"]
    assert latest["decaying"]
    assert latest["tokens"] >= BUDGET


@pytest.mark.parametrize("changes", [{"rate": 1e-3}, {"seed": 1}, {"rows": 5}, {"masked": 0.25}, {"warmup": 6}])
def test_other_settings_do_not_go_on(tmp_path, straight, changes):
    shutil.copytree(straight[3], tmp_path, dirs_exist_ok=True)
    with pytest.raises(TrainingError, match="made with other settings or from another text; give the same ones"):
        train(tmp_path, **changes)


def test_another_text_does_not_go_on(tmp_path, straight):
    shutil.copytree(straight[3], tmp_path, dirs_exist_ok=True)
    with pytest.raises(TrainingError, match=r"from another text; .* or delete "):
        train(tmp_path, text="other")


def test_a_budget_that_has_been_spent(tmp_path, straight):
    shutil.copytree(straight[3], tmp_path, dirs_exist_ok=True)
    with pytest.raises(TrainingError, match=r"2,\d\d\d pieces have been read already, more than the 1,000 asked for"):
        train(tmp_path, tokens=1_000)


@pytest.mark.parametrize("file", ["network.safetensors", "optimizer.safetensors", "state.json"])
def test_a_damaged_checkpoint(tmp_path, straight, file):
    shutil.copytree(straight[3], tmp_path, dirs_exist_ok=True)
    damaged = tmp_path / LATEST / file
    damaged.write_bytes(damaged.read_bytes()[:40])
    with pytest.raises(TrainingError, match=r"the checkpoint .*checkpoint is damaged .*delete that folder"):
        train(tmp_path)


def test_a_loss_that_is_no_number(tmp_path, monkeypatch):
    def broken(network, batch):
        total = sum(p.sum() for p in network.parameters()) * float("nan")
        return total, torch.tensor(1)

    monkeypatch.setattr(loop, "loss_of", broken)
    with pytest.raises(TrainingError, match="the loss is nan at step 1; try a lower --rate"):
        train(tmp_path)
    assert not (tmp_path / LATEST).exists()


def test_the_held_out_loss_is_always_masked_alike():
    recipe = tiny_recipe()
    network = make_network(recipe.shape, SIZE, 0, pad=0)
    losses = {
        held_out_loss(network, Reader(HELD_OUT, r, SPECIAL, COUNTS), torch.device("cpu"), "fp32")
        for r in (recipe, recipe, tiny_recipe(seed=5), tiny_recipe(rows=9), tiny_recipe(masked=0.6, hidden=0.1))
    }
    assert len(losses) == 1
    assert network.training  # as before


def test_seconds_decide_when_to_write(tmp_path):
    with pytest.raises(Stopped):
        train(tmp_path, stop=5)
    assert list(tmp_path.iterdir()) == []
