"""The training core: one loop for every method. Needs torch and transformers only, with token arrays prepared elsewhere."""

from harness.settings import Settings
from harness.training.data import TokenArray, TrainingData
from harness.training.loop import TrainResult, train

__all__ = ["Settings", "TokenArray", "TrainResult", "TrainingData", "train"]
