"""How are pairs written by a language model? DINO: an instruction per similarity level, self-debiasing, up to the closing quote.

Every (sentence, level) is a prompt that is continued several times. A continuation without a closing quote within the limit, with
a line break before it, or empty, is dropped and counted. The end token is never chosen, as in the original. What is drawn for
a prompt depends on (seed, level, sentence) alone and not on how prompts are batched (but for rounding in the model).

Finished prompts are appended to a JSONL file, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from pydantic import BaseModel, ConfigDict, Field

from baselines.synthetic.debiasing import DECAY, FLOOR, debiased, drawn, likely
from baselines.synthetic.instructions import Instructions
from baselines.synthetic.language_model import Continuation, LanguageModel
from baselines.synthetic.pairs import GENERATED, Pairs
from harness.errors import DataError
from harness.protocols.scripts import is_unspaced
from harness.provenance import digest
from harness.seeds import numpy_rng

_FORMAT = 1
Progress = Callable[[int, int], None]


class Sampling(BaseModel):
    """How a model writes; the defaults are DINO's.

    times       continuations per sentence and level;  longest: new tokens at most
    top_p, top_k   which words may be drawn (0 = all for top_k);  decay, floor: λ and ε of self-debiasing
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    times: int = Field(5, ge=1)
    longest: int = Field(40, ge=1)
    top_p: float = Field(0.9, gt=0, le=1)
    top_k: int = Field(5, ge=0)
    decay: float = Field(DECAY, ge=0)
    floor: float = Field(FLOOR, gt=0, le=1)


class Prompt(NamedTuple):
    """A sentence and the similarity that is asked for."""

    text: str
    label: float


@dataclass(frozen=True)
class Written:
    """What became of a prompt: the texts that were kept, and why the others were dropped (reason -> how many)."""

    prompt: Prompt
    texts: tuple[str, ...]
    dropped: dict[str, int]


def generate(
    sentences: Sequence[str],
    instructions: Instructions,
    language_model: LanguageModel,
    *,
    file: Path,
    seed: int,
    sampling: Sampling | None = None,
    batch: int = 8,
    progress: Progress | None = None,
) -> tuple[Pairs, dict[str, Any]]:
    """Write second sentences for the different `sentences` at every level; return all pairs and what was counted.

    file   JSONL that finished prompts are appended to; prompts that are in it are not asked again
    batch  prompts at a time; a prompt is times · (1 + higher levels) rows of the model

    Raises DataError if `file` belongs to another model, seed or setting, and if no text could be kept at all.
    """
    sampling = sampling or Sampling()
    wanted = [Prompt(text, label) for label in instructions.levels for text in dict.fromkeys(sentences)]
    known = {
        "format": _FORMAT,
        "model": language_model.sha,
        "seed": seed,
        "sampling": sampling.model_dump(),
        "instructions": digest(
            [[str(label), text] for label, text in instructions.levels.items()] + [instructions.close]
        ),
    }
    done = {written.prompt: written for written in _resume(file, known)}
    missing = [prompt for prompt in wanted if prompt not in done]
    finished = len(wanted) - len(missing)
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as stream:
        if not done and not stream.tell():
            stream.write(json.dumps(known, ensure_ascii=False) + "\n")
        for some in _batches(missing, batch):
            for written in _write(some, instructions, language_model, sampling, seed):
                done[written.prompt] = written
                stream.write(json.dumps(_as_json(written), ensure_ascii=False) + "\n")
            stream.flush()
            os.fsync(stream.fileno())
            finished += len(some)
            if progress:
                progress(finished, len(wanted))
    rows = [
        (prompt.text, text, prompt.label, GENERATED)
        for prompt in _by_sentence(wanted, len(instructions.levels))
        for text in done[prompt].texts
    ]
    dropped = Counter[str]()
    for prompt in wanted:
        dropped.update(done[prompt].dropped)
    notes = {"prompts": len(wanted), "written": len(rows), "dropped": dict(sorted(dropped.items()))}
    if not rows:
        reasons = ", ".join(f"{reason}: {count}" for reason, count in dropped.items())
        raise DataError(
            f"the language model wrote nothing that could be kept for {len(wanted)} prompts ({reasons}). Try a larger one (--set "
            "model=PATH|ID), or more --set longest=…."
        )
    return Pairs.of(rows), notes


