"""Which words does a rule know? The word lists in `lexicon/*.toml`, and their hash for the identity of a run."""

from __future__ import annotations

import hashlib
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parents[1] / "lexicon"


@cache
def lexicon(name: str) -> dict[str, Any]:
    """Return a word list of the pack, `lexicon/<name>.toml`, in simplified characters."""
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@cache
def words(name: str, key: str) -> frozenset[str]:
    """Return one list of a file as a set."""
    found = lexicon(name)[key]
    # a long list is one string of words
    return frozenset(found.split() if isinstance(found, str) else found)


def lexicon_sha(*names: str) -> str:
    """Return the hash of some word lists; operators put it into their fingerprint."""
    digest = hashlib.sha256()
    for name in names:
        digest.update((_FOLDER / f"{name}.toml").read_bytes())
    return digest.hexdigest()
