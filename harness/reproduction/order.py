"""Does the order of methods that a paper prints hold in our runs? Pair by pair, and by Kendall's τ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from harness.statistics import Draws, OrderAgreement, corrected, difference_estimate, order_agreement

Outcome = Literal["holds", "holds in part", "does not hold", "open", "none"]
_ALPHA = 0.05


@dataclass(frozen=True)
class Ordering:
    """The paper's order against ours, over the rows that have both scores.

    agreement     Kendall's τ-b with its interval, None with fewer than two rows
    confirmed     pairs (better, worse in the paper) that differ significantly the paper's way, after Holm's correction
    contradicted  pairs that differ significantly the other way
    undecided     how many pairs are neither
    """

    agreement: OrderAgreement | None
    confirmed: tuple[tuple[str, str], ...] = ()
    contradicted: tuple[tuple[str, str], ...] = ()
    undecided: int = 0


@dataclass(frozen=True)
class Verdict:
    """Whether the paper's ordering holds; `none` means that it must not be judged, and the reasons say why.

    holds          τ is above 0 with its interval and no pair contradicts the paper
    holds in part  τ is above 0 with its interval, but some pairs contradict it
    does not hold  τ's interval reaches 0, and some pairs contradict it; or τ is below 0 with its interval
    open           these seeds and items cannot tell
    """

    outcome: Outcome
    reasons: tuple[str, ...] = ()


def compare_order(
    rows: Mapping[str, Draws], published: Mapping[str, float], seeds: Mapping[str, Sequence[int]], *, seed: int = 0
) -> Ordering:
    """Return how our order of rows fits the published one.

    rows  label -> draws of its runs, all on the same resamples;  published, seeds: by the same labels
    """
    labels = [label for label in rows if label in published]
    if len(labels) < 2:
        return Ordering(None)
    agreement = order_agreement(
        [rows[label] for label in labels],
        [published[label] for label in labels],
        seeds=[seeds[label] for label in labels],
        seed=seed,
    )
    pairs = [(a, b) for a in labels for b in labels if published[a] > published[b]]
    gaps = [difference_estimate(rows[b], rows[a], seeds_a=seeds[b], seeds_b=seeds[a]) for a, b in pairs]
    significant = [p is not None and p <= _ALPHA for p in corrected([gap.p for gap in gaps])]
    found = list(zip(pairs, gaps, significant, strict=True))
    confirmed = tuple(pair for pair, gap, sure in found if sure and (gap.value or 0) > 0)
    contradicted = tuple(pair for pair, gap, sure in found if sure and (gap.value or 0) < 0)
    return Ordering(agreement, confirmed, contradicted, len(pairs) - len(confirmed) - len(contradicted))


def judge(ordering: Ordering, against: Sequence[str]) -> Verdict:
    """Return the verdict on an ordering; `against`: the reasons why there must be none."""
    found = ordering.agreement
    if found is None:
        return Verdict("none", (*against, "fewer than two rows have a published and a measured score"))
    if against:
        return Verdict("none", tuple(against))
    if found.tau is None or found.low is None or found.high is None:
        return Verdict("none", ("Kendall's τ has no interval: neither several seeds nor predictions are there",))
    against_paper = tuple(f"{b} is better than {a}, against the paper" for a, b in ordering.contradicted)
    counts = (
        f"{len(ordering.confirmed)} pairs confirmed, {len(ordering.contradicted)} contradicted, "
        f"{ordering.undecided} not to be told apart",
    )
    if found.low > 0:
        return Verdict("holds in part" if against_paper else "holds", counts + against_paper)
    if against_paper or found.high < 0:
        return Verdict("does not hold", counts + against_paper)
    return Verdict("open", counts)
