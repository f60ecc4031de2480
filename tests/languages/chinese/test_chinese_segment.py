"""How the segmenter is learnt: runs and tags, the field against a slow one, what is kept, and what is never cut."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from harness.parsing.treebank import Sentence
from languages.chinese.segment.crf import CrfSettings, Field, train, write
from languages.chinese.segment.features import build, index, keep
from languages.chinese.segment.guard import guarded
from languages.chinese.segment.learn import SegmenterSettings, learn
from languages.chinese.segment.runs import begins, f1, places, runs_of

WORDS = ("我们", "他", "图书馆", "去", "学习", "喜欢", "音乐老师", "今天")
RUNS = [(a, "去", b, "。") for a in WORDS for b in WORDS] + [(a, b) for a in WORDS for b in WORDS]


def sentence(words, spaces):
    n = len(words)
    return Sentence(words, spaces, ("X",) * n, ("",) * n, (-1,) + (0,) * (n - 1), ("root",) + ("dep",) * (n - 1))


def test_runs_end_at_blanks():
    found = list(runs_of([sentence(("我", "用", "Mac", "吧", "a b", "好"), (False, True, True, False, False, False))]))
    assert found == [("我", "用"), ("Mac",), ("吧",), ("好",)]


@given(st.lists(st.text("去来我", min_size=1, max_size=6), min_size=1, max_size=6))
def test_tags_tell_where_words_begin(words):
    starts = [i for i, start in enumerate(begins(places(words))) if start]
    text = "".join(words)
    assert [text[a:b] for a, b in itertools.pairwise([*starts, len(text)])] == words


def test_f1_counts_words():
    gold = begins(places(["我们", "去", "图书馆"]))
    assert f1([gold], [gold]) == 100
    # one of three wanted, one of four found
    assert f1([gold], [begins(places(["我", "们", "去", "图书馆"]))]) == pytest.approx(200 * 2 / 7)


def test_the_field_against_all_paths():
    torch.manual_seed(0)
    field = Field(4)
    torch.nn.init.normal_(field.weights.weight)
    torch.nn.init.normal_(field.transitions)
    bags = [[0, 1], [2], [0, 3], [1], [2, 3]]
    rows = [(bags[:3], [0, 4, 3]), (bags[3:], [1, 1])]
    flat = torch.tensor([i for bag in bags for i in bag])
    offsets = torch.tensor([0, 2, 3, 5, 6])
    tags, real = torch.tensor([[0, 4, 3], [1, 1, 0]]), torch.tensor([[True] * 3, [True, True, False]])
    weights, moves = field.weights.weight.detach().numpy(), field.transitions.detach().numpy()

    def score(row, path):
        total = sum(weights[i, tag] for bag, tag in zip(row, path, strict=True) for i in bag)
        return total + sum(moves[a, b] for a, b in itertools.pairwise(path))

    slow = sum(
        math.log(sum(math.exp(score(row, path)) for path in itertools.product(range(5), repeat=len(row))))
        - score(row, path_of)
        for row, path_of in rows
    )
    assert float(field(flat, offsets, tags, real).detach()) == pytest.approx(slow, rel=1e-5)


def test_pkuseg_decodes_what_was_learnt(tmp_path):
    pkuseg = pytest.importorskip("spacy_pkuseg")
    extractor = build(RUNS, rare=1)
    data = [(index(extractor, "".join(run)), places(run)) for run in RUNS]
    weights, transitions = train(data, len(extractor.feature_to_idx), CrfSettings(epochs=4), np.random.default_rng(0))
    write(tmp_path, extractor, weights, transitions)
    model = pkuseg.pkuseg(str(tmp_path), user_dict=None)
    for run in RUNS[:20]:
        assert tuple(model.cut("".join(run))) == run
    # half of the features still open, and cut the same here
    chosen = np.sort(np.argsort(-np.abs(weights).max(axis=1))[: len(weights) // 2])
    chosen[0] = 0
    keep(extractor, chosen)
    write(tmp_path / "small", extractor, weights[chosen], transitions)
    small = pkuseg.pkuseg(str(tmp_path / "small"), user_dict=None)
    assert "".join(small.cut("我们去图书馆。")) == "我们去图书馆。"
    assert (tmp_path / "small" / "weights.npz").stat().st_size < (tmp_path / "weights.npz").stat().st_size


def test_learning_from_trees(tmp_path):
    gold = [sentence(run, (False,) * len(run)) for run in RUNS]
    settings = SegmenterSettings(rare=1, features=300)
    about = learn(gold, gold[:10], tmp_path, settings=settings, seed=0, report=lambda *_: None)
    assert about["f1"] > 95
    assert about["features"] <= 300


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("GPT-4比iPhone", "GPT-4 比 iPhone"),
        ("Pro好 ！", "Pro 好 ！"),
        ("😀,3.14%", "😀 , 3.14%"),
        ("n ǐ hǎo 你", "nǐhǎo 你"),
        ('说 : "好" …', '说 : " 好 " …'),
        ("…… —— ！！", "…… —— ！！"),
        ("👨‍👩‍👧👍🏽好", "👨‍👩‍👧 👍🏽 好"),
        ("2004 年 第3 月", "2004 年 第3 月"),
        ("我们 去", "我们 去"),
    ],
)
def test_the_guard(words, expected):
    found = guarded(words.replace(" ", ""), words.split())
    assert found == expected.split()


@given(st.lists(st.text(st.sampled_from("我去3a.,😀\u0301\u200d-！é"), min_size=1, max_size=4), min_size=1, max_size=6))
def test_the_guard_loses_nothing(words):
    found = guarded("".join(words), words)
    assert "".join(found) == "".join(words)
    assert all(found)
