"""What do scores say, and how sure is it? Over items, over seeds, and for many systems at once.

    correlations  agreement with gold scores, under every aggregation        proportions   Wilson's interval
    seeds         mean, spread and t interval over seeds                     paired        two runs on one test set
    items         scores of many runs on resamples of the items (kernels)    hierarchical  over seeds and items
    ranking       places with intervals, who is tied with the best           orders        Kendall's τ with a published order
    corrections   Holm, Benjamini-Hochberg                                   resolution    the smallest difference to be seen

Scores are × 100 throughout, undefined ones `None` (NaN inside arrays). Nothing here imports torch, and SciPy only when asked.
"""

from harness.statistics.corrections import CORRECTIONS, Correction, benjamini_hochberg, corrected, holm
from harness.statistics.correlations import (
    AGGREGATIONS,
    METRICS,
    Aggregation,
    Metric,
    correlation,
    pearson,
    spearman,
)
from harness.statistics.hierarchical import (
    Estimate,
    difference_estimate,
    hierarchical_difference,
    hierarchical_score,
    score_estimate,
)
from harness.statistics.items import Draws, average_draws, draw_scores, fixed_draws
from harness.statistics.kernels import MEASURES, Measure
from harness.statistics.orders import OrderAgreement, kendall_tau_b, order_agreement, seed_draws
from harness.statistics.paired import Difference, mcnemar, paired_accuracy, paired_bootstrap, paired_means
from harness.statistics.proportions import wilson
from harness.statistics.ranking import Place, Ranked, Ranking, gaps_of, places, rank_draws, ranking
from harness.statistics.resolution import resolvable, smallest_difference
from harness.statistics.seeds import SeedSummary, over_seeds

__all__ = [
    "AGGREGATIONS",
    "CORRECTIONS",
    "MEASURES",
    "METRICS",
    "Aggregation",
    "Correction",
    "Difference",
    "Draws",
    "Estimate",
    "Measure",
    "Metric",
    "OrderAgreement",
    "Place",
    "Ranked",
    "Ranking",
    "SeedSummary",
    "average_draws",
    "benjamini_hochberg",
    "corrected",
    "correlation",
    "difference_estimate",
    "draw_scores",
    "fixed_draws",
    "gaps_of",
    "hierarchical_difference",
    "hierarchical_score",
    "holm",
    "kendall_tau_b",
    "mcnemar",
    "order_agreement",
    "over_seeds",
    "paired_accuracy",
    "paired_bootstrap",
    "paired_means",
    "pearson",
    "places",
    "rank_draws",
    "ranking",
    "resolvable",
    "score_estimate",
    "seed_draws",
    "smallest_difference",
    "spearman",
    "wilson",
]
