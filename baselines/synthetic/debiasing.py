"""Which word comes next, if it must not be one that a higher similarity would write? Self-debiasing, then top-k and top-p.

    Δ(w) = p_y(w) − max over y' > y of p_y'(w)
    p(w) ∝ p_y(w) · α(Δ(w)),   α(Δ) = 1 if Δ ≥ 0, else max(ε, exp(λ Δ))       λ = 100, ε = 0.01

Schick, Udupa and Schütze (2021), as DINO uses it: without it, GPT-2 writes paraphrases whatever it is asked for.
"""

from __future__ import annotations

import torch

DECAY, FLOOR = 100.0, 0.01


def debiased(
    logits: torch.Tensor, counter: torch.Tensor | None = None, *, decay: float = DECAY, floor: float = FLOOR
) -> torch.Tensor:
    """Return next-word probabilities (rows, words), rows summing to 1, in fp32.

    logits   (rows, words) under the instruction itself
    counter  (levels, rows, words) under the instructions of the higher levels, None or of length 0 if there are none
    """
    own = logits.float().softmax(dim=-1)
    if counter is None or not len(counter):
        return own
    gap = own - counter.float().softmax(dim=-1).amax(dim=0)
    factor = torch.where(gap >= 0, torch.ones_like(gap), (decay * gap).exp().clamp_min(floor))
    weighted = own * factor
    return weighted / weighted.sum(dim=-1, keepdim=True)


def likely(probabilities: torch.Tensor, *, top_k: int, top_p: float) -> torch.Tensor:
    """Return the probabilities (rows, words) with unlikely words at 0, rows summing to 1 again.

    top_k  so many words stay at most (0 = all);  top_p: of these, the fewest whose probabilities, scaled to 1, reach it
    (Holtzman et al. 2020); the likeliest word stays in any case. Equal words are taken in the order of the vocabulary.
    """
    ordered, places = torch.sort(probabilities, dim=-1, descending=True, stable=True)
    if top_k:
        ordered = ordered.clone()
        ordered[..., top_k:] = 0
        ordered = ordered / ordered.sum(dim=-1, keepdim=True)
    before = ordered.cumsum(dim=-1) - ordered
    stays = before < top_p
    stays[..., 0] = True
    ordered = torch.where(stays, ordered, torch.zeros_like(ordered))
    kept = torch.zeros_like(ordered).scatter(-1, places, ordered)
    return kept / kept.sum(dim=-1, keepdim=True)


def drawn(probabilities: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """Return one word per row (rows,), by inverting the distribution function at `uniform` (rows,) in [0, 1).

    The draw of a row depends on its own number alone, so how rows are batched changes nothing.
    """
    total = probabilities.double().cumsum(dim=-1)
    aim = uniform.to(total).unsqueeze(-1) * total[..., -1:]
    found = torch.searchsorted(total, aim, right=True).squeeze(-1)
    # rounding may lead past the last word that has any probability
    last = probabilities.shape[-1] - 1 - (probabilities.flip(-1) > 0).int().argmax(dim=-1)
    return torch.minimum(found, last)
