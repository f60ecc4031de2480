"""How do rows and hashes get into the catalog? Measured from a data folder, never typed: `python -m harness.data.checksums DIR`."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

from harness.cache import atomic_write
from harness.data.catalog import CATALOG
from harness.data.contents import Content, measure
from harness.data.folder import DataFolder

_LINE = re.compile(r'^"(?P<place>[^"]+)" = \{ .*sha256 = "[^"]*" \}$', re.MULTILINE)


def places(text: str) -> list[str]:
    """Return the places of the files that a catalog names."""
    return [found["place"] for found in _LINE.finditer(text)]


def with_contents(text: str, measured: Mapping[str, Content]) -> str:
    """Return the text of a catalog with rows and hash of the measured files in it; nothing else is changed."""

    def line(found: re.Match[str]) -> str:
        content = measured.get(found["place"])
        if content is None:
            return found[0]
        return f'"{found["place"]}" = {{ rows = {content.rows}, sha256 = "{content.sha256}" }}'

    return _LINE.sub(line, text)


def update(catalog: Path, folder: Path) -> int:
    """Measure every file of a data folder that a catalog names, write the catalog, and return how many files these were."""
    text, root = catalog.read_text(encoding="utf-8"), DataFolder(folder).path
    measured = {place: measure(root / place, place) for place in places(text) if (root / place).is_file()}
    atomic_write(catalog, with_contents(text, measured).encode())
    return len(measured)


if __name__ == "__main__":
    sys.stdout.write(f"{update(CATALOG, Path(sys.argv[1]))} files measured and written to {CATALOG}\n")
