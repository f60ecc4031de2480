"""DINO and RISE end to end on a tiny encoder: from pairs of every source to an embedder."""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from pydantic import ValidationError

from baselines.synthetic.config import DinoConfig, RiseConfig
from baselines.synthetic.method import Dino, Rise
from baselines.synthetic.pairs import NEIGHBOUR, RANDOM, Pairs, write_pairs
from baselines.synthetic.regression import DevPairs, weighted_error
from baselines.synthetic.rule_pairs import rule_pairs
from harness.corpus import Corpus
from harness.errors import DataError, UsageError
from harness.languages import open_pack
from harness.operators import resolve
from harness.stages import Settings, execute

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_fakes import write_letters

PACK = open_pack("en")
QUICK = {
    "batch_size": 16,
    "learning_rate": 1e-3,
    "max_steps": 6,
    "eval_every": 3,
    "classifier_epochs": 1,
    "classifier_rate": 1e-3,
    # edits that need no parser
    "same": ("delete@20",),
    "half": ("swap@20",),
}


def method_of(kind, **changes):
    values = QUICK | changes
    return kind(**{name: value for name, value in values.items() if name in kind.Config.model_fields})


def go(method, texts, encoder, folder, seed=0):
    return execute(
        method,
        corpus=Corpus("test", list(texts)),
        pack=PACK,
        encoder=str(encoder),
        seed=seed,
        settings=Settings(device="cpu", precision="fp32"),
        workdir=folder,
    )


@pytest.fixture
def file(tmp_path, sentences):
    rng = np.random.default_rng(0)
    rows = [
        (text, " ".join(rng.permutation(text.split())) + " indeed", y, "file")
        for text in sentences
        for y in (0.0, 0.5, 1.0)
    ]
    path = tmp_path / "pairs.tsv"
    write_pairs(Pairs.of(rows), path)
    return path


def test_the_loss_is_the_formula():
    rng = np.random.default_rng(0)
    a, b, y, w = rng.normal(size=(5, 4)), rng.normal(size=(5, 4)), rng.random(5), rng.random(5)
    cosines = [u @ v / (np.linalg.norm(u) * np.linalg.norm(v)) for u, v in zip(a, b, strict=True)]
    wanted = sum(weight * (c - label) ** 2 for weight, c, label in zip(w, cosines, y, strict=True)) / 5
    found = weighted_error(*(torch.tensor(x) for x in (a, b, y, w)))
    assert float(found) == pytest.approx(wanted, rel=1e-5)


def test_rules_make_pairs_of_every_kind(sentences):
    same, half = resolve(["delete@20"], PACK), resolve(["swap@20"], PACK)
    pairs, notes = rule_pairs(sentences[:30], pack=PACK, same=same, half=half, neighbours=True, seed=0)
    assert set(pairs.origin) == {"delete@20", "swap@20", NEIGHBOUR}
    assert notes["made"] == {origin: pairs.origin.count(origin) for origin in notes["made"]}
    labels = {
        origin: {y for o, y in zip(pairs.origin, pairs.label.tolist(), strict=True) if o == origin}
        for origin in set(pairs.origin)
    }
    assert labels == {"delete@20": {1.0}, "swap@20": {0.5}, NEIGHBOUR: {0.5}}
    following = [(a, b) for a, b, _, origin in pairs.rows() if origin == NEIGHBOUR]
    assert following == list(pairwise(sentences[:30]))
    with pytest.raises(UsageError, match="works on word pieces"):
        rule_pairs(sentences[:9], pack=PACK, same=resolve(["repeat"], PACK), half=[], neighbours=True, seed=0)
    with pytest.raises(DataError, match="make no pair"):
        rule_pairs(["one"], pack=PACK, same=[], half=[], neighbours=True, seed=0)


def test_dino_trains_on_rule_made_pairs(tiny_encoder, sentences, tmp_path):
    outcome = go(method_of(Dino), sentences, tiny_encoder, tmp_path)
    notes = outcome.notes["pairs"]
    assert notes["ours"] is True
    assert {"delete@20", "swap@20", NEIGHBOUR, RANDOM} == set(notes["by_origin"])
    assert notes["dev"] > 0
    assert outcome.notes["selection"]["best_step"] in (3, 6)
    assert outcome.embedder.encode(["a cat"]).shape == (1, 32)
    assert "classifier" not in outcome.notes


def test_rise_weighs_pairs_and_tells_its_story(tiny_encoder, sentences, file, tmp_path):
    outcome = go(method_of(Rise, source=str(file)), sentences, tiny_encoder, tmp_path / "a")
    notes = json.loads(json.dumps(outcome.notes, allow_nan=False))
    assert notes["classifier"]["accuracy"] >= 50  # "indeed" gives the machine away
    assert notes["classifier"]["temperature"] == 0.5
    assert set(notes["importance"]["by_origin"]) == {"file", RANDOM}
    assert set(notes["deciles"]) == {"top", "bottom", "human"}
    assert notes["pairs"]["source"] == "file"
    names = {point["name"] for point in outcome.curves}
    assert {"loss", "mse", "classifier_loss", "classifier_dev"} <= names
    assert {"stage:pairs", "stage:classify", "stage:train", "classifier_train"} <= set(outcome.seconds)
    again = go(method_of(Rise, source=str(file)), sentences, tiny_encoder, tmp_path / "b")
    assert again.embedder.fingerprint() == outcome.embedder.fingerprint()
    plain = go(method_of(Dino, source=str(file)), sentences, tiny_encoder, tmp_path / "c")
    assert plain.embedder.fingerprint() != outcome.embedder.fingerprint()


