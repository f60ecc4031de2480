"""The parser that ships with the Chinese pack: small, licensed, right about plain sentences, and never at a loss."""

from __future__ import annotations

import json

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.protocols.scripts import is_unspaced
from languages.chinese import load

PACK = load()
FOLDER = PACK.folder / "parser"


def parsed(text):
    (doc,) = PACK.parse([text])
    return doc


def test_it_is_small_and_has_forgotten_what_it_read():
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < 9_000_000
    strings = json.loads((FOLDER / "vocab" / "strings.json").read_text(encoding="utf-8"))
    assert {"nsubj:pass", "aux"} <= set(strings)
    assert len(strings) < 2_500


def test_licence_and_origin_are_written_down():
    meta = json.loads((FOLDER / "meta.json").read_text(encoding="utf-8"))
    assert meta["license"] == "CC BY-SA 4.0"
    assert meta["performance"]["dev"]["tokens"] >= 92
    assert meta["performance"]["dev"]["uas"] >= 62
    assert any("UD_Chinese-GSDSimp" in source["name"] for source in meta["sources"])
    assert "augbench train-parser chinese" in (FOLDER / "PROVENANCE.md").read_text(encoding="utf-8")
    assert "CC BY-SA 4.0" in PACK.licences["parser/"]


def test_it_is_an_ordinary_pipeline():
    nlp = spacy.load(FOLDER)
    assert nlp.pipe_names == ["tok2vec", "morphologizer", "tagger", "parser"]
    text = "孩子们在公园里踢足球。"
    assert [(t.text, t.dep_, t.head.i) for t in nlp(text)] == [(t.text, t.dep_, t.head.i) for t in parsed(text)]


@pytest.mark.parametrize(
    ("text", "words", "root"),
    [
        ("孩子在公园里踢足球。", "孩子 在 公园 里 踢 足球 。", "踢"),
        ("老师批评了他。", "老师 批评 了 他 。", "批评"),
        ("这座桥是工人建造的。", "这 座 桥 是 工人 建造 的 。", None),
    ],
)
def test_plain_sentences(text, words, root):
    doc = parsed(text)
    assert [token.text for token in doc] == words.split()
    assert len(list(doc.sents)) == 1
    if root is not None:
        assert [token.text for token in doc if token.dep_ == "ROOT"] == [root]


def test_subjects_and_objects():
    doc = parsed("他喜欢音乐。")
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "obj", "punct"]
    assert [token.pos_ for token in doc] == ["PRON", "VERB", "NOUN", "PUNCT"]


def test_traditional_text_is_read_as_simplified_and_stays():
    traditional, simple = "孩子們在圖書館裡讀書。", "孩子们在图书馆里读书。"
    ours, theirs = parsed(traditional), parsed(simple)
    assert ours.text == traditional
    assert [len(t) for t in ours] == [len(t) for t in theirs]
    assert [(t.pos_, t.tag_, t.dep_, t.head.i) for t in ours] == [(t.pos_, t.tag_, t.dep_, t.head.i) for t in theirs]
    assert [t.norm_ for t in ours] == [t.norm_ for t in theirs]


def test_stored_documents_know_their_simplified_form():
    docs = list(PACK.parse(["他們讀書。", "", "我  很好", "\t他們"]))
    again = PACK.load_docs(PACK.store_docs(docs), [0, 2, 3])
    assert [doc.text for doc in again] == ["他們讀書。", "我  很好", "\t他們"]
    assert [t.norm_ for t in again[0]] == [t.norm_ for t in docs[0]]
    assert [(t.dep_, t.head.i, t.pos_) for t in again[2]] == [(t.dep_, t.head.i, t.pos_) for t in docs[3]]


BAD = {
    "empty": "",
    "blanks": " \t\n\u3000 ",
    "half-width marks": '他说:"好,我去."然后走了!',
    "mixed scripts": "我用GPT-4写Python3代码，版本是3.12.1，效率提高50%！",
    "emoji": "太好了👍🏽👨‍👩‍👧！！！😀😀",
    "pinyin": "nǐ hǎo 就是你好",
    "tabs": "姓名\t年龄\r\n小王\t12",
    "full width": "ＡＢＣ　１２３！？",
    "kana": "東京タワーへ行きました。",
    "zero width": "你\u200b好\ufeff吗",
    "rare": "𠀀𠮷野家的牛肉饭",
    "controls": "a\x00b\x1f你\x85好\u2028吗",
    "half a quotation": "“他说（",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_any_text_stays_as_it_is(text):
    doc = parsed(text)
    assert doc.text == text
    tokens = [token.text for token in doc]
    assert [token.text for token in PACK.tokenise(text)] == tokens
    for token in doc:
        assert token.is_space == (token.pos_ == "SPACE")
        letters = {is_unspaced(c) for c in token.text if c.isalpha()}
        assert len(letters) < 2, f"two scripts in one word: {token.text}"


@settings(max_examples=60, deadline=None)
@given(
    st.text(
        st.one_of(st.characters(exclude_categories=("Cs",)), st.sampled_from("我們没不了，。 \t3a.\u3000")), max_size=25
    )
)
def test_any_characters(text):
    assert parsed(text).text == text


@pytest.mark.parametrize("text", ["他们不去。" * 2_000, "爱" * 10_000, "。" * 10_000, "我 " * 5_000, "😀" * 10_000])
def test_long_lines(text):
    assert parsed(text).text == text


def test_parses_do_not_depend_on_the_batch():
    texts = ["他没收到信。", "", "誰寫了這封信？", "\t好", "今天天气很好，我们去公园吧。"]
    alone = [parsed(text).to_json() for text in texts]
    assert [doc.to_json() for doc in PACK.parse(texts)] == alone
    assert [doc.to_json() for doc in PACK.parse(texts[::-1] * 3)][::-1][: len(texts)] == alone


def test_tokens_need_no_weights(tmp_path):
    fresh = load()
    texts = ["他没收到信，iPhone15坏了。", "我們去"]
    assert [[t.text for t in doc] for doc in fresh.tokenise_all(texts)] == [
        [t.text for t in d] for d in PACK.parse(texts)
    ]
    assert "pipeline" not in fresh.__dict__
    assert fresh.words("他去，OK！") == ["他", "去", "ok"]
    found = fresh.fingerprint()
    assert {"weights", "spacy", "spacy-pkuseg", "parser"} <= found.keys()
