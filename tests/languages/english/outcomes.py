"""What comes out of an operator over many seeds, and expectations written short."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from harness.protocols import Edit, Operator
from harness.protocols.operator import render
from harness.seeds import python_rng

SEEDS = range(16)


def made(operator: Operator, doc: Any, seeds: Iterable[int] = SEEDS) -> set[str | None]:
    """Return every output of the operator over the seeds, None for a refusal; each edit is checked for consistency."""
    found: set[str | None] = set()
    for seed in seeds:
        edit = operator.apply(doc, python_rng(seed, operator.spec, doc.text))
        if edit is not None:
            consistent(edit, doc)
        found.add(None if edit is None else edit.text)
    return found


def consistent(edit: Edit, doc: Any) -> None:
    """Assert that an edit's changes give its text, in order, and that it changed something."""
    assert render(doc, edit.changes) == edit.text
    assert edit.text != doc.text
    assert list(edit.changes) == sorted(edit.changes, key=lambda c: (c.start, c.end))


def expand(*patterns: str) -> set[str]:
    """Return all readings of patterns with choices: `He {is|was} ill.` stands for two sentences."""
    found: set[str] = set()
    for pattern in patterns:
        parts = [part.split("|") for part in re.split(r"[{}]", pattern)]
        found |= {"".join(choice) for choice in itertools.product(*parts)}
    return found


#: words that keep their capital behind a template
NAMES = ("I", "I'm", "I've", "Grace", "HE", "IT")
#: what stays in front of a template
OPENERS = ("But ", "However, ", "No, ", "Yes, ", "(")


def behind(templates: Iterable[str], text: str, sentence: str) -> set[str]:
    """Return every way to put a sentence behind a template: the opener of the original `text` stays in front."""
    opener = next((o for o in OPENERS if text.startswith(o)), "")
    sentence = sentence.removeprefix(opener)
    if sentence.split()[0] not in NAMES and not sentence.startswith('"'):
        sentence = sentence[0].lower() + sentence[1:]
    if opener not in ("", "("):
        templates = [t[0].lower() + t[1:] for t in templates]
    return {f"{opener}{template} {sentence}" for template in templates}
