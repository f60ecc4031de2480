from __future__ import annotations

import subprocess
import sys


def test_statistics_are_importable_without_scipy_and_torch() -> None:
    code = "import sys, harness.statistics; print([m for m in ('scipy', 'torch', 'pandas', 'sklearn') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
