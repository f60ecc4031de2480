"""The doors in Python: settings come from the keyword, else the encoder's preset, else the method."""

from __future__ import annotations

import pytest

from harness import api
from harness.errors import UsageError
from harness.plan import method_class, preset_of


def configured(monkeypatch, **options):
    seen = {}
    monkeypatch.setattr(api, "execute", lambda method, **rest: seen.update(config=method.config, **rest))
    api.train("simcse", ["a text"] * 20, **options)
    return seen


def test_the_mini_encoder_is_the_default_and_brings_its_settings(monkeypatch):
    seen = configured(monkeypatch)
    preset = preset_of(method_class("simcse"), "mini")[1]
    assert seen["encoder"] == "mini"
    assert preset["pooler"] == seen["config"].pooler == "avg_embed_last"
    assert seen["config"].learning_rate == preset["learning_rate"]


def test_keywords_win_and_other_encoders_have_other_settings(monkeypatch):
    assert configured(monkeypatch, learning_rate=1e-2)["config"].learning_rate == 1e-2
    large = configured(monkeypatch, encoder="random:roberta-large")["config"]
    assert (large.learning_rate, large.batch_size, large.pooler) == (3e-5, 512, "cls")
    assert configured(monkeypatch, encoder="somebody/else")["config"].learning_rate == 3e-5


def test_a_single_text_is_no_list_of_texts():
    with pytest.raises(UsageError, match="wrap it"):
        api.train("simcse", "a text")