def _by_sentence(prompts: Sequence[Prompt], levels: int) -> list[Prompt]:
    """Prompts come level by level; return them sentence by sentence."""
    count = len(prompts) // levels
    return [prompts[level * count + number] for number in range(count) for level in range(levels)]


def _batches(prompts: Sequence[Prompt], size: int) -> Iterator[list[Prompt]]:
    """Prompts of one level at a time, since levels have different numbers of rows."""
    start = 0
    while start < len(prompts):
        stop = start
        while stop < len(prompts) and stop - start < size and prompts[stop].label == prompts[start].label:
            stop += 1
        yield list(prompts[start:stop])
        start = stop


def _write(
    prompts: Sequence[Prompt], asked: Instructions, lm: LanguageModel, sampling: Sampling, seed: int
) -> list[Written]:
    """Continue a batch of prompts of one level."""
    label, times = prompts[0].label, sampling.times
    levels = [label, *asked.higher(label)]
    given = [lm.ids(asked.prompt(level, prompt.text)) for level in levels for prompt in prompts for _ in range(times)]
    too_long = lm.limit is not None and max(map(len, given)) + sampling.longest > lm.limit
    if too_long and len(prompts) > 1:
        return [one for prompt in prompts for one in _write([prompt], asked, lm, sampling, seed)]
    if too_long:
        return [Written(prompts[0], (), {"sentence too long for the model": times})]
    uniform = torch.stack(
        [
            torch.from_numpy(numpy_rng(seed, "generate", str(label), prompt.text).random((times, sampling.longest)))
            for prompt in prompts
        ]
    ).flatten(0, 1)
    rows = len(prompts) * times
    ids: list[list[int]] = [[] for _ in range(rows)]
    texts: list[str | None] = [None] * rows
    going = Continuation(lm, given)
    for step in range(sampling.longest):
        logits = going.logits().view(len(levels), rows, -1)
        logits[..., lm.end] = -torch.inf
        own = debiased(logits[0], logits[1:], decay=sampling.decay, floor=sampling.floor)
        words = drawn(likely(own, top_k=sampling.top_k, top_p=sampling.top_p), uniform[:, step].to(own.device))
        for row, word in enumerate(words.tolist()):
            if texts[row] is None:
                ids[row].append(word)
                text = lm.text(ids[row])
                if asked.close in text:
                    texts[row] = text.partition(asked.close)[0]
        if all(text is not None for text in texts):
            break
        going.append(words.repeat(len(levels)))
    found = []
    for number, prompt in enumerate(prompts):
        kept, dropped = [], Counter[str]()
        for written in texts[number * times : (number + 1) * times]:
            reason = _why_not(written)
            if reason:
                dropped[reason] += 1
            else:
                kept.append(_tidy(written or ""))
        found.append(Written(prompt, tuple(kept), dict(dropped)))
    return found


def _why_not(text: str | None) -> str | None:
    if text is None:
        return "no closing quote"
    if "\n" in text.strip():
        return "line break"
    return None if text.strip() else "empty"


def _tidy(text: str) -> str:
    """One blank between words, and none beside letters of scripts that have none (some tokenizers put them there)."""
    words = text.split()
    out = words[0]
    for word in words[1:]:
        out += word if is_unspaced(out[-1]) or is_unspaced(word[0]) else f" {word}"
    return out


def _as_json(written: Written) -> dict[str, Any]:
    prompt = written.prompt
    return {"text": prompt.text, "label": prompt.label, "written": list(written.texts), "dropped": written.dropped}


def _resume(file: Path, known: dict[str, Any]) -> list[Written]:
    """Return what `file` holds, and cut off a last line that a stop left unfinished."""
    if not file.is_file():
        return []
    content = file.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with file.open("r+b") as stream:
            stream.truncate(whole)
    lines = content[:whole].decode("utf-8").split("\n")[:-1]
    if not lines:
        return []
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line)
            if number == 1:
                if row != known:
                    raise DataError(
                        f"{file} was written by another language model, or with other settings or another seed; delete it, or name "
                        "another file."
                    )
                continue
            prompt = Prompt(str(row["text"]), float(row["label"]))
            found.append(Written(prompt, tuple(map(str, row["written"])), dict(row["dropped"])))
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                f"{file}, line {number}: no record of a prompt ({error}); delete the file to start anew."
            ) from None
    return found
