"""The doors in Python: settings come from the keyword, else the encoder's preset, else the method."""

from __future__ import annotations

import numpy as np
import pytest

from harness import api
from harness.errors import DataError, UsageError
from harness.runs.plan import method_class, preset_of


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


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_sample_task_of_any_kind_needs_no_data_folder(monkeypatch, language):
    monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    monkeypatch.setattr("harness.probes.LogisticRegression.penalties", (1e-2, 1e-1))

    def lengths(texts):
        return np.array([[len(text), text.count(" ") + 1.0] for text in texts], dtype=np.float32)

    found = api.evaluate(lengths, ["SampleReviews", "SampleSTS:dev"], language=language)
    assert list(found.results) == ["SampleReviews", "SampleSTS:dev"]
    assert 0 < found.value("SampleReviews") < 100
    with pytest.raises(DataError, match="AUGBENCH_DATA"):
        api.evaluate(lengths, "MR", language=language)
