"""What was in a file that the catalog has no hash for, when this user saw it first? Kept in a file of the user.

The file is `data-pins.json` in `~/.config/augbench` (XDG_CONFIG_HOME), or what the environment variable AUGBENCH_PINS names.
It is no cache: deleting it means trusting again whatever is seen next.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from harness.cache import atomic_write
from harness.data.contents import Content
from harness.errors import DataError

ENVIRONMENT = "AUGBENCH_PINS"
_SHA = re.compile(r"[0-9a-f]{64}")


def pins_file() -> Path:
    """Return where pins are kept (the file need not exist). Raises DataError if this user has no home folder."""
    named = os.environ.get(ENVIRONMENT)
    if named:
        return Path(named).expanduser()
    config = os.environ.get("XDG_CONFIG_HOME")
    try:
        return (Path(config) if config else Path.home() / ".config") / "augbench" / "data-pins.json"
    except RuntimeError:
        raise DataError(
            f"there is no home folder to keep the hashes of unverified files in. Name a file: export {ENVIRONMENT}=FILE"
        ) from None


@dataclass
class Pins:
    """Hash of the content by place, e.g. `other/en/QQP/dev.tsv`; `write` keeps what `pin` added."""

    path: Path
    hashes: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path | None = None) -> Pins:
        """Return the pins of a file, none if it does not exist. Raises DataError if it is damaged."""
        path = path or pins_file()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(path)
        except OSError as error:
            raise DataError(
                f"cannot read {path}: {error.strerror or error}. Name another file: {ENVIRONMENT}"
            ) from None
        except ValueError:
            found = None
        if not isinstance(found, dict) or not all(isinstance(v, str) and _SHA.fullmatch(v) for v in found.values()):
            raise DataError(
                f"{path} is no list of pinned hashes (JSON, place to sha256). Move it away and verify again: augbench data verify"
            )
        return cls(path, found)

    def pin(self, place: str, content: Content) -> bool:
        """Return whether the content is the pinned one; what was never seen is pinned now, and is."""
        self.added |= {} if place in self.hashes else {place: content.sha256}
        return self.hashes.setdefault(place, content.sha256) == content.sha256

    def write(self) -> None:
        """Add what `pin` added to the file. Pins that another process wrote meanwhile stay."""
        if self.added:
            merged = self.added | Pins.read(self.path).hashes
            text = json.dumps(merged, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
            atomic_write(self.path, text.encode(), hint=f"Name another file: export {ENVIRONMENT}=FILE")
            self.added = {}
