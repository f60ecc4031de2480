"""On which pairs is a model good? The score of a task, computed apart on parts of its items.

    overlap   quartiles of the Jaccard coefficient of the two sentences' words: a model that counts words does well where
              overlap tells the scores and badly elsewhere
    negation  a negation word of the pack in both sentences, in exactly one, or in none
    length    quartiles of the mean number of words of the two sentences

The unit is the pack's words; in a script without blanks it is the character, because cutting words takes longer there than
everything else of an evaluation. Quartiles are those of the task's own pairs; equal values always fall into the same one, so that
they need not be of equal size. Parts depend on task and pack alone and are found once per task.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from harness.diagnostics.negation_words import negation_words
from harness.protocols import LanguagePack, Slice, TaskResult
from harness.protocols.scripts import is_unspaced, pieces
from harness.statistics import METRICS, Metric, correlation
from harness.words import is_word

QUARTILES = ("lowest quartile", "second quartile", "third quartile", "highest quartile")
NEGATION = ("in neither sentence", "in one sentence", "in both sentences")
_SAMPLE = 2_000


@dataclass(frozen=True)
class Parts:
    """How the items of a task are divided.

    members  kind -> part -> item numbers, ascending; the parts of a kind hold every item exactly once
    edges    kind -> the three values that end the first three quartiles (in words or characters, and in 0 … 1 for overlap)
    unit     `words` or `characters`
    note     what could not be divided, and why; "" if everything could
    """

    members: Mapping[str, Mapping[str, np.ndarray]]
    edges: Mapping[str, tuple[float, float, float]]
    unit: str
    note: str = ""


def with_slices(task: Any, result: TaskResult, pack: LanguagePack | None) -> TaskResult:
    """Return `result` with the slices of a task of scored pairs; as it is if the task is none or there is no pack.

    task  anything with `pairs` (n pairs of texts), `gold` (n,) and a correlation as its main metric, whose result has n predictions

    The edges of the quartiles become facts (`overlap: quartile 1 ends at`); a kind that is missing is mentioned in the notes.
    Raises DataError if the pack's lists of negation words are malformed.
    """
    pairs, gold = getattr(task, "pairs", None), getattr(task, "gold", None)
    metric = next((name for name in METRICS if name == task.main[0]), None)
    if pack is None or pairs is None or gold is None or metric is None or len(result.predictions) != len(pairs):
        return result
    parts = _parts_of(task, pack)
    edges = {
        f"{kind}: quartile {number} ends at": value
        for kind, values in parts.edges.items()
        for number, value in enumerate(values, start=1)
    }
    return dataclasses.replace(
        result,
        slices=(*result.slices, *_scores(gold, result.predictions, parts, metric)),
        facts={**result.facts, **edges},
        notes=(*result.notes, parts.note) if parts.note else result.notes,
    )


def slice_scores(
    gold: np.ndarray, predictions: np.ndarray, pairs: Sequence[tuple[str, str]], metric: Metric, *, pack: LanguagePack
) -> tuple[Slice, ...]:
    """Return a correlation × 100 on every part of the items, None where it is undefined there (one item, constant scores).

    gold, predictions  shape (items,);  pairs: the items' sentences

    Raises ValueError if the three have different lengths.
    """
    if not len(gold) == len(predictions) == len(pairs):
        raise ValueError(
            f"expected as many gold scores as predictions and pairs, got {len(gold)}, {len(predictions)}, {len(pairs)}"
        )
    return _scores(gold, predictions, partition(pairs, pack), metric)


def partition(pairs: Sequence[tuple[str, str]], pack: LanguagePack) -> Parts:
    """Divide pairs by overlap, negation and length. Raises DataError if the pack's lists of negation words are malformed."""
    texts = list(dict.fromkeys(text for pair in pairs for text in pair))
    unit, units = sentence_units(texts, pack)
    words = dict(zip(texts, units, strict=True))
    sets = {text: frozenset(found) for text, found in words.items()}
    values = {
        "overlap": np.array([jaccard(sets[a], sets[b]) for a, b in pairs]),
        "length": np.array([(len(words[a]) + len(words[b])) / 2 for a, b in pairs]),
    }
    edges = {kind: quartile_edges(found) for kind, found in values.items()}
    divided: dict[str, tuple[Sequence[str], np.ndarray]] = {
        kind: (QUARTILES, np.searchsorted(edges[kind], found)) for kind, found in values.items()
    }
    negation, note = negation_words(pack), ""
    if negation:
        negative = {text: negation.within(text) for text in texts}
        divided["negation"] = (NEGATION, np.array([negative[a] + negative[b] for a, b in pairs], dtype=np.intp))
    else:
        note = f"no slices by negation: the pack {pack.name!r} lists no negation_words in its pack.toml"
    members = {
        kind: {name: np.flatnonzero(place == number) for number, name in enumerate(names)}
        for kind, (names, place) in sorted(divided.items())
    }
    return Parts(members, edges, unit, note)


def sentence_units(texts: Sequence[str], pack: LanguagePack) -> tuple[str, list[list[str]]]:
    """Return `words` or `characters`, and those of each text in order, in lower case; punctuation is none."""
    first = [piece for text in texts[:_SAMPLE] for piece in pieces(text)]
    if 2 * sum(map(is_unspaced, first)) > len(first):
        return "characters", [pieces(text.lower()) for text in texts]
    if type(pack).words is not LanguagePack.words:
        return "words", [list(pack.words(text)) for text in texts]
    docs = pack.tokenise_all(texts)  # the default of `words` parses
    return "words", [[token.text.lower() for token in doc if is_word(token.text)] for doc in docs]


def jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    """Return |A ∩ B| / |A ∪ B|, 1 for two empty sets."""
    union = len(first | second)
    return len(first & second) / union if union else 1.0


def quartile_edges(values: np.ndarray) -> tuple[float, float, float]:
    """Return the values that end the first three quartiles, each one of `values`; NaN if there are none.

    A value is in the first quartile whose edge is not below it, so that equal values are in one.
    """
    if not len(values):
        return (np.nan, np.nan, np.nan)
    low, middle, high = np.quantile(values, (0.25, 0.5, 0.75), method="inverted_cdf")
    return float(low), float(middle), float(high)


def _scores(gold: np.ndarray, predictions: np.ndarray, parts: Parts, metric: Metric) -> tuple[Slice, ...]:
    return tuple(
        Slice(kind, part, metric, correlation(gold[items], predictions[items], metric=metric), len(items))
        for kind, named in parts.members.items()
        for part, items in named.items()
    )


_FOUND: WeakKeyDictionary[Any, dict[str, Parts]] = WeakKeyDictionary()


def _parts_of(task: Any, pack: LanguagePack) -> Parts:
    """Return the parts of a task, found once: many embedders are scored on one task."""
    found = _FOUND.setdefault(task, {})
    if pack.name not in found:
        found[pack.name] = partition(task.pairs, pack)
    return found[pack.name]
