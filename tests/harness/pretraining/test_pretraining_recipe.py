"""The whole way: text in, an encoder and its provenance out; stopped, prolonged, replaced."""

from __future__ import annotations

import shutil

import pytest
from pretraining_fakes import documents, tiny_recipe, write_documents
from safetensors.torch import load_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from harness.data.folder import DataFolder
from harness.encoder.embedder import open_embedder
from harness.errors import TrainingError, UsageError
from harness.pretraining.recipe import check_out, pretrain_encoder, work_folder

RECIPE = tiny_recipe(tokens=2_000)


def make(folder, out, *, recipe=RECIPE, name="text.txt", data=None, **more):
    given = {"language": "en", "command": "augbench pretrain …", "licence": "CC0", **more}
    usual = {"device": "cpu", "precision": "fp32", "data": data}
    return pretrain_encoder([folder / name], out, recipe, **{**usual, **given})


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with text, test sets that share a line with it, and an encoder made from it."""
    root = tmp_path_factory.mktemp("recipe-of-mine")
    texts = documents(40)
    write_documents(root / "text.txt", texts)
    write_documents(root / "other.txt", documents(40, seed=1))
    sets = root / "data" / "sts" / "en" / "Toy"
    sets.mkdir(parents=True)
    (sets / "test.tsv").write_text(f"1.0\t{texts[0][0]}\tx\n")
    made = make(root, root / "deep" / "encoder", data=DataFolder(root / "data"), sources=["Toys, by me (CC0)"])
    assert made.prepared.removed >= 1
    assert made.story["step"] > 10
    return root


@pytest.fixture
def copy(root, tmp_path):
    """A copy of all that, to work on."""
    return shutil.copytree(root, tmp_path / "copy")


def weights(out):
    return {name: tensor.numpy().tobytes() for name, tensor in load_file(out / "model.safetensors").items()}


@pytest.mark.slow
def test_an_encoder_that_others_load(root):
    out = root / "deep" / "encoder"
    model, told = AutoModelForMaskedLM.from_pretrained(out, output_loading_info=True)
    assert not told["missing_keys"]
    assert model.config.num_hidden_layers == 1
    assert AutoTokenizer.from_pretrained(out).tokenize("The CAT!")[:2] == ["the", "cat"]
    assert open_embedder(str(out), pooler="avg", precision="fp32", device="cpu").encode(
        ["The cat sees a dog."]
    ).shape == (1, 16)


def test_provenance_names_files_and_no_paths(root):
    out = root / "deep" / "encoder"
    text = (out / "PROVENANCE.md").read_text(encoding="utf-8")
    assert "| text.txt | 120 |" in text
    assert "augbench pretrain …" in text
    assert "Licence: CC0" in text
    assert "- Toys, by me (CC0)" in text
    assert "| sts/en/Toy | 2 | 1 | 0 |" in text
    assert "held-out loss" in text
    assert "rate 0.005" in text
    assert "device cpu (as asked); precision fp32 (as asked)" in text
    everything = "".join(f.read_bytes().decode("utf-8", "replace") for f in out.iterdir())
    assert root.name not in everything
    assert str(root) not in everything
    assert (out / "curve.tsv").read_text().startswith("step\tpieces\tloss\n")


def test_no_test_sentences_were_looked_for(root, tmp_path):
    shutil.copyfile(root / "text.txt", tmp_path / "text.txt")
    make(tmp_path, tmp_path / "made", recipe=tiny_recipe(tokens=100))
    assert "**not** compared with any test set" in (tmp_path / "made" / "PROVENANCE.md").read_text()


def test_a_card_written_by_hand_survives(copy):
    out = copy / "deep" / "encoder"
    (out / "README.md").write_text("by hand")
    before = weights(out)
    make(copy, out, recipe=RECIPE.model_copy(update={"tokens": 3_000}), data=DataFolder(copy / "data"))
    assert (out / "README.md").read_text() == "by hand"
    assert weights(out) != before
    assert not (work_folder(out) / "encoder").exists()


def test_the_same_again_from_the_start(copy):
    out = copy / "deep" / "encoder"
    again = copy / "again"
    make(copy, again, data=DataFolder(copy / "data"))
    assert weights(again) == weights(out)
    assert (again / "tokenizer.json").read_bytes() == (out / "tokenizer.json").read_bytes()


def test_stopped_and_resumed(copy):
    def stop(done, total, scalars):
        if done > 1_000:
            raise KeyboardInterrupt

    out = copy / "stopped"
    with pytest.raises(KeyboardInterrupt):
        make(copy, out, data=DataFolder(copy / "data"), progress=stop)
    assert not out.exists()
    make(copy, out, data=DataFolder(copy / "data"))
    assert weights(out) == weights(copy / "deep" / "encoder")


def test_other_settings_in_the_same_folder(copy):
    with pytest.raises(TrainingError, match="made with other settings"):
        make(copy, copy / "deep" / "encoder", recipe=RECIPE.model_copy(update={"rate": 0.1}))


def test_other_text_in_the_same_folder(copy):
    out = copy / "deep" / "encoder"
    with pytest.raises(TrainingError, match="other"):
        make(copy, out, name="other.txt", data=DataFolder(copy / "data"))


def test_what_is_in_the_way(tmp_path):
    check_out(tmp_path / "new")
    check_out(tmp_path)  # empty
    (tmp_path / "notes.txt").write_text("mine")
    for out in (tmp_path, tmp_path / "notes.txt"):
        with pytest.raises(UsageError, match="exists and is no encoder; give another --out, or remove it"):
            make(tmp_path, out, name="notes.txt")
    assert not work_folder(tmp_path).exists()
    (tmp_path / "config.json").write_text("{}")
    check_out(tmp_path)
