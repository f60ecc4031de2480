"""Do the evaluators give the published numbers of a published encoder? (all-MiniLM-L6-v2, mean pooling, 256 tokens)"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from harness.data import open_data
from harness.evaluation.evaluator import Evaluation, evaluate
from harness.statistics import spearman
from harness.tasks import resolve_tasks

PUBLISHED = {"STS12": 72.37, "STS13": 80.60, "STS14": 75.59, "STS15": 85.39, "STS16": 78.99, "STS-B": 82.03}
#: over all pairs, as MTEB scores it; the usual test split has 4,927 of them
SICK_ALL, SICK_PAIRS = 77.58, 9927


@pytest.fixture(scope="module")
def result(minilm: Any) -> Evaluation:
    tasks = resolve_tasks(list(PUBLISHED), data=open_data(), language="en", text="original")
    return evaluate(minilm, tasks)


@pytest.mark.parametrize("task", PUBLISHED)
def test_published_value(result, task):
    assert result.value(task) == pytest.approx(PUBLISHED[task], abs=0.02)
    assert result.results[task].notes == ()


def test_sick_over_all_its_pairs(minilm):
    tasks: list[Any] = resolve_tasks(["SICK-R:train", "SICK-R:dev", "SICK-R"], data=open_data(), language="en")
    found = evaluate(minilm, tasks)
    predictions = np.concatenate([found.results[task.id].predictions for task in tasks])
    assert len(predictions) == SICK_PAIRS
    assert spearman(np.concatenate([task.gold for task in tasks]), predictions) == pytest.approx(SICK_ALL, abs=0.02)
