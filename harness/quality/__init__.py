"""How often is an operator right? Random outputs on a sheet, labels by a reader, precision with an interval.

1. `draw` takes random corpus lines which an operator changes, `write_sheet` writes them for a blind reading.
2. A reader labels every row right, odd or wrong, by the pack's `quality/GUIDELINES.md`.
3. `store_labels` keeps the labels in the pack, without any sentence; `read_labels` and `Precision` say what they amount to,
   `standing` for how many the present code still gives the labelled output.

On the command line: `augbench quality sample|score|show`.
"""

from harness.quality.labels import (
    GUIDELINES,
    Labels,
    Precision,
    pack_labels,
    read_labels,
    standing,
    store_labels,
)
from harness.quality.sheet import Sample, draw, key_path, read_sheet, write_sheet

__all__ = [
    "GUIDELINES",
    "Labels",
    "Precision",
    "Sample",
    "draw",
    "key_path",
    "pack_labels",
    "read_labels",
    "read_sheet",
    "standing",
    "store_labels",
    "write_sheet",
]
