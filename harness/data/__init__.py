"""Files on disk, read strictly: the layout of a data folder, and the readers of what lies in it."""

from harness.data.folder import DataFolder, open_data
from harness.data.readers import ScoredPairs, read_scored_pairs

__all__ = ["DataFolder", "ScoredPairs", "open_data", "read_scored_pairs"]
