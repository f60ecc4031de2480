"""Shared fixtures: a tiny real encoder, and an environment in which nothing reaches the network or the user's cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# no deadline: CI machines are shared, and a test that depends on their speed says nothing
settings.register_profile("augbench", deadline=None)
settings.load_profile("augbench")

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
# pytest's processes inherit a terminal's width from each other (readline exports it); results are tested as in a pipe
os.environ.pop("COLUMNS", None)


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    before = os.environ.get("AUGBENCH_CACHE")
    os.environ["AUGBENCH_CACHE"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if before is None:
        del os.environ["AUGBENCH_CACHE"]
    else:
        os.environ["AUGBENCH_CACHE"] = before


WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "bird",
    "sits",
    "runs",
    "flies",
    "sleeps",
    "on",
    "under",
    "near",
    "mat",
    "house",
    "tree",
    "river",
    "and",
    "or",
    "but",
    "not",
    "red",
    "blue",
    "small",
    "large",
    "old",
    "new",
    "man",
    "woman",
    "child",
    "reads",
    "writes",
    "eats",
    "bread",
    "apple",
    "book",
    "letter",
    "every",
    "some",
    "no",
    "train",
    "bus",
    "car",
    "leaves",
    "arrives",
    "early",
    "late",
    "today",
    "tomorrow",
    "city",
    "village",
    "market",
    "sells",
    "buys",
    "fish",
    "cheese",
    "they",
    "we",
    "who",
    "is",
    "was",
    "has",
    "been",
    "will",
    "can",
]


def make_encoder(folder: Path, *, kind: str = "bert", mlm: bool = False, layers: int = 2, size: int = 32) -> Path:
    """Write a tiny encoder with a word-level WordPiece vocabulary, random weights from a fixed seed."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertModel, BertTokenizer, RobertaConfig, RobertaModel

    folder.mkdir(parents=True, exist_ok=True)
    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)] + list("0123456789.,;:?!'\"-()")
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *letters, *(f"##{c}" for c in letters)]
    vocabulary = list(dict.fromkeys(vocabulary))
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    tokenizer = BertTokenizer(str(folder / "vocab.txt"), do_lower_case=True, model_max_length=64)
    tokenizer.save_pretrained(folder)
    shape = {
        "vocab_size": len(vocabulary),
        "hidden_size": size,
        "num_hidden_layers": layers,
        "num_attention_heads": 4,
        "intermediate_size": 2 * size,
        "pad_token_id": 0,
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        if kind == "roberta":
            model = RobertaModel(RobertaConfig(max_position_embeddings=66, type_vocab_size=1, **shape))
        else:
            config = BertConfig(max_position_embeddings=64, **shape)
            model = (BertForMaskedLM if mlm else BertModel)(config)
        for parameter in model.parameters():  # the default init is so small that everything looks alike
            if parameter.dim() > 1:
                parameter.data.mul_(6)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 2-layer BERT folder without a masked-LM head."""
    return make_encoder(tmp_path_factory.mktemp("encoders") / "tiny")


@pytest.fixture(scope="session")
def tiny_mlm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 2-layer BERT folder with a masked-LM head."""
    return make_encoder(tmp_path_factory.mktemp("encoders") / "tiny-mlm", mlm=True)


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A 2-layer RoBERTa folder (position ids start behind the padding id)."""
    return make_encoder(tmp_path_factory.mktemp("encoders") / "tiny-roberta", kind="roberta")


@pytest.fixture(scope="session")
def sentences() -> list[str]:
    """120 different sentences of 3 to 12 words of the tiny vocabulary."""
    import random

    rng = random.Random(5)
    made: dict[str, None] = {}
    while len(made) < 120:
        made[" ".join(rng.choices(WORDS, k=rng.randint(3, 12)))] = None
    return list(made)
