from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from toy_pack import toy

from harness.adapters import SentenceTransformerEmbedder, as_embedder
from harness.diagnostics.attention import (
    Attention,
    cls_attention,
    model_behind,
    negation_attention,
    word_spans,
    words_with_weights,
)
from harness.diagnostics.negation_words import NegationWords, negation_words
from harness.encoder import open_embedder
from harness.errors import Skipped

TEXTS = [
    "the dog is not on the mat",
    "a cat sits",
    "we never sells the old red book today and tomorrow",
    "not",
    "xyz not, who!",
]


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    return toy(tmp_path_factory.mktemp("toy"))


@pytest.fixture(params=["tiny_encoder", "tiny_roberta"])
def embedder(request):
    return open_embedder(str(request.getfixturevalue(request.param)), pooler="avg")


def by_hand(model, tokenizer, text: str) -> np.ndarray:
    """The last layer's softmax, computed from the hidden states one layer below it; pieces of the text, renormalised."""
    ids = tokenizer(text, return_tensors="pt", return_special_tokens_mask=True)
    layer = model.encoder.layer[-1].attention.self
    with torch.no_grad():
        below = model(ids["input_ids"], attention_mask=ids["attention_mask"], output_hidden_states=True).hidden_states[
            -2
        ][0]
        query, key = layer.query(below), layer.key(below)
    heads, size = layer.num_attention_heads, layer.attention_head_size
    rows = []
    for head in range(heads):
        part = slice(head * size, (head + 1) * size)
        logits = (key[:, part] @ query[0, part]).double().numpy() / np.sqrt(size)
        weights = np.exp(logits - logits.max())
        rows.append(weights / weights.sum())
    text_pieces = ids["special_tokens_mask"][0].numpy() == 0
    mean = np.mean(rows, axis=0)[text_pieces]
    return mean / mean.sum()


def test_weights_are_those_of_a_softmax_by_hand(embedder):
    model, tokenizer, length = model_behind(embedder)
    found = cls_attention(model, tokenizer, TEXTS, max_length=length)
    for text, attention in zip(TEXTS, found, strict=True):
        np.testing.assert_allclose(attention.weights, by_hand(model, tokenizer, text), atol=1e-5)
        assert len(attention.spans) == len(attention.weights)


def test_the_encoder_is_left_as_it_was(embedder):
    before, setting = embedder.encode(TEXTS), embedder.encoder.model.config._attn_implementation
    embedder.encoder.model.train()
    model, tokenizer, length = model_behind(embedder)
    cls_attention(model, tokenizer, TEXTS, max_length=length)
    assert model.config._attn_implementation == setting != "eager"
    assert model.training
    model.eval()
    np.testing.assert_array_equal(embedder.encode(TEXTS), before)


def test_words_ratio_and_ranks_by_hand():
    text = "Do n't, go"
    pieces = Attention(np.array([0.1, 0.2, 0.1, 0.2, 0.4]), np.array([[0, 2], [3, 4], [4, 6], [6, 7], [7, 10]]))
    tokens = [("Do", 0, 2), ("n't", 3, 6), ("go", 8, 10)]  # the comma is no word; the last piece brings its blank along
    found = words_with_weights(text, pieces, tokens, NegationWords(["n't"]))
    assert found.words == ("Do", "n't", "go")
    np.testing.assert_allclose(found.weights, [0.1, 0.15, 0.4])
    assert found.negative.tolist() == [False, True, False]
    assert found.ratio == pytest.approx(0.3 / (2 / 5))
    assert found.ranks.tolist() == [2.0]


def test_equal_weights_share_a_rank_and_have_ratio_one():
    pieces = Attention(np.full(3, 1 / 3), np.array([[0, 1], [2, 5], [6, 7]]))
    found = words_with_weights("a not b", pieces, [("a", 0, 1), ("not", 2, 5), ("b", 6, 7)], NegationWords(["not"]))
    assert found.ranks.tolist() == [2.0]
    assert found.ratio == pytest.approx(1.0)


def test_a_negation_that_was_cut_off_or_is_not_there_is_none():
    pieces = Attention(np.array([1.0]), np.array([[0, 1]]))
    tokens = [("a", 0, 1), ("not", 2, 5)]
    assert words_with_weights("a not", pieces, tokens, NegationWords(["not"])) is None
    assert words_with_weights("a not", pieces, tokens, NegationWords(["no"])) is None
    assert words_with_weights("!", Attention(np.array([1.0]), np.array([[0, 1]])), [], NegationWords(["not"])) is None
    assert words_with_weights("", Attention(np.zeros(0), np.zeros((0, 2))), [], NegationWords(["not"])) is None


def test_texts_come_back_in_order_and_the_limit_holds(embedder, pack):
    found = negation_attention(embedder, TEXTS, pack, negation_words(pack))
    assert [None if one is None else "not" in one.words or "never" in one.words for one in found] == [
        True,
        None,
        True,
        True,
        True,
    ]
    assert found[0].words == ("the", "dog", "is", "not", "on", "the", "mat")
    assert found[3].ratio == pytest.approx(1.0)  # one word has everything
    embedder.max_length = 4
    assert negation_attention(embedder, TEXTS, pack, negation_words(pack))[0] is None


def test_words_are_found_where_they_stand(pack):
    texts = ["Don't  go,  not now.", "他不去", "", "  a"]
    for text, tokens in zip(texts, word_spans(texts, pack), strict=True):
        assert all(text[start:end] == word for word, start, end in tokens)
    assert [word for word, _, _ in next(word_spans(texts, pack))] == ["Do", "n't", "go", "not", "now"]


def test_what_has_no_attention_says_so(tiny_encoder):
    function = as_embedder(lambda texts: np.zeros((len(texts), 2)))
    with pytest.raises(Skipped, match=r"has no attention to look at; this task needs a transformer encoder"):
        model_behind(function)

    class Bag:
        def encode(self, texts, *, progress=False):
            return np.zeros((len(texts), 2))

    with pytest.raises(Skipped, match="Bag has no attention"):
        model_behind(Bag())

    class Changed(Bag):
        embedder = open_embedder(str(tiny_encoder), pooler="avg")

    assert model_behind(Changed())[0] is Changed.embedder.encoder.model


def test_a_model_without_eager_attention_or_cls_says_so(tiny_encoder):
    model, tokenizer, length = model_behind(open_embedder(str(tiny_encoder), pooler="avg"))
    with pytest.raises(Skipped, match="Linear does not offer eager attention"):
        cls_attention(torch.nn.Linear(2, 2), tokenizer, ["a"], max_length=length)

    class Headless:
        cls_token_id = None

    with pytest.raises(Skipped, match=r"no \[CLS\] token"):
        cls_attention(model, Headless(), ["a"], max_length=length)


def test_sentence_transformers_are_looked_into(tiny_encoder):
    model, tokenizer, _ = model_behind(open_embedder(str(tiny_encoder), pooler="avg"))

    class Modules(list):
        max_seq_length = 32

    found = model_behind(SentenceTransformerEmbedder(Modules([SimpleNamespace(auto_model=model, tokenizer=tokenizer)])))
    assert found == (model, tokenizer, 32)
    with pytest.raises(Skipped, match="begins with object, which has no transformers model"):
        model_behind(SentenceTransformerEmbedder(Modules([object()])))
