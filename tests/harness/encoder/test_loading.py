"""What is refused, and that the refusal says what to do."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from harness.encoder import fingerprint, load_masked_lm, load_model, load_text_encoder, load_tokenizer, locate
from harness.errors import EncoderError


@pytest.fixture
def copy(tiny_encoder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_encoder, tmp_path / "copy"))


def test_wrong_path_names_the_path_and_what_is_expected():
    with pytest.raises(EncoderError, match=r"\./nowhere.*does not exist.*config\.json"):
        locate("./nowhere")


def test_hub_id_offline_says_how_to_go_on():
    with pytest.raises(EncoderError, match="--encoder PATH"):
        locate("no-such-model-xyz")


def test_a_file_is_not_a_folder(tiny_encoder):
    with pytest.raises(EncoderError, match="is a file"):
        locate(str(tiny_encoder / "config.json"))


def test_pickled_weights_are_refused(copy):
    (copy / "model.safetensors").rename(copy / "pytorch_model.bin")
    with pytest.raises(EncoderError, match=r"pytorch_model\.bin.*pickled.*save_pretrained"):
        locate(str(copy))


def test_no_weights_at_all(copy):
    (copy / "model.safetensors").unlink()
    with pytest.raises(EncoderError, match="no weights"):
        locate(str(copy))


@pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
def test_code_in_the_folder_is_refused(copy, file):
    config = json.loads((copy / file).read_text())
    config["auto_map"] = {"AutoModel": "evil.Model"}
    (copy / file).write_text(json.dumps(config))
    with pytest.raises(EncoderError, match="auto_map"):
        locate(str(copy))


def test_no_tokenizer(copy):
    for name in ("tokenizer.json", "vocab.txt"):
        (copy / name).unlink(missing_ok=True)
    with pytest.raises(EncoderError, match="no tokenizer"):
        load_tokenizer(str(copy))


def test_broken_json_and_broken_weights(copy):
    (copy / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(EncoderError, match="cannot be loaded"):
        load_model(str(copy))
    (copy / "config.json").write_text("{")
    with pytest.raises(EncoderError, match="not valid JSON"):
        locate(str(copy))


def test_a_tokenizer_of_another_model_is_noticed(copy):
    vocabulary = [f"word{i}" for i in range(500)]
    tokenizer = load_tokenizer(str(copy))
    tokenizer.add_tokens(vocabulary)
    tokenizer.save_pretrained(copy)
    with pytest.raises(EncoderError, match="do not belong together"):
        load_text_encoder(str(copy))


def test_dropout_is_replaced_everywhere(tiny_encoder):
    model = load_model(str(tiny_encoder), dropout=0.25)
    rates = {m.p for m in model.modules() if isinstance(m, torch.nn.Dropout)}
    assert rates == {0.25}


def test_fingerprint_is_of_the_content_only(copy, tmp_path):
    before = fingerprint(str(copy))
    other = Path(shutil.copytree(copy, tmp_path / "elsewhere"))
    (other / "README.md").write_text("a card")
    assert fingerprint(str(other)) == before
    config = json.loads((other / "config.json").read_text())
    (other / "config.json").write_text(json.dumps({**config, "layer_norm_eps": 1e-3}))
    assert fingerprint(str(other)) != before


def test_masked_lm_is_found_in_the_weights_not_guessed(tiny_encoder, tiny_mlm):
    assert not load_masked_lm(str(tiny_encoder)).available
    filler = load_masked_lm(str(tiny_mlm))
    assert filler.available
    assert filler.pieces("cat") == 1
    assert filler.pieces("xyz") == 3
    first, second, third = filler.fill(["the [MASK] sits on the [MASK]", "no mask here", "[MASK]"])
    assert (len(first), len(second), len(third)) == (2, 0, 1)
    assert not set(first + third) & {"[PAD]", "[CLS]", "[SEP]", "[MASK]", "[UNK]"}
    assert filler.join(["x", "##y", "##z"]) == "xyz"
    assert filler.fingerprint() == fingerprint(str(tiny_mlm))
