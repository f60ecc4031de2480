"""Is a sentence written by a person or by a machine? RISE's classifier for synthetic data identification (SDI).

A linear layer on [CLS] of an encoder, trained on human sentences (class 1) and machine-made ones (class 0): equally many, without
machine-made ones that equal a human one, each sentence once. The weights with the lowest dev loss are kept. It is trained by the
ordinary loop; as a `TextEncoder` with the pooler `cls_head` its "vectors" are the two logits.

Other than the original, train and dev part share no first sentence: else a sentence would be in one, its rewriting in the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from baselines.synthetic.importance import log_loss
from baselines.synthetic.pairs import NEIGHBOUR, RANDOM, Pairs
from harness.errors import DataError
from harness.protocols import Batch, BuildContext, Loss, Method, Protocol, Score, Step, Task, TaskResult, View
from harness.seeds import numpy_rng

TEXT, HUMAN = "text", "human"
#: sentences of each class, train part and dev part together
FEWEST = 8
_DEV_SHARE = 0.1


@dataclass(frozen=True)
class SdiPart:
    """Sentences and whether a person wrote them, int64 (texts,)."""

    texts: tuple[str, ...]
    human: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)


def sdi_parts(sentences: Sequence[str], pairs: Pairs, seed: int) -> tuple[SdiPart, SdiPart]:
    """Return the train and the dev part: human `sentences`, and the machine-made right sentences of `pairs`.

    Random pairs and neighbours count for nothing, since their right sentences were written for another one. Raises DataError if
    either class has too few sentences.
    """
    people = list(dict.fromkeys(sentences))
    known = set(people)
    machine: dict[str, str] = {}
    for left, right, _, origin in pairs.rows():
        if origin not in (RANDOM, NEIGHBOUR) and right not in known:
            machine.setdefault(right, left)
    if len(people) < FEWEST or len(machine) < FEWEST:
        raise DataError(
            f"the classifier of human and machine-made sentences has {len(people)} human ones (the corpus) and {len(machine)} "
            f"machine-made ones that equal none of these; it needs at least {FEWEST} of each. Give other pairs with --set "
            "source=…, or another corpus with --corpus FILE."
        )
    rows = [(text, text, 1) for text in people] + [(text, left, 0) for text, left in machine.items()]
    chosen = _dev_keys(rows, numpy_rng(seed, "sdi", "dev"))
    train = [row for row in rows if row[1] not in chosen]
    dev = [row for row in rows if row[1] in chosen]
    return tuple(  # type: ignore[return-value]
        _balanced(part, numpy_rng(seed, "sdi", name)) for name, part in (("train", train), ("dev", dev))
    )


def _dev_keys(rows: Sequence[tuple[str, str, int]], rng: np.random.Generator) -> set[str]:
    """First sentences of the dev part: a tenth, or as many as it takes to have both classes; both stay in the train part."""
    classes: dict[str, set[int]] = {}
    for _, key, human in rows:
        classes.setdefault(key, set()).add(human)
    keys = list(classes)
    order = [keys[i] for i in rng.permutation(len(keys)).tolist()]
    wanted = max(1, round(_DEV_SHARE * len(order)))
    chosen: set[str] = set()
    have: set[int] = set()
    for key in order:
        if len(chosen) >= wanted and have == {0, 1}:
            break
        # a key that would bring nothing new waits while a class is missing
        if len(chosen) >= wanted and classes[key] <= have:
            continue
        chosen.add(key)
        have |= classes[key]
    return chosen


def _balanced(rows: Sequence[tuple[str, str, int]], rng: np.random.Generator) -> SdiPart:
    by_class = [[text for text, _, human in rows if human == number] for number in (0, 1)]
    count = min(map(len, by_class))
    if count == 0:
        raise DataError(
            "all machine-made sentences belong to so few first sentences that no train and dev part can be made; give pairs of "
            "more first sentences."
        )
    drawn = [sorted(rng.permutation(len(texts))[:count].tolist()) for texts in by_class]
    texts = [texts[i] for texts, places in zip(by_class, drawn, strict=True) for i in places]
    return SdiPart(tuple(texts), np.repeat(np.array([0, 1], dtype=np.int64), count))


class SdiHead(nn.Module):
    """Dropout and Linear(d, 2): logits of machine-made and human."""

    name = "sdi"

    def __init__(self, size: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.linear = nn.Linear(size, 2)
        nn.init.normal_(self.linear.weight, std=0.02)
        nn.init.zeros_(self.linear.bias)

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        """(rows, d) -> logits (rows, 2)."""
        logits: torch.Tensor = self.linear(self.dropout(vectors))
        return logits


class Sdi(Method):
    """The classifier; column text, number human. Its config has the pooler `cls_head`."""

    name = "synthetic-data-identification"

    def views(self) -> Sequence[View]:
        """The sentence alone (the original's input type `single`)."""
        return (View(TEXT, column=TEXT),)

    def build(self, context: BuildContext) -> nn.Module:
        """The encoder, which keeps the head."""
        module = nn.Module()
        context.encoder.head = SdiHead(context.hidden_size)
        module.encoder = context.encoder
        return module

    def features(self, module: nn.Module, rows: Sequence[Any]) -> torch.Tensor:
        """Logits (rows, 2)."""
        logits: torch.Tensor = module.encoder(rows, "cls_head")  # type: ignore[operator]
        return logits

    def objective(self, module: nn.Module, features: Mapping[str, torch.Tensor], batch: Batch, step: Step) -> Loss:
        """Cross entropy of the class."""
        return Loss(F.cross_entropy(features[TEXT].float(), batch.tensors[HUMAN].long()))


class SdiDev(Task):
    """The dev part as a task: minus the log loss of the logits, so that higher is better, and the accuracy × 100."""

    name, split, language = "synthetic-data-identification", "dev", ""
    main = ("negative log loss", "all")
    protocol = Protocol("synthetic-data-identification", 1, text="original")
    data_sha = ""

    def __init__(self, part: SdiPart) -> None:
        self.part = part

    def sentences(self) -> list[str]:
        """The sentences of both classes."""
        return list(self.part.texts)

    def score(self, vectors: Any) -> TaskResult:
        """Score logits (texts, 2)."""
        logits, human = np.asarray(vectors, dtype=np.float64), self.part.human
        accuracy = 100 * float(np.mean(logits.argmax(axis=1) == human))
        scores = (
            Score("negative log loss", "all", -log_loss(logits, human), len(human)),
            Score("accuracy", "all", accuracy, len(human)),
        )
        return TaskResult(scores, logits[:, 1] - logits[:, 0])
