"""Whose code is a language pack? One that AugBench did not ship is announced, once, before it is loaded.

A pack is a Python package and runs with the rights of whoever opens it. The line goes through logging (the command line shows it
on standard error), once in a process, and not in processes that work for another one, which has said it already.
"""

from __future__ import annotations

import logging
import os

from harness.protocols import registry

log = logging.getLogger(__name__)

#: the distribution whose packs need no word
OWN = "augbench"
#: set in the environment of processes that work for another one
WORKER = "AUGBENCH_WORKER"
_said: list[str] = []


def announce_pack(name: str) -> None:
    """Say that the pack registered as `name` is code, unless it is ours or a pack has been announced in this process."""
    source = registry.distribution("languages", name)
    if source is None or source.split(" ")[0].lower() == OWN or os.environ.get(WORKER):
        return
    if not _said:
        _said.append(name)
        log.warning(
            "the language pack %s comes with %s and not with AugBench; packs are code and run with your rights.",
            name,
            source,
        )
