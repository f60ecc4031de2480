"""The folder others load: the same numbers as the network's, in half precision, readable by all."""

from __future__ import annotations

import json
import os

import pytest
import torch
from pretraining_fakes import documents
from safetensors.torch import load_file
from transformers import AutoModel, AutoModelForMaskedLM, AutoTokenizer

from harness.pretraining.folder import write_curve, write_encoder
from harness.pretraining.network import make_network
from harness.pretraining.pieces import count_words, learn_pieces
from harness.pretraining.settings import Shape
from harness.pretraining.tokeniser import make_tokeniser


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A network, and the folder it was written to."""
    root = tmp_path_factory.mktemp("encoder")
    lines = [line for lines in documents(20) for line in lines]
    pieces = learn_pieces(count_words(lines, lowercase=True), 150)
    make_tokeniser(pieces, root / "tokeniser", lowercase=True, limit=32)
    shape = Shape(layers=2, width=16, heads=2, inner=32, positions=32)
    network = make_network(shape, len(pieces), 0, pad=0).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.linspace(-0.2, 0.3, parameter.numel()).view(parameter.shape))
    write_encoder(network, root / "tokeniser", root / "deep" / "made")
    return network, root / "deep" / "made"


@pytest.mark.parametrize(("kind", "missing"), [(AutoModelForMaskedLM, set()), (AutoModel, {"pooler"})])
def test_it_loads_without_a_missing_weight(written, kind, missing):
    model, told = kind.from_pretrained(written[1], output_loading_info=True)
    assert {name.split(".")[0] for name in told["missing_keys"]} == missing
    assert not told["mismatched_keys"]
    assert all(name.startswith("cls.") for name in told["unexpected_keys"])
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert model.config.dtype == torch.float32


def test_the_same_scores_as_the_network(written):
    network, folder = written
    batch = AutoTokenizer.from_pretrained(folder)(
        ["The cat sees a dog.", "a [MASK]"], padding=True, return_tensors="pt"
    )
    model = AutoModelForMaskedLM.from_pretrained(folder).eval()
    with torch.no_grad():
        found, hidden = model(**batch).logits, AutoModel.from_pretrained(folder).eval()(**batch).last_hidden_state
        exact = network(**batch).logits
        torch.testing.assert_close(found, exact, atol=0.05, rtol=0.01)  # half precision
        rounded = make_network(Shape(layers=2, width=16, heads=2, inner=32, positions=32), len(exact[0, 0]), 1, pad=0)
        rounded.load_state_dict({name: t.half().float() for name, t in network.state_dict().items()})
        torch.testing.assert_close(found, rounded.eval()(**batch).logits, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(hidden, rounded.bert(**batch).last_hidden_state, atol=1e-5, rtol=1e-5)
    assert not torch.equal(found, exact)


def test_what_is_stored(written):
    network, folder = written
    weights = load_file(folder / "model.safetensors")
    assert {tensor.dtype for tensor in weights.values()} == {torch.float16}
    assert sum(tensor.numel() for tensor in weights.values()) == sum(p.numel() for p in network.parameters())
    config = json.loads((folder / "config.json").read_text())
    assert config["architectures"] == ["BertForMaskedLM"]
    assert config["dtype"] == "float32"
    assert {"config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json"} == {
        file.name for file in folder.iterdir()
    }
    assert str(folder.parents[1]) not in "".join(f.read_text() for f in folder.glob("*.json"))


def test_who_may_read_it(written, tmp_path):
    plain = tmp_path / "plain"
    plain.write_text("")
    for file in written[1].iterdir():
        assert file.stat().st_mode == plain.stat().st_mode, file.name
    assert os.access(written[1] / "model.safetensors", os.R_OK)


def test_the_curve(tmp_path):
    write_curve(tmp_path, [[50, 1_000, 6.5], [100, 2_010, 6.25]])
    assert (tmp_path / "curve.tsv").read_text() == "step\tpieces\tloss\n50\t1000\t6.5\n100\t2010\t6.25\n"
