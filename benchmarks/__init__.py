"""Speed and memory against named peers from the package index, as ratios measured in one run."""
