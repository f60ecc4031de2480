"""Pairs written by a language model: what is drawn, what is dropped, what a stop costs."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import torch

from baselines.synthetic.generation import Sampling, _tidy, _why_not, generate
from baselines.synthetic.instructions import instructions
from baselines.synthetic.language_model import Continuation, LanguageModel
from harness.errors import DataError, EncoderError, UsageError

sys.path.insert(0, str(Path(__file__).parent))
from synthetic_fakes import ASKED, write_letters

TEXTS = ["abc", "de fgh", "hag bed", "a"]
FREE = Sampling(times=2, longest=24, top_p=1.0, top_k=0)


@pytest.fixture(scope="module")
def letters(tmp_path_factory) -> LanguageModel:
    return LanguageModel(str(write_letters(tmp_path_factory.mktemp("lm") / "letters")))


def go(letters, file, texts=TEXTS, sampling=FREE, **options):
    return generate(texts, ASKED, letters, file=file, seed=options.pop("seed", 0), sampling=sampling, **options)


def test_continuing_with_a_cache_gives_the_scores_of_the_whole_text(letters):
    prompts = [letters.ids("abc"), letters.ids("de fgh abc"), letters.ids("a")]
    going = Continuation(letters, prompts)
    for step in range(3):
        found = going.logits()
        for row, prompt in enumerate(prompts):
            with torch.no_grad():
                whole = letters.model(input_ids=torch.tensor([prompt])).logits[0, -1]
            torch.testing.assert_close(found[row], whole, atol=1e-4, rtol=1e-4)
        words = [(row + step) % 8 + 1 for row in range(3)]
        prompts = [[*prompt, word] for prompt, word in zip(prompts, words, strict=True)]
        going.append(torch.tensor(words))


def test_every_text_is_closed_and_everything_is_counted(letters, tmp_path):
    pairs, notes = go(letters, tmp_path / "w.jsonl")
    assert notes["prompts"] == 12
    assert notes["written"] + sum(notes["dropped"].values()) == 24
    assert len(pairs) == notes["written"] > 0
    assert set(pairs.left) <= set(TEXTS)
    assert not any('"' in text or "\n" in text or not text.strip() for text in pairs.right)
    assert set(pairs.label.tolist()) <= {0.0, 0.5, 1.0}
    # sentence by sentence
    assert [TEXTS.index(left) for left in pairs.left] == sorted(TEXTS.index(left) for left in pairs.left)


def test_batches_change_nothing_and_seeds_do(letters, tmp_path):
    one, _ = go(letters, tmp_path / "1.jsonl", batch=1)
    many, _ = go(letters, tmp_path / "3.jsonl", batch=3)
    other, _ = go(letters, tmp_path / "s.jsonl", seed=1)
    assert one.rows() == many.rows()
    assert one.rows() != other.rows()


def test_a_stopped_run_goes_on_and_asks_nothing_twice(letters, tmp_path, monkeypatch):
    file = tmp_path / "w.jsonl"
    whole, notes = go(letters, tmp_path / "whole.jsonl", batch=2)

    def stop(done: int, total: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        go(letters, file, batch=2, progress=stop)
    kept = len(file.read_text(encoding="utf-8").splitlines()) - 1
    assert kept == 4
    with file.open("a", encoding="utf-8") as stream:
        stream.write('{"text": "hag')  # killed while writing
    asked = []
    again, same = go(letters, file, batch=2, progress=lambda done, total: asked.append(done))
    assert asked[0] == 6
    assert again.rows() == whole.rows()
    assert same == notes
    monkeypatch.setattr(Continuation, "logits", lambda self: pytest.fail("asked again"))
    assert go(letters, file)[0].rows() == whole.rows()


def test_a_file_of_other_settings_or_damaged_is_refused(letters, tmp_path):
    file = tmp_path / "w.jsonl"
    go(letters, file)
    with pytest.raises(DataError, match="other settings or another seed"):
        go(letters, file, seed=1)
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], '{"text": 1}', *lines[2:]]) + "\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"w.jsonl, line 2: no record"):
        go(letters, file)
    json.loads(lines[0])


def test_a_model_without_an_end_token_is_refused(tmp_path):
    folder = write_letters(tmp_path / "endless", end=False)
    with pytest.raises(EncoderError, match="has no end token"):
        LanguageModel(str(folder))
    with pytest.raises(EncoderError, match="does not exist"):
        LanguageModel(str(tmp_path / "none"))


def test_what_cannot_be_kept_is_named(letters, tmp_path):
    with pytest.raises(DataError, match=r"nothing that could be kept for 12 prompts .*no closing quote"):
        go(letters, tmp_path / "short.jsonl", sampling=Sampling(times=1, longest=1, top_k=1))
    long, notes = go(letters, tmp_path / "long.jsonl", texts=["abc", "abcd " * 20])
    assert set(long.left) == {"abc"}
    assert notes["dropped"]["sentence too long for the model"] == 6
    assert [_why_not(text) for text in (None, " ", "a\nb", "fine ")] == [
        "no closing quote",
        "empty",
        "line break",
        None,
    ]


def test_blanks_are_those_of_the_script():
    assert _tidy(" two  words ") == "two words"
    assert _tidy("今 天 天 气 很 好 。") == "今天天气很好。"


def test_instructions_are_data_per_language(tmp_path):
    for language in ("en", "zh"):
        for kind in ("sentences", "questions"):
            asked = instructions(language, kind)
            assert list(asked.levels) == [1.0, 0.5, 0.0]
            assert asked.higher(0.5) == [1.0]
            assert asked.higher(0.0) == [1.0, 0.5]
            prompt = asked.prompt(0.5, "X y {z}")
            assert "X y {z}" in prompt
            assert not prompt.endswith("\n")
            assert not prompt.startswith("\n")
    assert instructions("en").prompt(1.0, "Hi.") == (
        'Task: Write two sentences that mean the same thing.\nSentence 1: "Hi."\nSentence 2: "'
    )
    with pytest.raises(UsageError, match="no instructions for language models in 'de'"):
        instructions("de")
    with pytest.raises(UsageError, match="questions"):
        instructions("en", "question")
    for number, (content, message) in enumerate(
        [
            ("[en.sentences]\nclose = '\"'\n", "expected `close`"),
            ('[en.sentences]\nclose = "x"\nlevels = { "2" = "{text}" }\n', "no number from 0 to 1"),
            ('[en.sentences]\nclose = "x"\nlevels = { "1" = "nothing" }\n', "exactly once"),
            ("[en", "cannot be read as TOML"),
        ]
    ):
        path = tmp_path / f"{number}.toml"
        path.write_text(content, encoding="utf-8")
        with pytest.raises(DataError, match=message):
            instructions("en", path=path)
