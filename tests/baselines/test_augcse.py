"""AugCSE: its loss term by term, who gets which gradient, and which class a sentence has."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import torch
from augcse_fakes import STEP, TEXTS

from baselines.augcse import AugCSE
from harness.protocols import Step
from harness.protocols.method import Rows
from harness.seeds import derive, numpy_rng


# -- the loss ---------------------------------------------------------------------------------------------------------
def slow_contrast(first, second, tau):
    """Rows and columns of exp(cos / τ), summed one by one in float64."""

    def similarity(u, v):
        return float(u.double() @ v.double() / (u.double().norm() * v.double().norm()))

    n, total = len(first), 0.0
    for i in range(n):
        top = math.exp(similarity(first[i], second[i]) / tau)
        total -= math.log(top / sum(math.exp(similarity(first[i], second[j]) / tau) for j in range(n)))
        total -= math.log(top / sum(math.exp(similarity(first[j], second[i]) / tau) for j in range(n)))
    return total / (2 * n)


def slow_guess(weights, pairs, labels, *, bounded):
    """Linear–tanh–linear(–tanh) and the binary cross entropy of every pair and class, in float64."""
    w1, b1, w2, b2 = (w.detach().double().numpy() for w in weights)
    total = count = 0
    for pair, label in zip(pairs.double().numpy(), labels, strict=True):
        logits = w2 @ np.tanh(w1 @ pair + b1) + b2
        for number, logit in enumerate(np.tanh(logits) if bounded else logits):
            chance = 1 / (1 + math.exp(-logit))
            total -= math.log(chance if number == label else 1 - chance)
            count += 1
    return total / count


def slow_head(vectors, head):
    """DiffCSE's projector with the statistics of all rows it is given, in float64."""
    first, second = (head.layers[i].weight.detach().double() for i in (0, 3))
    scale, shift = (getattr(head.layers[1], name).detach().double() for name in ("weight", "bias"))

    def norm(rows):
        return (rows - rows.mean(0)) / (rows.var(0, unbiased=False) + 1e-5).sqrt()

    return norm(torch.relu(norm(vectors.double() @ first.T) * scale + shift) @ second.T)


@pytest.mark.parametrize("logits", ["code", "paper"])
@pytest.mark.parametrize(("kind", "members"), [("type", ("comma", "dots")), ("bool", ("comma", "dots"))])
def test_the_loss_is_the_papers(batch_of, kind, members, logits):
    method = AugCSE(
        augmentations=members,
        discriminator=kind,
        discriminator_weight=0.3,
        discriminator_dropout=0.0,
        logits=logits,
        temperature=0.2,
    )
    module, batch = batch_of(method)
    assert list(batch.inputs) == ["anchor", "augmented", "again"]
    generator = torch.Generator().manual_seed(2)
    features = {name: torch.randn(6, 32, generator=generator) for name in batch.inputs}
    with torch.no_grad():
        found = method.objective(module, features, batch, STEP)
    # the batch norm of the head has seen x, A(x) and x again together
    x, ax, again = slow_head(torch.cat(list(features.values())), module.head).split(6)
    layers = module.discriminator.layers
    weights = (layers[1].weight, layers[1].bias, layers[4].weight, layers[4].bias)
    guess = slow_guess(weights, torch.cat([x, ax], 1), batch.tensors["augmentation"].tolist(), bounded=logits == "code")
    contrast = slow_contrast(x, again, 0.2)
    assert float(found.scalars["contrast"]) == pytest.approx(contrast, rel=1e-4)
    assert float(found.scalars["discriminator"]) == pytest.approx(guess, rel=1e-4)
    assert float(found.value) == pytest.approx(contrast + 0.3 * guess, rel=1e-4)


def test_the_augmented_sentence_is_no_positive(batch_of):
    """It reaches the contrastive loss through the statistics of the head alone, and without a head not at all."""
    method = AugCSE(augmentations=("comma",), head="none", discriminator_weight=0.0, temperature=0.2)
    module, batch = batch_of(method)
    features = {name: torch.randn(6, 32, requires_grad=True) for name in batch.inputs}
    method.objective(module, features, batch, STEP).value.backward()
    assert features["augmented"].grad.abs().max() == 0
    assert features["again"].grad.abs().min() > 0


def test_without_a_discriminator_there_are_two_passes_and_no_augmentation(batch_of):
    method = AugCSE(discriminator="none", temperature=0.2, head="none")
    module, batch = batch_of(method)
    assert [view.name for view in method.views()] == ["anchor"]
    assert list(batch.inputs) == ["anchor", "again"]
    assert not hasattr(module, "discriminator")
    features = {name: torch.randn(6, 32) for name in batch.inputs}
    found = float(method.objective(module, features, batch, STEP).value)
    assert found == pytest.approx(slow_contrast(features["anchor"], features["again"], 0.2), rel=1e-4)


