"""The tokeniser over our own pieces: BERT's, in a folder that others can load, and the ids of many lines at once."""

from __future__ import annotations

import numpy as np
import pytest
from transformers import AutoTokenizer

from harness.pretraining.pieces import SPECIAL
from harness.pretraining.tokeniser import encode_lines, make_tokeniser

PIECES = [*SPECIAL, *"abcdefé我爱中", *(f"##{c}" for c in "abcdefé"), "cafe", "café", "##ed", "."]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokeniser") / "made"
    make_tokeniser(PIECES, folder, lowercase=True, limit=24)
    return folder


@pytest.fixture(scope="module")
def tokeniser(folder):
    return AutoTokenizer.from_pretrained(str(folder))


def test_pieces_keep_their_numbers(tokeniser):
    assert tokeniser.convert_tokens_to_ids(PIECES) == list(range(len(PIECES))) == list(range(len(tokeniser)))
    names = [getattr(tokeniser, f"{name}_token") for name in ("pad", "unk", "cls", "sep", "mask")]
    assert names == list(SPECIAL)


def test_auto_tokenizer_loads_the_same(folder, tokeniser):
    assert tokeniser.is_fast
    assert tokeniser.model_max_length == 24
    assert (folder / "vocab.txt").read_text(encoding="utf-8").splitlines() == PIECES
    ids, _ = encode_lines(tokeniser, ["Faced a decade."])
    assert tokeniser("Faced a decade.")["input_ids"] == [2, *ids.tolist(), 3]
    cut = tokeniser("a " * 50, truncation=True)["input_ids"]
    assert len(cut) == 24


def test_ids_round_trip(tokeniser):
    ids, _ = encode_lines(tokeniser, ["a faced cafe."])
    assert tokeniser.convert_ids_to_tokens(ids.tolist()) == ["a", "f", "##a", "##c", "##ed", "cafe", "."]
    assert tokeniser.decode(ids.tolist()) == "a faced cafe."


def test_accents_go_with_the_case(folder, tokeniser, tmp_path):
    assert tokeniser.tokenize("CAFÉ Café cafe") == ["cafe"] * 3
    make_tokeniser(PIECES, tmp_path, lowercase=False, limit=24)
    cased = AutoTokenizer.from_pretrained(str(tmp_path))
    assert cased.tokenize("café cafe Cafe") == ["café", "cafe", "[UNK]"]


def test_chinese_characters_stand_alone(tokeniser):
    assert tokeniser.tokenize("我爱abed中国") == ["我", "爱", "a", "##b", "##ed", "中", "[UNK]"]


def test_where_lines_end(tokeniser):
    lines = ["a", "", "faced", "我爱中", "   ", "zz"]
    ids, ends = encode_lines(tokeniser, lines)
    assert ids.dtype == np.uint16
    assert ends.dtype == np.int64
    assert ends.tolist() == [1, 1, 5, 8, 8, 9]
    assert ids[-1] == 1


def test_more_lines_than_are_encoded_at_once(tokeniser):
    lines = ["a " * (i % 5) + "cafe" for i in range(4_096 + 3)]
    ids, ends = encode_lines(tokeniser, lines)
    assert np.diff(ends, prepend=0).tolist() == [i % 5 + 1 for i in range(len(lines))]
    assert (ids[ends - 1] == PIECES.index("cafe")).all()
    assert ends[-1] == len(ids)


def test_no_lines(tokeniser):
    ids, ends = encode_lines(tokeniser, [])
    assert (len(ids), len(ends)) == (0, 0)
    assert (ids.dtype, ends.dtype) == (np.uint16, np.int64)
