"""Which lines are trained on, and which are held out?"""

from __future__ import annotations

from harness.corpus import Corpus
from harness.errors import DataError
from harness.seeds import numpy_rng

#: different lines a text must have
FEWEST = 200


def split(corpus: Corpus, limit: int, share: float, most: int) -> tuple[Corpus, list[str], int]:
    """Return different lines to train on, different lines to hold out, and how many different ones there are.

    limit  lines used at most, drawn without replacement, the same ones every time;  share of them held out, `most` at most

    Raises DataError for fewer than 200 different lines.
    """
    lines = list(dict.fromkeys(corpus.sentences))
    if len(lines) < FEWEST:
        raise DataError(
            f"{corpus.name} has {len(lines)} different lines, too few to compare augmentations on; give at least {FEWEST} "
            "sentences, one per line."
        )
    order = numpy_rng(0, "which-augmentation", len(lines)).permutation(len(lines))[:limit].tolist()
    count = min(most, round(share * len(order)))
    held, train = sorted(order[:count]), sorted(order[count:])
    return Corpus(corpus.name, [lines[i] for i in train]), [lines[i] for i in held], len(lines)