def test_the_discriminators_dropout_is_of_this_step_alone(batch_of):
    method = AugCSE(augmentations=("comma",), discriminator_dropout=0.5)
    module, batch = batch_of(method)
    features = {name: torch.randn(6, 32) for name in batch.inputs}

    def loss(number):
        torch.manual_seed(number)
        torch.rand(number)
        before = torch.random.get_rng_state()
        with torch.no_grad():
            found = method.objective(module, features, batch, Step(number // 10, 10, 0, 7)).scalars["discriminator"]
        assert torch.equal(torch.random.get_rng_state(), before)
        return float(found)

    assert loss(11) == loss(12)
    assert loss(11) != loss(21)


# -- which class a sentence has -----------------------------------------------------------------------------------------
def labels_of(batch):
    return batch.tensors["augmentation"].tolist()


@pytest.mark.parametrize("spec", ["never", "capitals", "empty"])
def test_what_changes_nothing_for_the_encoder_has_the_class_none(batch_of, spec):
    module, batch = batch_of(AugCSE(augmentations=(spec,)))
    assert module.discriminator.layers[4].out_features == 2
    assert labels_of(batch) == [1] * 6
    for one, other in zip(batch.inputs["anchor"], batch.inputs["augmented"], strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("draw", ["once", "epoch"])
def test_the_class_is_the_number_of_the_augmentation(batch_of, draw, sentences):
    texts = [f"{text} {'cat' if i % 2 else 'bird'}" for i, text in enumerate(sentences[:40])]
    _, batch = batch_of(AugCSE(augmentations=("comma", "dots"), draw=draw), texts)
    shorter = [len(x) for x in batch.inputs["anchor"]]
    longer = [len(x) for x in batch.inputs["augmented"]]
    for text, label, before, after in zip(texts, labels_of(batch), shorter, longer, strict=True):
        assert after - before == (1, 2, 0)[label]
        assert label != 2 or "cat" in text
    assert len(set(labels_of(batch))) == 3


def test_kinds_of_discriminators(batch_of):
    classes = {}
    for kind in ("type", "bool", "positive"):
        module, batch = batch_of(AugCSE(augmentations=("pi", "negation"), discriminator=kind), TEXTS * 5)
        classes[kind] = (module.discriminator.layers[4].out_features, labels_of(batch))
    numbers = classes["type"][1]
    assert [classes[kind][0] for kind in ("type", "bool", "positive")] == [3, 2, 2]
    assert classes["bool"][1] == [int(number == 2) for number in numbers]
    # pi keeps the meaning, and so does doing nothing
    assert classes["positive"][1] == [int(number != 1) for number in numbers]


# -- the draw -----------------------------------------------------------------------------------------------------------
def drawn(method, index, stream):
    rows = [np.array([2, 10, 3])] * len(index)
    edited = [[np.array([2, 20 + k, 3])] * len(index) for k in range(3)]
    names = [view.name for view in method.views()][1:]
    batch = method.collate(
        Rows(
            index=index,
            tokens={"anchor": rows, **dict(zip(names, edited, strict=True))},
            present={"anchor": np.ones(len(index), bool)} | dict.fromkeys(names, np.ones(len(index), bool)),
        ),
        type("Vocabulary", (), {"special": frozenset({2, 3})}),
        stream,
    )
    found = labels_of(batch)
    assert [row[1] - 20 for row in batch.inputs["augmented"]] == found
    return found


def test_one_draw_for_all_epochs_depends_on_seed_and_row_alone():
    method = AugCSE(augmentations=("comma", "dots", "never"))
    method._seed = 5
    index = np.arange(3000)
    once = drawn(method, index, numpy_rng(0, "a"))
    assert drawn(method, index[::-1], numpy_rng(1, "b"))[::-1] == once
    assert once[:4] == [derive(5, "augmentation", row) % 3 for row in range(4)]
    # five standard deviations of a binomial with n = 3000, p = 1/3
    assert all(abs(count - 1000) < 130 for count in Counter(once).values())
    method._seed = 6
    assert drawn(method, index, numpy_rng(0, "a")) != once


def test_drawing_in_every_epoch_follows_the_steps_own_generator():
    method = AugCSE(augmentations=("comma", "dots", "never"), draw="epoch")
    method._seed = 5
    index = np.arange(3000)
    one = drawn(method, index, numpy_rng(0, "collate", 1))
    assert drawn(method, index, numpy_rng(0, "collate", 1)) == one
    assert drawn(method, index, numpy_rng(0, "collate", 2)) != one
    assert all(abs(count - 1000) < 130 for count in Counter(one).values())
