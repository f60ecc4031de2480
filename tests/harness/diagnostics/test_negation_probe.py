from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_pack import Exclaim, Must, Negate, toy

from harness.diagnostics.negation import identity, make_probe, operators_of, sample, sensitivity
from harness.errors import Skipped

TEXTS = ["one", "two words", "three words here", "four words are here"]


@pytest.fixture
def pack(tmp_path):
    return toy(tmp_path)


def test_every_sentence_with_its_negation_and_views(pack):
    probe = make_probe(TEXTS, pack, seed=0)
    assert probe.texts == tuple(TEXTS[1:])
    assert probe.negations == ("two not words", "three not words here", "four not words are here")
    assert probe.views == {
        "pi": (None, "three words here!", "four words are here!"),
        "mv": (None, None, "must four words are here"),
    }
    assert probe.refused == 1


def test_what_a_pack_lacks_is_said(pack, monkeypatch):
    monkeypatch.setattr(type(pack), "own", {"pi": Exclaim, "mv": Must})
    with pytest.raises(Skipped, match="'toy' cannot negate: toy has no operator 'negation'"):
        make_probe(TEXTS, pack, seed=0)
    monkeypatch.setattr(type(pack), "own", {"negation": Negate})
    with pytest.raises(Skipped, match="has no view to compare a negation with"):
        make_probe(TEXTS, pack, seed=0)
    monkeypatch.setattr(type(pack), "own", {"negation": Negate, "mv": Must})
    assert list(make_probe(TEXTS, pack, seed=0).views) == ["mv"]
    with pytest.raises(Skipped, match="applies to none of 1 sentences"):
        make_probe(TEXTS[:1], pack, seed=0)


def test_a_rule_that_waits_for_its_words_is_missing_with_its_reason(pack, monkeypatch):
    def waiting(variant, tools):
        raise Skipped("negation has no words yet")

    monkeypatch.setattr(type(pack), "own", {"negation": waiting, "pi": Exclaim})
    found = operators_of(pack)
    assert found["negation"] == "negation has no words yet"
    kept = identity(found)
    assert kept["negation"] is None
    assert kept["mv"] is None
    assert isinstance(kept["pi"], str)


@given(st.lists(st.text(max_size=5), max_size=30), st.randoms(use_true_random=False))
def test_the_sample_depends_on_the_set_of_texts_alone(texts, rng):
    chosen = sample(texts, 5)
    assert len(chosen) == min(5, len(set(texts)))
    assert set(chosen) <= set(texts)
    shuffled = texts * 2
    rng.shuffle(shuffled)
    assert sample(shuffled, 5) == chosen
    assert sample(texts, 30)[:5] == chosen


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=30))
def test_sensitivity_counts_wins_and_half_of_the_ties(rows):
    far, near = (np.array(column) for column in zip(*rows, strict=True))
    wins = sum(1.0 if b > a else 0.5 if a == b else 0.0 for a, b in rows)
    assert sensitivity(far, near) == pytest.approx(100 * wins / len(rows))


def test_sensitivity_of_nothing_is_undefined():
    assert sensitivity(np.array([]), np.array([])) is None
    with pytest.raises(ValueError, match="one length"):
        sensitivity(np.zeros(2), np.zeros(3))
