"""Does an encoder notice that a sentence was negated? The pack's own operators make the sentences to compare.

x is a sentence, ¬x its negation (`negation`), and its views are what SDA takes for equal in meaning: punctuation inserted (`pi`)
and a modal verb added (`mv`). An encoder that understands keeps a view closer to x than ¬x; one that counts shared words cannot,
because all of them share nearly all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.cache import cache_dir, content_key
from harness.errors import Skipped, UsageError
from harness.operators import resolve
from harness.protocols import LanguagePack, Operator
from harness.provenance import code_digest
from harness.views import build_views

NEGATION = "negation"
VIEWS = ("pi", "mv")
#: sentences of a probe
SAMPLE = 1_000


@dataclass(frozen=True)
class Probe:
    """Sentences with their negation and views, all lists of one length.

    texts    the sentences that the operator `negation` changes;  negations: what it makes of them
    views    operator -> the views, None where it refuses;  refused: sentences that cannot be negated
    """

    texts: tuple[str, ...]
    negations: tuple[str, ...]
    views: dict[str, tuple[str | None, ...]]
    refused: int


def sample(texts: Iterable[str], size: int = SAMPLE) -> list[str]:
    """Return up to `size` different texts, those with the lowest sha256: the same ones in whatever order they come."""
    return sorted(set(texts), key=lambda text: (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), text))[
        :size
    ]


def operators_of(pack: LanguagePack) -> dict[str, Operator | str]:
    """Return name -> the pack's operator, or why it cannot be had, for `negation` and the views."""
    found: dict[str, Operator | str] = {}
    for name in (NEGATION, *VIEWS):
        try:
            operator = resolve([name], pack)[0]
        except (Skipped, UsageError) as error:
            found[name] = str(error)
            continue
        found[name] = operator if isinstance(operator, Operator) else "it works on word pieces, not on text"
    return found


def identity(found: dict[str, Operator | str]) -> dict[str, str | None]:
    """Return name -> a key of what the operator does and of its code; None for one that cannot be had."""
    return {
        name: content_key([operator.fingerprint(), code_digest(operator)]) if isinstance(operator, Operator) else None
        for name, operator in found.items()
    }


def make_probe(texts: Sequence[str], pack: LanguagePack, *, seed: int) -> Probe:
    """Apply the pack's operators to `texts`; parses and views are kept in the cache folder.

    Raises Skipped, saying what is missing, if the pack has no `negation`, or neither `pi` nor `mv`, or if it negates no sentence.
    """
    found = operators_of(pack)
    usable = [operator for operator in found.values() if isinstance(operator, Operator)]
    negation, views = found[NEGATION], [name for name in VIEWS if isinstance(found[name], Operator)]
    if isinstance(negation, str):
        raise Skipped(f"the pack {pack.name!r} cannot negate: {negation}")
    if not views:
        raise Skipped(f"the pack {pack.name!r} has no view to compare a negation with: {found[VIEWS[0]]}")
    cache = cache_dir()
    columns = build_views(list(texts), usable, pack=pack, seed=seed, cache=cache / "views", parses=cache / "parses")
    # a column holds one text or None per sentence
    made = {name: list(columns[name].texts) for name in (NEGATION, *views)}
    kept = [i for i, negated in enumerate(made[NEGATION]) if negated is not None]
    if not kept:
        raise Skipped(f"the operator `negation` of the pack {pack.name!r} applies to none of {len(texts)} sentences.")
    return Probe(
        tuple(texts[i] for i in kept),
        tuple(str(made[NEGATION][i]) for i in kept),
        {name: tuple(made[name][i] for i in kept) for name in views},
        len(texts) - len(kept),
    )


def sensitivity(to_negation: np.ndarray, to_view: np.ndarray) -> float | None:
    """Return how often, in percent, x is more similar to its view than to ¬x; ties count half, 50 is chance. None without items.

    to_negation, to_view  similarities of x to ¬x and to its view, shape (items,)
    """
    if to_negation.shape != to_view.shape:
        raise ValueError(f"expected two arrays of one length, got shapes {to_negation.shape} and {to_view.shape}")
    if not len(to_view):
        return None
    return float(100 * np.mean((to_view > to_negation) + 0.5 * (to_view == to_negation)))
