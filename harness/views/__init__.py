"""What does each operator make of each sentence? Views of a corpus: parsed once, kept on disk, made by several processes.

A view depends on (seed, operator as written, text) alone: neither batch size, order, other operators, the number of
processes nor what was cached change it, and equal texts have equal views.
"""

from __future__ import annotations

from harness.views.build import build_views, stream_views
from harness.views.columns import ViewColumn

__all__ = ["ViewColumn", "build_views", "stream_views"]
