"""What the battery looks at is hard, in the language and script of the pack, and always the same."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import stub_pack
from broken_packs import battery
from stub_pack import SENTENCES, Bang, Stub

from harness.conformance.language import check_language_pack
from harness.conformance.subject import Subject
from harness.conformance.texts import alphabet_of, random_texts, script_texts, strange_sentences
from harness.protocols import Change, Edit


@pytest.fixture
def folder(tmp_path):
    return stub_pack.write_pack(tmp_path)


def test_the_texts_are_hard(folder):
    texts = Subject(Stub(folder)).texts
    every = "".join(texts.values())
    assert "" in texts.values()
    assert {len(text) for text in texts.values()} >= {0, 1, 10_000}
    assert any(text.isspace() for text in texts.values())
    for character in ("\x00", "\u200b", "\u202b", "🔥", "東", "ש", "م", "\u0301", "\U0010ffff", "\u2028"):
        assert character in every
    assert any("https://" in text for text in texts.values())
    assert SENTENCES[0].upper() in texts.values()
    assert SENTENCES[0].lower() in texts.values()
    assert len({ord(c) for c in every}) > 2_000
    every.encode()  # no half surrogate pairs: those are not text
    assert texts == Subject(Stub(folder)).texts


def test_ordinary_sentences_can_be_given(folder):
    pack = Stub(folder)
    given = dict(check_language_pack(pack, sentences=["Only this one."]))
    given["bang: an edit is its changes"]()
    assert list(Subject(pack, ["Only this one."]).plain.values()) == ["Only this one."]


def test_a_pack_brings_texts_of_its_own(folder):
    class Challenging(Stub):
        def challenges(self):
            return {"elision": "l'eau"}

    class Thirsty(Bang):
        def apply(self, doc, rng):
            if doc.text == "l'eau":
                raise IndexError("no water")
            return super().apply(doc, rng)

    pack = Challenging(folder)
    pack.own = {"bang": Thirsty}
    with pytest.raises(AssertionError, match=r"3 crashes; challenge: elision .*no water"):
        battery(pack)["bang: never crashes"]()


CHINESE = ["我昨天买了一本新书。", "他不喜欢喝咖啡，也不喝茶！", "这列火车几点到北京？"]


def test_texts_are_in_the_script_of_the_sentences():
    letters = set("".join(CHINESE))
    assert set(alphabet_of(CHINESE)) == letters
    for text in random_texts(30, alphabet=alphabet_of(CHINESE)).values():
        assert set(text) <= letters | {" "}
    texts = script_texts(CHINESE)
    assert len(texts["a long line of sentences"]) == len(texts["a long line of letters without blanks"]) == 10_000
    for name in ("a long line of sentences", "a long line of letters without blanks", "one letter over and over"):
        assert set(texts[name]) <= letters  # no blank was put between
    assert "iPhone" in texts["a sentence with Latin words"]
    assert script_texts([]) == {}
    assert script_texts(["..."]) == {}


def test_sentences_without_blanks_are_made_strange_by_their_tokens():
    texts = strange_sentences(CHINESE[:1], [["我", "昨天", "买", "了", "一", "本", "新书", "。"]])
    assert texts["sentence 0 backwards"] == "。新书本一了买昨天我"
    assert texts["sentence 0 with blanks between tokens"] == "我 昨天 买 了 一 本 新书 。"
    assert texts["sentence 0 with narrow marks"] == "我昨天买了一本新书."
    assert texts["sentence 0 without its end"] == "我昨天买了一本新书"
    assert CHINESE[0] not in texts.values()
    plain = strange_sentences(["He left, then."])
    assert plain["sentence 0 with wide marks"] == "He left， then。"
    assert plain["sentence 0 without blanks"] == "Heleft,then."
    assert plain["sentence 0 backwards"] == "then. left, He"


class Commas(Bang):
    """Puts a comma behind every second token, or, `inside`, inside of the first."""

    inside = False

    def apply(self, doc, rng):
        if self.inside:
            return Edit.of(doc, [Change("replace", 0, 1, f"{doc[0].text[:1]}，{doc[0].text[1:]}")])
        return Edit.of(doc, [Change("insert", i, i, "，") for i in range(1, len(doc), 2)])


def test_marks_between_words_without_blanks_are_no_change_of_words(folder):
    from spacy.tokens import Doc

    from harness.conformance.operators import _unpunctuated

    def kept(words, operator, spaces=None):
        doc = Doc(Stub(folder).pipeline.vocab, words=words, spaces=spaces or [False] * len(words))
        return _unpunctuated(doc.text, doc) == _unpunctuated(operator().apply(doc, None).text, doc)

    class Inside(Commas):
        inside = True

    assert kept(["昨天", "我", "买", "了", "iPhone", "和", "书", "。"], Commas)
    assert not kept(["昨天", "我", "买", "了"], Inside)
    assert kept(["ฉัน", "รัก", "ภาษา"], Commas)
    # a script with blanks: what the tokeniser cuts is still one word
    assert not kept(["do", "n't", "go"], Commas, [False, True, False])
    assert kept(["do", "not", "go"], Commas, [True, True, False])
