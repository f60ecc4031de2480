"""Which lines may be learnt from when some sentences are not to be seen."""

from __future__ import annotations

from harness.parsing.held_out import keeps_out

WORDS = [f"word{n}" for n in range(40)]


def test_the_same_letters_are_the_same_sentence():
    stays = keeps_out(["The cat, it seems, sleeps."])
    assert not stays("the cat it seems -- sleeps!")
    assert stays("The cat, it seems, sleeps now.")


def test_short_sentences_give_nothing_away():
    stays = keeps_out(["Yes, it is.", "好的，谢谢你。"])
    assert stays("Yes it is")
    assert stays("好的，谢谢你。")


def test_a_run_of_thirteen_words_is_too_long():
    stays = keeps_out([" ".join(WORDS)])
    assert stays("So " + " ".join(WORDS[5:17]) + " again")
    assert not stays("So " + " ".join(WORDS[5:18]) + " again")


def test_single_characters_count_half():
    text = "".join(chr(0x4E00 + n) for n in range(60))
    stays = keeps_out([text])
    assert stays("又" + text[10:35] + "也")
    assert not stays("又" + text[10:36] + "也")


def test_nothing_held_out():
    stays = keeps_out([])
    assert stays("")
    assert stays("The cat, it seems, sleeps.")
