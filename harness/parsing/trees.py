"""Which tree is the best one? Maximum spanning arborescences (Chu and Liu 1965; Edmonds 1967) with a single root."""

from __future__ import annotations

import numpy as np

_NEVER = -1e9


def best_tree(scores: np.ndarray) -> np.ndarray:
    """Return the head of each word, -1 for the root, of the best tree with exactly one root.

    `scores` (n, n + 1): [i, 0] is the score of word i being the root, [i, j + 1] of word j being its head. A tree's score
    is the sum over its words; a word is never its own head.
    """
    n = len(scores)
    # square, node 0 is the artificial root; [dependent, head]
    full = np.full((n + 1, n + 1), _NEVER)
    full[1:] = scores
    np.fill_diagonal(full, _NEVER)
    heads = full.argmax(axis=1)
    heads[0] = 0
    # the common case: the best heads are a tree already
    if (heads[1:] == 0).sum() == 1 and _cycle(heads) is None:
        return heads[1:] - 1
    heads = _edmonds(full)
    if (heads[1:] == 0).sum() != 1:
        # a penalty on every root arc, larger than all differences between other arcs together, leaves exactly one
        finite = scores[np.abs(scores) < -_NEVER]
        penalty = (n + 1) * (finite.max() - finite.min() + 1) if finite.size else 1.0
        full[1:, 0] -= penalty
        heads = _edmonds(full)
    return heads[1:] - 1


def _edmonds(scores: np.ndarray) -> np.ndarray:
    """Heads of the maximum arborescence from node 0 of a dense graph; `scores` [dependent, head]."""
    heads = scores.argmax(axis=1)
    heads[0] = 0
    cycle = _cycle(heads)
    if cycle is None:
        return heads
    inside = np.zeros(len(scores), dtype=bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    # contract the cycle into one last node: entering it at v replaces v's arc of the cycle
    gain = scores[cycle][:, outside] - scores[cycle, heads[cycle]][:, None]
    enter = gain.argmax(axis=0)
    leave_to = scores[outside][:, cycle]
    leave = leave_to.argmax(axis=1)
    m = len(outside)
    small = np.full((m + 1, m + 1), _NEVER)
    small[:m, :m] = scores[np.ix_(outside, outside)]
    small[m, :m] = gain.max(axis=0)
    small[:m, m] = leave_to.max(axis=1)
    np.fill_diagonal(small, _NEVER * 2)
    found = _edmonds(small)
    result = heads.copy()
    for k, node in enumerate(outside):
        if node != 0:
            result[node] = cycle[leave[k]] if found[k] == m else outside[found[k]]
    broken = enter[found[m]]
    result[cycle[broken]] = outside[found[m]]
    return result


def _cycle(heads: np.ndarray) -> np.ndarray | None:
    """The nodes of one cycle of `heads` (node 0 is its own head), or None."""
    colour = np.zeros(len(heads), dtype=np.int64)
    colour[0] = -1
    for start in range(1, len(heads)):
        node = start
        while colour[node] == 0:
            colour[node] = start
            node = heads[node]
        if colour[node] == start:
            members = [node]
            while heads[members[-1]] != node:
                members.append(heads[members[-1]])
            return np.array(members)
    return None
