"""A pack with guidelines, a corpus and a sheet drawn from it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.quality import draw, write_sheet

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from sheets import LINES
from stub_pack import Stub


@pytest.fixture
def pack(tmp_path):
    folder = stub_pack.write_pack(tmp_path)
    (folder / "quality").mkdir()
    (folder / "quality/GUIDELINES.md").write_text("# Labels\n\nVersion: 3\n")
    return Stub(folder)


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def sheet(tmp_path, pack, corpus):
    path = tmp_path / "sheet.tsv"
    write_sheet(draw(corpus, ["bang", "drop"], pack=pack, rows=8, seed=1), path)
    return path