def test_the_papers_controls(tiny_encoder, sentences, file, tmp_path):
    filtered = go(method_of(Rise, source=str(file), weighting="filtered"), sentences, tiny_encoder, tmp_path / "f")
    pairs = filtered.notes["pairs"]
    assert pairs["filtered_out"] == int(0.1 * pairs["train"])
    assert filtered.notes["training_rows"] + filtered.notes["held_out"] == pairs["train"] - pairs["filtered_out"]
    random = go(method_of(Rise, source=str(file), weighting="random"), sentences, tiny_encoder, tmp_path / "r")
    assert "classifier" not in random.notes
    assert "stage:classify" not in random.seconds


def test_a_language_model_can_write_the_pairs(tiny_encoder, tmp_path):
    folder = write_letters(tmp_path / "lm")
    asked = tmp_path / "asked.toml"
    levels = "\n".join(
        f"\"{label}\" = '''\n{number} \"{{text}}\"\n\"'''" for number, label in enumerate(("1", "0.5", "0"), 1)
    )
    asked.write_text(f"[en.sentences]\nclose = '\"'\n[en.sentences.levels]\n{levels}\n", encoding="utf-8")
    texts = [f"{a}{b} {c}" for a in "abcd" for b in "efgh" for c in "ab"]
    method = method_of(
        Dino, source="generated", model=str(folder), instructions=str(asked), inputs=8, times=2, longest=20, top_k=0
    )
    outcome = go(method, texts, tiny_encoder, tmp_path / "w")
    assert outcome.notes["pairs"]["prompts"] == 24
    assert set(outcome.notes["pairs"]["by_origin"]) == {"generated", RANDOM}


def test_names_hold_contents_and_no_paths(tmp_path, file):
    first, second = tmp_path / "one.tsv", tmp_path / "two.tsv"
    for copy in (first, second):
        copy.write_bytes(file.read_bytes())
    assert Dino(source=str(first)).fingerprint() == Dino(source=str(second)).fingerprint()
    assert str(tmp_path) not in json.dumps(Rise(source=str(first)).fingerprint())
    second.write_bytes(file.read_bytes() + b"a\tb\t1\n")
    assert Dino(source=str(first)).fingerprint() != Dino(source=str(second)).fingerprint()
    assert Dino().fingerprint() == Dino(writes=3).fingerprint()
    assert Rise(weighting="random").fingerprint() == Rise(weighting="random", temperature=0.9).fingerprint()
    assert Rise().fingerprint() != Rise(temperature=0.9).fingerprint()
    with pytest.raises(DataError, match="no file"):
        Dino(source=str(tmp_path / "none.tsv")).fingerprint()


def test_settings_that_make_no_sense_are_refused():
    assert {view.operator for view in Dino().views()} == {None, "pi", "mv", "dn", "negation"}
    assert len(Dino(source="pairs.tsv").views()) == 1
    assert RiseConfig(source_corpus="qqp").temperature == 0.9
    assert RiseConfig(source_corpus="qqp").kind == "questions"
    assert RiseConfig(source_corpus="mrpc", temperature=0.3).temperature == 0.3
    for config, values, message in (
        (DinoConfig, {"source": "generated"}, "needs a causal language model"),
        (DinoConfig, {"source": ""}, "source is empty"),
        (DinoConfig, {"same": (), "half": (), "neighbours": False}, "nothing makes a pair"),
        (DinoConfig, {"pooler": "cls_head"}, "trains no head"),
        (RiseConfig, {"temperature": 0}, "above 0"),
    ):
        with pytest.raises(ValidationError, match=message):
            config(**values)


def test_dev_pairs_of_one_label_are_refused():
    pairs = Pairs.of([("a", "b", 0.5, "x"), ("c", "d", 0.5, "x")])
    with pytest.raises(DataError, match="all have one label"):
        DevPairs(pairs)
    dev = DevPairs(Pairs.of([("a", "b", 0.9, "x"), ("c", "d", 0.1, "x"), ("e", "f", 0.5, "x")]))
    left = np.eye(3)
    right = np.array([[1, 0, 0], [1, 0.1, 0], [0, 1, 1]], dtype=float)
    assert dev.sentences() == ["a", "c", "e", "b", "d", "f"]
    assert dev.score(np.concatenate([left, right])).scores[0].value == pytest.approx(100)


def test_pairs_of_equal_texts_leave_nothing(tiny_encoder, sentences, tmp_path):
    path = tmp_path / "same.tsv"
    write_pairs(Pairs.of([(text, text, 1.0, "x") for text in sentences]), path)
    with pytest.raises(DataError, match="none of the 120 pairs has two different texts"):
        go(method_of(Dino, source=str(path)), sentences, tiny_encoder, tmp_path)
