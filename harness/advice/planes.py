"""Where do an operator's views lie in the plane of consistency and diversity?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.advice.material import unit_vectors
from harness.diagnostics.surface import relative_distance, surface_units


def planes(
    lines: Sequence[str], views: Mapping[str, Mapping[int, str]], embedder: Any
) -> dict[str, tuple[float, float]]:
    """Return operator -> (consistency, diversity) × 100 over all lines; an unchanged line is 100 and 0.

    views  operator -> line number -> its view, for the lines it changes;  embedder: says how near two texts are, by cosine
    """
    vectors = unit_vectors(embedder.encode(list(lines)))
    units = [surface_units(text) for text in lines]
    found = {}
    for spec, made in views.items():
        rows = list(made)
        cosines = float((unit_vectors(embedder.encode(list(made.values()))) * vectors[rows]).sum()) if rows else 0.0
        distance = sum(relative_distance(units[row], surface_units(view)) for row, view in made.items())
        found[spec] = (100 * (cosines + len(lines) - len(rows)) / len(lines), 100 * distance / len(lines))
    return found
