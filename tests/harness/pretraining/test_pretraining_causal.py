"""A small language model from text: a folder that opens, a sentence that closes its quote, refusals."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from harness.errors import DataError
from harness.pretraining.causal import END, CausalRecipe, pretrain_causal

sys.path.insert(0, str(Path(__file__).parent))
from pretraining_fakes import documents, write_documents

RECIPE = CausalRecipe(pieces=120, layers=1, width=32, heads=2, positions=32, steps=60, rows=4, dropout=0.0, rate=1e-2)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("causal")
    text = write_documents(folder / "text.txt", documents(60))
    return folder / "lm", pretrain_causal([text], folder / "lm", RECIPE, device="cpu", precision="fp32"), text


def test_it_learns_and_opens_as_a_language_model(made):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, found, _ = made
    assert found.perplexity < 40  # of 120 pieces, unlearnt
    assert found.files[0].lines == 180
    assert sorted(p.name for p in folder.parent.iterdir()) == ["lm", "text.txt"]
    tokeniser, network = AutoTokenizer.from_pretrained(str(folder)), AutoModelForCausalLM.from_pretrained(str(folder))
    assert tokeniser.eos_token == END
    ids = tokeniser('"', return_tensors="pt", add_special_tokens=False)["input_ids"]
    assert ids.shape == (1, 1)
    with torch.no_grad():
        scores = network(input_ids=ids).logits[0, -1]
    # every sentence of the text begins so
    assert tokeniser.decode([int(scores.argmax())]) == "the"


def test_equal_seeds_give_equal_weights(made, tmp_path):
    from safetensors.torch import load_file

    folder, found, text = made
    again = pretrain_causal([text], tmp_path / "lm", RECIPE, device="cpu", precision="fp32")
    assert again.loss == found.loss
    one, two = (load_file(f / "model.safetensors") for f in (folder, tmp_path / "lm"))
    assert all(torch.equal(tensor, two[name]) for name, tensor in one.items())


def test_what_cannot_be_done_is_refused_and_leaves_nothing(made, tmp_path):
    folder, _, _ = made
    short = write_documents(tmp_path / "short.txt", documents(1, lines=2))
    with pytest.raises(DataError, match="exists already"):
        pretrain_causal([short], folder, RECIPE)
    with pytest.raises(DataError, match="too few for rows of 32"):
        pretrain_causal([short], tmp_path / "lm", RECIPE)
    assert [p.name for p in tmp_path.iterdir()] == ["short.txt"]
    with pytest.raises(ValueError, match="cannot be divided among 3 heads"):
        CausalRecipe(width=32, heads=3)
