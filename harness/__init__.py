"""AugBench: which augmentation, and which contrastive method, makes a sentence encoder better, and is the difference real?

The same doors as the command line, in Python:

    from harness import augment, evaluate, train
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.api import augment, evaluate, train

__all__ = ["augment", "evaluate", "train"]


def __getattr__(name: str) -> Any:
    # torch and transformers are loaded when a door is opened, not when `harness` is imported
    if name in __all__:
        from harness import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
