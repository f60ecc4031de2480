"""Every page but the explorer is shown without torch and without spaCy, whatever is chosen on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from page_records import add_analysis, add_run, add_sweep, coverage_result, plane_result

pytest.importorskip("streamlit", reason="the leaderboard needs streamlit: pip install 'augbench[leaderboard]'")

from harness.board_server import ENVIRONMENT

#: page and what is chosen on it
VIEWS = [
    ("board", {"published": "true"}),
    ("compare", {}),
    ("quality", {"show": "coverage"}),
    ("quality", {"show": "plane"}),
    ("quality", {"show": "sensitivity"}),
    ("quality", {"show": "attention"}),
    ("run", {}),
    ("about", {}),
]
CODE = """
import sys
from pathlib import Path
from streamlit.testing.v1 import AppTest
import leaderboard
from leaderboard.pages import PAGES

assert {name for name, _ in VIEWS} == set(PAGES) - {"explorer"}

# a link needs the navigation that is done without here
PAGE = "from leaderboard import pages; pages.link = lambda *_, **__: None; pages.render({!r})"
for name, query in VIEWS:
    test = AppTest.from_string(PAGE.format(name), default_timeout=120)
    test.query_params.update(query)
    test.run()
    assert not test.exception, (name, [one.message for one in test.exception])
    assert test.title and (test.dataframe or test.get("code")), name
# the published numbers come through the registry, and bring nothing along
heavy = {"torch", "spacy", "transformers", "languages"}
heavy |= {name for name in sys.modules if name.startswith("baselines.")} - {"baselines.published"}
print(sorted(heavy & set(sys.modules)))
"""


def test_pages_but_the_explorer_load_neither_torch_nor_spacy(tmp_path: Path) -> None:
    for seed in range(2):
        add_run(tmp_path, row="SimCSE", quality=0.2, seed=seed, attention=True)
        add_run(tmp_path, row="PI", method="sda", config={"operator": "pi"}, quality=0.9, seed=seed)
    add_sweep(tmp_path)
    add_analysis(tmp_path, "augmentation-quality", "quality", plane_result())
    add_analysis(tmp_path, "sda-table2", "coverage", coverage_result())
    done = subprocess.run(
        [sys.executable, "-c", f"VIEWS = {VIEWS!r}\n{CODE}"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, ENVIRONMENT: str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.strip().splitlines()[-1] == "[]"
