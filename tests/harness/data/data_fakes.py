"""A small data folder and the catalog that knows it."""

from __future__ import annotations

from pathlib import Path

from harness.data.catalog import Catalog, CatalogFile, Entry
from harness.data.contents import measure

TEXTS = {
    "sts/en/X/test.tsv": "".join(f"{n % 6}\tsentence {n} of a pair\tanother one, number {n}\n" for n in range(400)),
    "sts/en/X/dev.tsv": "1\tfive\tsix\n",
    "corpus/en/c.txt": "first line\nsecond line\n\nthird line\n",
    "other/en/Q/dev.tsv": "0\tseven\teight\n",  # its hash is not told
}


def write(root: Path, place: str, text: str) -> Path:
    (root / place).parent.mkdir(parents=True, exist_ok=True)
    (root / place).write_bytes(text.encode())
    return root / place


def make_world(root: Path) -> Catalog:
    """Write the folder and return its catalog: sets sts/en/X, corpus/en/c and other/en/Q."""
    entries: dict[str, dict[str, CatalogFile]] = {}
    for place, text in TEXTS.items():
        content = measure(write(root, place, text), place)
        name = "corpus/en/c" if place.startswith("corpus") else place.rpartition("/")[0]
        sha = None if name == "other/en/Q" else content.sha256
        entries.setdefault(name, {})[place] = CatalogFile(place, content.rows, sha)
    return Catalog(
        {n: Entry(n, f"Title of {n}", "somewhere", f"licence of {n}", "cited", "", f) for n, f in entries.items()}
    )


def tree(root: Path) -> dict[str, str]:
    """All files that are no lock, by place."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != ".pull.lock"
    }
