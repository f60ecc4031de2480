"""How is the leaderboard served: which program, which file, which settings?"""

from __future__ import annotations

import importlib.util
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from harness.errors import UsageError

#: results folders that are shown, divided as paths are
ENVIRONMENT = "AUGBENCH_LEADERBOARD"


def command(*, host: str, port: int) -> list[str]:
    """Return the arguments of Python that serve the leaderboard. Raises UsageError if a part is not installed."""
    if importlib.util.find_spec("streamlit") is None:
        raise UsageError("the leaderboard needs Streamlit. Install it: pip install 'augbench[leaderboard]'")
    found = importlib.util.find_spec("leaderboard")
    if found is None or not found.submodule_search_locations:
        raise UsageError("the package `leaderboard` is not installed. Install AugBench again: pip install .")
    folder = Path(next(iter(found.submodule_search_locations)))
    settings = {
        # told apart from the theme: a reader's machine and privacy are not a matter of taste
        "server.address": host,
        "server.port": port,
        "server.headless": True,
        "server.fileWatcherType": "none",
        "server.maxUploadSize": 1,
        "browser.gatherUsageStats": False,
        "client.toolbarMode": "minimal",
        "client.showErrorDetails": "type",
        **_flat(tomllib.loads((folder / "theme.toml").read_text(encoding="utf-8"))),
    }
    return [
        "-P",  # a folder called `leaderboard` where the command was given is not the package
        "-m",
        "leaderboard",
        "run",
        str(folder / "app.py"),
        *(f"--{name}={_text(value)}" for name, value in settings.items()),
    ]


def _flat(value: Mapping[str, Any], name: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, item in value.items():
        where = f"{name}.{key}" if name else key
        out.update(_flat(item, where) if isinstance(item, Mapping) else {where: item})
    return out


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
