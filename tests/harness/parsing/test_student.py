"""The small pipeline: it learns, it is the same again, and nothing is lost on the way to the disk."""

from __future__ import annotations

import json

import pytest
import spacy
from parsing_fakes import animals

from harness.errors import DataError
from harness.parsing.documents import Disturbance
from harness.parsing.scores import measure
from harness.parsing.student import StudentSettings, save_student, train_student

SETTINGS = StudentSettings(
    steps=12, batch=200, rate=0.01, evaluate_every=6, disturbance=Disturbance(lower=0, unstopped=0, groups=(1.0,))
)


@pytest.fixture(scope="module")
def seen():
    return []


@pytest.fixture(scope="module")
def student(seen):
    report = lambda step, steps, scalars: seen.append((step, steps, scalars))  # noqa: E731
    return train_student(spacy.blank("en"), animals(60), [], animals(5, 900), SETTINGS, progress=report)


def test_it_learns_the_grammar_it_is_shown(student):
    scores = measure(student, animals(20, 1000))
    assert scores.tokens == 100
    assert min(scores.uas, scores.las, scores.upos, scores.xpos) > 90


def test_progress_is_told_with_scores(student, seen):
    assert [step for step, _, _ in seen] == list(range(1, 13))
    assert {steps for _, steps, _ in seen} == {12}
    assert "UAS" not in seen[0][2]
    assert {"loss", "UAS", "LAS"} <= set(seen[-1][2])


def test_the_pipeline_on_disk_parses_the_same_and_forgets_the_words(student, tmp_path):
    save_student(student, tmp_path / "new" / "parser", {"version": "1.2.3", "license": "CC0"})
    again = spacy.load(tmp_path / "new" / "parser")
    texts = [s.text for s in animals(10, 300)] + ["Two dogs. One unseen zebra!", ""]
    for ours, theirs in zip(student.pipe(texts), again.pipe(texts), strict=True):
        assert ours.to_json() == theirs.to_json()
    strings = json.loads((tmp_path / "new/parser/vocab/strings.json").read_text(encoding="utf-8"))
    assert "nsubj" in strings
    assert "buys" not in strings
    assert again.meta["version"] == "1.2.3"


def test_same_seed_same_weights():
    settings = StudentSettings(steps=3, batch=100, seed=5)
    first, second = (train_student(spacy.blank("en"), animals(30), animals(9, 50), [], settings) for _ in range(2))
    text = "The cat eats a fish and a bird."
    assert first.to_bytes(exclude=["vocab"]) == second.to_bytes(exclude=["vocab"])
    assert first(text).to_json() == second(text).to_json()


def test_time_can_end_it():
    steps = []
    settings = StudentSettings(steps=1_000, batch=50)
    report = lambda step, *_: steps.append(step)  # noqa: E731
    train_student(spacy.blank("en"), animals(30), [], [], settings, minutes=1e-9, progress=report)
    assert steps == [1]


def test_nothing_to_learn_from():
    with pytest.raises(DataError, match="no sentences"):
        train_student(spacy.blank("en"), [], animals(3), [], SETTINGS)
