"""How much does [CLS] look at negation words? Tasks `SICK-R-attention` (SDA's Figure 4) and `STS-B-attention`, in every language.

All different sentences of an STS set that hold a negation word of the pack; weights, ratio and rank are those of
`harness.diagnostics.attention`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.data import DataFolder
from harness.data.readers import hash_rows
from harness.diagnostics.attention import WordAttention, negation_attention
from harness.diagnostics.negation_words import negation_words
from harness.errors import Skipped
from harness.protocols import EncoderTask, LanguagePack, Protocol, Score, Task, TaskOptions, TaskResult
from harness.provenance import code_digest, digest
from harness.tasks.beside_sts import beside_sts, with_pack
from harness.tasks.resolve import Family


class AttentionTask(EncoderTask):
    """The attention to negation words in the sentences of one STS set; one prediction per sentence, its ratio.

    `attention-ratio`  mean over sentences of the negation words' weight relative to equal weights (1: no interest)
    `attention-rank`   mean over sentences of their negation words' mean rank among the words (1: the highest weight)
    `attention-top`    percent of the sentences in which a negation word has the highest weight of all words

    Facts: the rank and the percentage to be expected by chance, and the sentences whose negation lies beyond the encoder's length.
    """

    main = ("attention-ratio", "all")

    def __init__(self, base: Any, pack: LanguagePack) -> None:
        self.name, self.language, self.split = f"{base.name}-attention", base.language, base.split
        self.pack, self.negation = pack, negation_words(pack)
        unique = dict.fromkeys(text for pair in base.pairs for text in pair)
        self.texts = [text for text in unique if self.negation.within(text)]
        self.data_sha = hash_rows([text] for text in self.texts)
        details = {
            "layer": "last",
            "heads": "mean",
            "pieces": "of the text, without special tokens",
            "negation_words": sorted(self.negation.words),
            "not_negation": sorted(self.negation.others),
            "pack": digest([pack.fingerprint(), code_digest(pack)]),  # it cuts the words
        }
        self.protocol = Protocol("negation-attention", 1, text=base.protocol.text, similarity="none", details=details)

    def inspect(self, embedder: Any) -> TaskResult:
        """Look at the model behind `embedder`. Raises Skipped if there is none, or no sentence or no list of negation words."""
        if not self.negation:
            raise Skipped(f"the pack {self.pack.name!r} lists no negation_words in its pack.toml.")
        if not self.texts:
            raise Skipped(f"no sentence of {self.id} holds a negation word of the pack {self.pack.name!r}.")
        found = negation_attention(embedder, self.texts, self.pack, self.negation)
        seen = [one for one in found if one is not None]
        if not seen:
            raise Skipped(f"in every sentence of {self.id} the negation word lies beyond the encoder's length.")
        return _result(seen, cut=len(found) - len(seen))


def _result(seen: list[WordAttention], *, cut: int) -> TaskResult:
    ratios = np.array([one.ratio for one in seen])
    words = np.array([len(one.words) for one in seen])
    negative = np.array([int(one.negative.sum()) for one in seen])
    ranks = np.array([one.ranks.mean() for one in seen])
    # a tie with another word for the first place counts as first
    top = np.array([one.weights[one.negative].max() >= one.weights.max() for one in seen])
    scores = (
        Score("attention-ratio", "all", float(ratios.mean()), len(seen)),
        Score("attention-rank", "all", float(ranks.mean()), len(seen)),
        Score("attention-top", "all", float(100 * top.mean()), len(seen)),
    )
    facts: dict[str, float | None] = {
        "attention-rank by chance": float(((words + 1) / 2).mean()),
        "attention-top by chance": float(100 * (negative / words).mean()),
        "words per sentence": float(words.mean()),
        "median attention-ratio": float(np.median(ratios)),
        "sentences cut before their negation": float(cut),
    }
    return TaskResult(scores, ratios.astype(np.float32), {"sentences": len(seen)}, facts=facts)


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return a task for every STS set; `attention` stands for SICK-R where there is one, else for STS-B."""

    def make(base: Any) -> Task:
        return with_pack(
            base, language, lambda pack: AttentionTask(base, pack), suffix="attention", main=AttentionTask.main
        )

    return beside_sts(data, language, options, suffix="attention", make=make, preferred=("SICK-R", "STS-B"))
