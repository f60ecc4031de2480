"""Do both probes give on a published encoder what others give: the original toolkit, and scikit-learn?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness.data import open_data
from harness.evaluation.evaluator import Evaluation, evaluate
from harness.protocols import TaskOptions
from harness.tasks import resolve_tasks

#: SentEval, made to run without CUDA, in SimCSE's mode `test`: accuracy, dev accuracy. Its vectors were the mean of the last
#: layer, scaled to length 1 as sentence-transformers gives them.
TOOLKIT = {"TREC": (90.0, 84.41), "CR": (80.66, 82.36)}


@pytest.fixture(scope="module")
def result(minilm: Any) -> Evaluation:
    def unit(texts: list[str]) -> np.ndarray:
        vectors = minilm.encode(texts)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    tasks = resolve_tasks(list(TOOLKIT), data=open_data(), language="en", options=TaskOptions(probe="senteval-mlp"))
    return evaluate(unit, tasks)


@pytest.mark.parametrize("task", TOOLKIT)
def test_the_original_toolkit(result, task):
    accuracy, dev = TOOLKIT[task]
    aggregation = "folds" if task == "CR" else "all"  # the original prints the mean of the folds
    assert result.value(task, "accuracy", aggregation) == pytest.approx(accuracy, abs=0.5)
    assert result.results[task].facts["dev_accuracy"] == pytest.approx(dev, abs=0.5)


def test_scikit_learn_chooses_and_predicts_alike(minilm):
    """MRPC by scikit-learn alone: its folds, its solver, the best penalty by its own count of right answers."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold

    (task,) = resolve_tasks(["MRPC"], data=open_data(), language="en", options=TaskOptions(probe="logreg"))
    found = evaluate(minilm, [task])
    left, right = (minilm.encode([pair[side] for pair in task.texts]) for side in (0, 1))  # type: ignore[attr-defined]
    vectors = np.hstack([np.abs(left - right), left * right]).astype(np.float64)
    labels = np.array(task.labels)  # type: ignore[attr-defined]
    train, test = np.arange(4076), np.arange(4076, 4076 + 1725)
    # SentEval's order: by number of words, then class
    pairs = [task.texts[row] for row in train]  # type: ignore[attr-defined]
    train = train[
        sorted(range(len(train)), key=lambda i: (*(len(text.split()) for text in pairs[i]), labels[train[i]]))
    ]

    def fitted(rows: np.ndarray, penalty: float) -> tuple[Any, float]:
        scale = np.sqrt(vectors[rows].var(axis=0).mean())
        model = LogisticRegression(C=1 / (len(rows) * penalty), max_iter=5000, tol=1e-6)
        return model.fit(vectors[rows] / scale, labels[rows]), scale

    grid = task.protocol.details["grid"]
    right_answers = dict.fromkeys(grid, 0)
    for inner, judged in StratifiedKFold(10, shuffle=True, random_state=1111).split(train, labels[train]):
        for penalty in grid:
            model, scale = fitted(train[inner], penalty)
            rows = train[judged]
            right_answers[penalty] += int((model.predict(vectors[rows] / scale) == labels[rows]).sum())
    best = max(grid, key=lambda penalty: (right_answers[penalty], penalty))
    model, scale = fitted(train, best)
    expected = 100 * (model.predict(vectors[test] / scale) == labels[test]).mean()
    assert found.results["MRPC"].facts["penalty"] == pytest.approx(best)
    assert found.value("MRPC") == pytest.approx(expected, abs=0.06)  # one item of 1,725 may lie on the border
