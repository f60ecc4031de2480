"""AugCSE: settings, augmentations that never apply, presets, and the conformance battery."""

from __future__ import annotations

import json
import math

import pytest
from augcse_fakes import Comma, Dots, Never, run
from pydantic import ValidationError

from baselines.augcse import AugCSE, AugCSETransfer
from baselines.augcse_coverage import idle
from baselines.augcse_sets import members_of
from harness.conformance.method import check_method
from harness.errors import DataError, Skipped, UsageError
from harness.runs.plan import fill


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"augmentations": "aug9"}, "'aug9' is no set of augmentations. Did you mean"),
        ({"augmentations": "crop@10"}, "is no set of augmentations"),
        ({"augmentations": ["pi", "mv", "pi"]}, "'pi' is named twice"),
        ({"augmentations": []}, "'type' has nothing to guess without augmentations"),
        ({"augmentations": ["pi"], "discriminator": "positive"}, "every augmentation keeps the meaning"),
        ({"augmentations": ["pi", "comma"], "discriminator": "positive"}, "asks whether 'comma' keeps the meaning"),
        ({"discriminator": "order"}, "discriminator"),
        ({"discriminator_weight": -1}, "discriminator_weight"),
        ({"alpha": math.nan}, "alpha"),
    ],
)
def test_what_is_wrong_is_said(settings, message):
    with pytest.raises(UsageError, match=message):
        fill("augcse", settings)
    with pytest.raises(ValidationError):
        AugCSE(**settings)


def test_no_augmentation_is_needed_without_a_discriminator():
    assert AugCSE(augmentations=[], discriminator="none").config.members == ()


def test_an_augmentation_that_never_applies_stops_the_run_if_it_was_asked_for(
    toy_pack, tiny_encoder, sentences, tmp_path
):
    method = AugCSE(augmentations=("comma", "never"), batch_size=16, select="last", eval_every=0)
    with pytest.raises(DataError, match=r"never does not change any of the 120 sentences; take other augmentations"):
        run(method, toy_pack, tiny_encoder, sentences, tmp_path)


def test_in_a_set_it_costs_a_warning_and_is_noted(monkeypatch, toy_pack, tiny_encoder, sentences, tmp_path, caplog):
    monkeypatch.setattr("baselines.augcse.members_of", lambda wanted: ("comma", "never", "capitals"))
    outcome = run(
        AugCSE(batch_size=16, max_steps=2, select="last", eval_every=0), toy_pack, tiny_encoder, sentences, tmp_path
    )
    assert "never does not change any of the 120 sentences; its class never occurs" in caplog.text
    noted = outcome.notes["augmentations"]
    assert noted == {
        "members": ["comma", "never", "capitals"],
        "never": ["never"],
        "changed": pytest.approx(1 / 3, abs=1e-6),
    }
    json.dumps(outcome.notes, allow_nan=False)


def test_a_set_of_which_nothing_applies_stops_the_run(monkeypatch, toy_pack, tiny_encoder, sentences, tmp_path):
    monkeypatch.setattr("baselines.augcse.members_of", lambda wanted: ("never",))
    with pytest.raises(DataError, match="never does not change any"):
        run(AugCSE(batch_size=16, select="last", eval_every=0), toy_pack, tiny_encoder, sentences, tmp_path)


def test_the_search_goes_on_behind_the_first_sentences(toy_pack):
    texts = [f"a cat sleeps {number}" for number in range(2100)]
    operators = [Dots(), Comma(), Never()]
    assert idle(texts, operators, pack=toy_pack, seed=0) == ["dots", "never"]
    assert idle([*texts, "a dog sleeps"], operators, pack=toy_pack, seed=0) == ["never"]
    assert idle(["a dog sleeps"], [Dots()], pack=toy_pack, seed=0) == []


def test_the_fingerprint_names_the_members_of_a_set():
    found = AugCSE(augmentations="aug4-1").fingerprint()
    assert found["augmentations"] == [["contraction", 0], ["tense", 1], ["random-swap", 2]]
    assert found["config"]["augmentations"] == "aug4-1"
    assert "augmentations" not in AugCSE(discriminator="none").fingerprint()


def test_presets_are_the_papers():
    for cls, wanted in (
        (AugCSE, {"bert-base": (2e-5, 5e-3), "roberta-base": (2e-5, 1e-4)}),
        (AugCSETransfer, {"bert-base": (2e-5, 1e-4), "roberta-base": (7e-6, 1e-2)}),
    ):
        for family, (rate, weight) in wanted.items():
            config = cls(**cls.presets[family]).config
            assert (config.learning_rate, config.discriminator_weight) == (rate, weight)
            assert (config.batch_size, config.temperature, config.max_length, config.alpha) == (128, 0.05, 32, -1.0)
            assert (config.head, config.pooler, config.logits, config.draw) == ("sda", "cls", "code", "once")
    assert AugCSE().config.members == members_of("aug8-2")


def test_the_projector_is_gone_after_training(toy_pack, tiny_encoder, sentences, tmp_path):
    outcome = run(
        AugCSE(augmentations=("comma",), batch_size=16, max_steps=2, select="last", eval_every=0),
        toy_pack,
        tiny_encoder,
        sentences,
        tmp_path,
    )
    encoder = outcome.embedder.encoder
    assert encoder.head is None
    assert outcome.embedder.encode(["a dog"]).shape == (1, 32)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"augmentations": ("comma", "dots", "capitals"), "alpha": -1.0},
        {
            "augmentations": ("pi", "negation"),
            "discriminator": "positive",
            "draw": "epoch",
            "logits": "paper",
            "head": "none",
        },
        {"discriminator": "none"},
    ],
    ids=["type", "positive", "none"],
)
def test_the_conformance_battery(toy_pack, tiny_encoder, sentences, settings):
    for name, check in check_method(
        AugCSE, pack=toy_pack, encoder=str(tiny_encoder), texts=sentences[:64], settings=settings
    ):
        try:
            check()
        except Skipped:
            assert name == "GPU agrees with CPU", name
