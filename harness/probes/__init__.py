"""Probes: how well classes or scores follow from frozen vectors. Named, never mixed: `logreg` and `senteval-mlp`."""

from harness.probes.folds import Split, TooFewError
from harness.probes.logreg import LogisticRegression
from harness.probes.schemes import Outcome, open_probe
from harness.probes.senteval_mlp import SentEvalMLP

__all__ = ["LogisticRegression", "Outcome", "SentEvalMLP", "Split", "TooFewError", "open_probe"]
