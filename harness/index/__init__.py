"""Which runs and scores lie in some results folders, as tables that open at once?

    rows      a record -> flat rows                      scan      results folders -> rows, rereading only what changed
    grouping  which runs may be compared with which      tables    the `Index`: its frames, its Parquet file
    cells     mean and spread over seeds                  places    ranks, ties and intervals, kept by content

An index is derived data: it can be deleted at any time, and a results folder is never written to.
"""

from harness.index.cells import Parts, Summary, cells_of
from harness.index.places import Standing, Tests, places_of
from harness.index.scan import open_index, refresh
from harness.index.tables import Index, read_index, write_index

__all__ = [
    "Index",
    "Parts",
    "Standing",
    "Summary",
    "Tests",
    "cells_of",
    "open_index",
    "places_of",
    "read_index",
    "refresh",
    "write_index",
]
