"""How do a large pre-trained encoder and a treebank make a parser accurate enough to teach a small one?

`train_teacher` fine-tunes `BiaffineParser`; `Teacher.parse` gives trees with a confidence, for text without annotation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from harness.encoder import load_model, load_tokenizer
from harness.encoder.dropout import use_dropout16
from harness.encoder.precision import choose_device
from harness.errors import DataError
from harness.parsing.biaffine import Batch, BiaffineParser, Scores, make_batch
from harness.parsing.treebank import Sentence
from harness.parsing.trees import best_tree
from harness.seeds import derive, numpy_rng

_PIECES_PER_BATCH = 4_096
_WEIGHTS, _META = "teacher.safetensors", "teacher.json"

Progress = Callable[[int, int, dict[str, float]], None]


@dataclass(frozen=True)
class TeacherSettings:
    """How a teacher is trained. `batch` is in word pieces, padding included;
    learning rates fall linearly to zero after `warmup` of all steps."""

    epochs: int = 2
    batch: int = 700
    rate: float = 1.5e-4
    head_rate: float = 2e-3
    warmup: float = 0.1
    weight_decay: float = 0.01
    tag_weight: float = 0.5
    seed: int = 0


@dataclass(frozen=True)
class Parse:
    """A teacher's tree; `confidence` is the geometric mean of the probabilities of all heads."""

    sentence: Sentence
    confidence: float


