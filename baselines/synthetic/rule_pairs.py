"""Which pairs can be had without a language model? Ours and not a paper's: a language pack's rules write the second sentence.

    label 1    views that keep the meaning: `pi`, `mv`, `dn` of the pack
    label ½    negations, and neighbours: the line that follows in the corpus (if the corpus is a sample of lines that stood
               apart, neighbours are hardly more than random pairs; a text in its own order has true ones)
    label 0    random pairs, added to all sources alike (`pairs.add_random`)

It gives the weighting of RISE something real to do offline: rules write more or less natural sentences, and neighbours are human.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from baselines.synthetic.pairs import NEIGHBOUR, Pairs
from harness.cache import cache_dir
from harness.errors import DataError, UsageError
from harness.protocols import LanguagePack, Operator, TokenOperator
from harness.views import build_views

SAME, SOMEWHAT = 1.0, 0.5


def rule_pairs(
    sentences: Sequence[str],
    *,
    pack: LanguagePack,
    same: Sequence[Operator | TokenOperator],
    half: Sequence[Operator | TokenOperator],
    neighbours: bool,
    seed: int,
    progress: bool = False,
) -> tuple[Pairs, dict[str, Any]]:
    """Return the pairs that rules make of the different sentences of a corpus, and what each rule made of how many.

    same, half  operators whose views get label 1 and ½;  neighbours: pair every line with the next one, label ½

    Raises UsageError for operators on word pieces, and DataError if nothing can be made.
    """
    texts = list(dict.fromkeys(sentences))
    operators = [*same, *half]
    for operator in operators:
        if not isinstance(operator, Operator):
            raise UsageError(
                f"{operator.spec} works on word pieces and writes no sentence; name operators on text, e.g. pi, mv, dn."
            )
    views = build_views(
        texts,
        [operator for operator in operators if isinstance(operator, Operator)],
        pack=pack,
        seed=seed,
        cache=cache_dir() / "views",
        parses=cache_dir() / "parses",
        progress=progress,
    )
    rows: list[tuple[str, str, float, str]] = []
    made: dict[str, int] = {}
    for label, group in ((SAME, same), (SOMEWHAT, half)):
        for operator in group:
            found = [
                (text, view, label, operator.spec)
                for text, view in zip(texts, views[operator.spec].texts, strict=True)
                if view is not None and view != text
            ]
            made[operator.spec] = len(found)
            rows += found
    if neighbours:
        found = [(a, b, SOMEWHAT, NEIGHBOUR) for a, b in pairwise(sentences) if a != b]
        made[NEIGHBOUR] = len(found)
        rows += found
    if not rows:
        raise DataError(
            f"the rules of {pack.name} make no pair of these {len(texts)} sentences; give a corpus of that language with "
            "--corpus FILE, or pairs with --set source=FILE."
        )
    # the pairs of one sentence side by side, as a language model would write them
    place = {text: number for number, text in enumerate(texts)}
    rows.sort(key=lambda row: place[row[0]])
    return Pairs.of(rows), {"sentences": len(texts), "made": made}
