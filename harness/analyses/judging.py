"""How likely does the pack's masked language model find lines and their views? Or why can it not say?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from harness.protocols import LanguagePack


class Likelihood(BaseModel):
    """Pseudo-perplexity of `views` changed lines and of those lines, under the first seed."""

    model_config = ConfigDict(frozen=True)

    views: int
    of_views: float | None
    of_lines: float | None


class Judge:
    """A masked language model that judges texts; each text once."""

    def __init__(self, masked_lm: Any) -> None:
        self.masked_lm = masked_lm
        self.fingerprint: str = masked_lm.fingerprint()
        self._known: dict[str, tuple[float, int]] = {}

    def compare(self, texts: Sequence[str], views: Sequence[str], count: int) -> Likelihood:
        """Return the perplexity of the first `count` views that differ from their texts, and of these texts."""
        pairs = [(text, view) for text, view in zip(texts, views, strict=True) if text != view][:count]
        of_lines, of_views = (self._perplexity([pair[side] for pair in pairs]) for side in (0, 1))
        return Likelihood(views=len(pairs), of_views=of_views, of_lines=of_lines)

    def _perplexity(self, texts: Sequence[str]) -> float | None:
        import numpy as np

        from harness.encoder.pseudo_likelihood import perplexity, pseudo_log_likelihoods

        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        sums, pieces = pseudo_log_likelihoods(self.masked_lm, new)
        self._known.update(zip(new, zip(sums.tolist(), pieces.tolist(), strict=True), strict=True))
        known = [self._known[text] for text in texts]
        return perplexity(np.array([value for value, _ in known]), np.array([n for _, n in known], dtype=np.int64))


def open_judge(encoder: str | None, pack: LanguagePack) -> tuple[Judge | None, str]:
    """Return the judge in an encoder's folder, or None and why there is none."""
    if encoder is None:
        return None, f"the language pack {pack.name!r} ships no encoder"
    from harness.encoder import load_masked_lm

    masked_lm = load_masked_lm(encoder)
    if not masked_lm.available:
        return None, f"the encoder of the pack {pack.name!r} was shipped without its masked-language-model head"
    return Judge(masked_lm), ""