class Teacher:
    """A trained biaffine parser with its label names. `names` has the keys `labels`, `upos` and `xpos`."""

    def __init__(
        self, model: BiaffineParser, tokenizer: Any, names: dict[str, list[str]], device: torch.device
    ) -> None:
        self.model, self.tokenizer, self.names, self.device = model.to(device), tokenizer, names, device
        self.limit = int(model.encoder.config.max_position_embeddings) - 2

    def rows(self, sentences: Sequence[Sequence[str]]) -> list[tuple[list[int], list[int]] | None]:
        """Piece ids and owners of each sentence of words; None for one longer than the encoder can take."""
        encoded = self.tokenizer(list(map(list, sentences)), is_split_into_words=True)
        result: list[tuple[list[int], list[int]] | None] = []
        for index, ids in enumerate(encoded["input_ids"]):
            owners = [0 if word is None else word + 1 for word in encoded.word_ids(index)]
            result.append((ids, owners) if sentences[index] and len(ids) <= self.limit else None)
        return result

    def batch(self, rows: Sequence[tuple[list[int], list[int]]], words: Sequence[Sequence[str]]) -> Batch:
        """Rows as tensors on the teacher's device."""
        return make_batch(rows, words, pad=self.tokenizer.pad_token_id, device=self.device)

    @torch.inference_mode()
    def parse(
        self, sentences: Sequence[tuple[Sequence[str], Sequence[bool]]], *, progress: Progress | None = None
    ) -> list[Parse | None]:
        """The best single-root tree of each (words, spaces), in order; None where the encoder cannot take the sentence."""
        self.model.eval()
        rows = self.rows([words for words, _ in sentences])
        result: list[Parse | None] = [None] * len(sentences)
        lengths = {i: len(row[0]) for i, row in enumerate(rows) if row is not None}
        done = 0
        for chosen in _groups(sorted(lengths, key=lambda i: -lengths[i]), lengths, _PIECES_PER_BATCH):
            picked = [rows[i] for i in chosen]
            scores = self.model(self.batch([r for r in picked if r is not None], [sentences[i][0] for i in chosen]))
            for i, parse in zip(chosen, self._decode(scores, [sentences[i] for i in chosen]), strict=True):
                result[i] = parse
            done += len(chosen)
            if progress:
                progress(done, len(lengths), {})
        return result

    def _decode(self, scores: Scores, sentences: Sequence[tuple[Sequence[str], Sequence[bool]]]) -> Iterator[Parse]:
        arcs = scores.arcs.log_softmax(-1).float().cpu().numpy()
        heads = torch.zeros(arcs.shape[:2], dtype=torch.long)
        confidences = []
        for k, (words, _) in enumerate(sentences):
            n = len(words)
            tree = best_tree(arcs[k, :n, : n + 1])
            heads[k, :n] = torch.from_numpy(tree)
            confidences.append(math.exp(arcs[k, np.arange(n), tree + 1].mean()))
        labels = self.model.label_scores(scores, heads.to(self.device))
        root = self.names["labels"].index("root")
        # `root` is the label of roots and of nothing else
        is_root = torch.zeros_like(labels, dtype=torch.bool)
        is_root[..., root] = True
        best = labels.masked_fill(is_root, -math.inf).argmax(-1).cpu()
        best[heads < 0] = root
        upos, xpos = scores.upos.argmax(-1).cpu(), scores.xpos.argmax(-1).cpu()
        for k, (words, spaces) in enumerate(sentences):
            n = len(words)

            def named(kind: str, ids: torch.Tensor, k: int = k, n: int = n) -> tuple[str, ...]:
                return tuple(self.names[kind][i] for i in ids[k, :n].tolist())

            yield Parse(
                Sentence(
                    words=tuple(words),
                    spaces=tuple(spaces),
                    upos=named("upos", upos),
                    xpos=named("xpos", xpos),
                    heads=tuple(heads[k, :n].tolist()),
                    labels=named("labels", best),
                ),
                confidences[k],
            )

    def save(self, folder: Path, about: dict[str, Any]) -> None:
        """Write the weights and label names; `about` is kept with them."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        save_file({k: v.detach().cpu().contiguous() for k, v in self.model.state_dict().items()}, folder / _WEIGHTS)
        (folder / _META).write_text(json.dumps({"names": self.names, "about": about}, indent=1), encoding="utf-8")


def about_teacher(folder: Path) -> dict[str, Any] | None:
    """What `save` was told about the teacher in `folder`; None if there is none."""
    if not (folder / _META).is_file() or not (folder / _WEIGHTS).is_file():
        return None
    about: dict[str, Any] = json.loads((folder / _META).read_text(encoding="utf-8"))["about"]
    return about


def load_teacher(folder: Path, encoder: str, *, device: str = "auto") -> Teacher:
    """Read a saved teacher. Raises DataError if the weights do not fit the encoder."""
    from safetensors.torch import load_file

    names = json.loads((folder / _META).read_text(encoding="utf-8"))["names"]
    teacher = _new(encoder, names, choose_device(device)[0])
    try:
        teacher.model.load_state_dict(load_file(folder / _WEIGHTS))
    except RuntimeError as error:
        raise DataError(f"the teacher in {folder} is not one of {encoder}: {error}. Delete the folder.") from error
    return teacher


def _new(encoder: str, names: dict[str, list[str]], device: torch.device) -> Teacher:
    model = load_model(encoder)
    parser = BiaffineParser(
        model, labels=len(names["labels"]), upos=len(names["upos"]), xpos=len(names["xpos"]), dropout=0.2
    )
    use_dropout16(parser)
    return Teacher(parser, load_tokenizer(encoder), names, device)


def train_teacher(
    encoder: str,
    sentences: Sequence[Sentence],
    settings: TeacherSettings | None = None,
    *,
    device: str = "auto",
    progress: Progress | None = None,
) -> Teacher:
    """Fine-tune a parser on `sentences`; those the encoder cannot take are left out.

    Raises EncoderError as `load_model` does, DataError if no sentence is left.
    """
    settings = settings or TeacherSettings()
    torch.manual_seed(derive(settings.seed, "teacher"))
    names = {
        "labels": sorted({label for s in sentences for label in s.labels} | {"root"}),
        # "" says that a treebank has none: nothing to learn
        "upos": sorted({tag for s in sentences for tag in s.upos if tag}) or [""],
        "xpos": sorted({tag for s in sentences for tag in s.xpos if tag}) or [""],
    }
    teacher = _new(encoder, names, choose_device(device)[0])
    rows = teacher.rows([s.words for s in sentences])
    if not any(row is not None for row in rows):
        raise DataError(f"no sentence of the treebank fits the {teacher.limit} pieces that {encoder} takes.")
    optimizer, parameters = _optimizer(teacher.model, settings)
    # in pieces: a single web address can have a hundred
    lengths = {i: len(row[0]) for i, row in enumerate(rows) if row is not None}
    plan = [batch for epoch in range(settings.epochs) for batch in _shuffled(lengths, settings, epoch)]
    teacher.model.train()
    for step, chosen in enumerate(plan):
        scale = _scale(step / len(plan), settings.warmup)
        for group, rate in zip(optimizer.param_groups, (settings.rate, settings.head_rate), strict=True):
            group["lr"] = rate * scale
        picked = [rows[i] for i in chosen]
        gold = [sentences[i] for i in chosen]
        loss = _loss(teacher, [r for r in picked if r is not None], gold, settings.tag_weight)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        if progress:
            progress(step + 1, len(plan), {"loss": float(loss.detach())})
    return teacher


def _optimizer(model: BiaffineParser, settings: TeacherSettings) -> tuple[torch.optim.Optimizer, list[nn.Parameter]]:
    # piece embeddings stay as they are: most are never seen in a treebank, and they are half of a small encoder's weights
    model.encoder.get_input_embeddings().requires_grad_(False)
    known = {id(p) for p in model.encoder.parameters()}
    encoder = [p for p in model.encoder.parameters() if p.requires_grad]
    heads = [p for p in model.parameters() if id(p) not in known]
    groups = [{"params": encoder}, {"params": heads}]
    return torch.optim.AdamW(groups, weight_decay=settings.weight_decay, betas=(0.9, 0.98)), [*encoder, *heads]


def _scale(done: float, warmup: float) -> float:
    return done / warmup if done < warmup else (1 - done) / (1 - warmup)


def _shuffled(lengths: dict[int, int], settings: TeacherSettings, epoch: int) -> list[list[int]]:
    """Batches of sentences of about the same length, in random order."""
    rng = numpy_rng(settings.seed, "teacher order", epoch)
    noisy = sorted(lengths, key=lambda i: lengths[i] * (1 + 0.2 * rng.random()))
    batches = list(_groups(noisy, lengths, settings.batch))
    return [batches[i] for i in rng.permutation(len(batches))]


def _groups(order: Sequence[int], lengths: dict[int, int], size: int) -> Iterator[list[int]]:
    """Cut `order` into groups whose sentences times their longest is at most `size`."""
    group: list[int] = []
    longest = 0
    for i in order:
        longest = max(longest, lengths[i])
        if group and longest * (len(group) + 1) > size:
            yield group
            group, longest = [], lengths[i]
        group.append(i)
    if group:
        yield group


def _loss(
    teacher: Teacher, rows: Sequence[tuple[list[int], list[int]]], gold: Sequence[Sentence], tag_weight: float
) -> torch.Tensor:
    batch = teacher.batch(rows, [s.words for s in gold])
    scores: Scores = teacher.model(batch)
    real = batch.words

    def column(values: Callable[[Sentence], Sequence[int]]) -> torch.Tensor:
        full = np.zeros(real.shape, dtype=np.int64)
        for k, sentence in enumerate(gold):
            full[k, : len(sentence)] = values(sentence)
        return torch.from_numpy(full).to(teacher.device)

    ids = {kind: {name: i for i, name in enumerate(names)} for kind, names in teacher.names.items()}
    heads = column(lambda s: s.heads)
    entropy = nn.functional.cross_entropy
    loss = entropy(scores.arcs[real], heads[real] + 1)
    labels = teacher.model.label_scores(scores, heads)
    loss = loss + entropy(labels[real], column(lambda s: [ids["labels"][x] for x in s.labels])[real])
    for kind, guess in (("upos", scores.upos), ("xpos", scores.xpos)):
        target = column(lambda s, kind=kind: [ids[kind].get(x, -1) for x in getattr(s, kind)])[real]  # type: ignore[misc]
        if bool((target >= 0).any()):
            loss = loss + tag_weight * entropy(guess[real], target, ignore_index=-1)
    return loss
