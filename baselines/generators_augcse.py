"""What do AugCSE's two generators do? A sequence-to-sequence model that the user names writes the sentence anew.

`diverse-paraphrase` and `casual-to-formal` have no model of their own: the paper's (two translation models and a T5) are
neither small nor ours. A folder is named by `AUGBENCH_PARAPHRASE_MODEL` or `AUGBENCH_FORMAL_MODEL`; two folders, divided as
entries of PATH are, are run one behind the other (there and back again: English → German → English).
"""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Literal

from harness.errors import EncoderError, Skipped
from harness.protocols import Change, Doc, Edit, Operator, OperatorTools

_BATCH = 32


class Generator(Operator):
    """Let a model write the sentence anew; the whole text is one change.

    variable    the environment variable with the folder, or folders
    prefix      words in front of every sentence that the model was trained with
    candidates  sentences a beam search offers, of which one is taken at random (1: the best)
    """

    needs_parse = False
    variable: ClassVar[str]
    prefix: ClassVar[str] = ""
    candidates: ClassVar[int] = 1
    meaning: ClassVar[Literal["kept"]] = "kept"

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Raises ValueError for any variant and Skipped if no model is named; the model is loaded at the first use."""
        if variant is not None:
            raise ValueError(f"{variant!r} is no variant; write {self.name}.")
        super().__init__(variant, tools)
        named = os.environ.get(self.variable, "").split(os.pathsep)
        self._folders = [folder for folder in named if folder.strip()]
        if not self._folders:
            raise Skipped(
                f"{self.name} lets a sequence-to-sequence model write, and none is named; type export {self.variable}=FOLDER "
                "(a folder with config.json, tokenizer and model.safetensors)."
            )

    @cached_property
    def models(self) -> list[Seq2Seq]:
        """The models, in the order in which they are run. Raises EncoderError if one cannot be loaded."""
        return [Seq2Seq(folder) for folder in self._folders]

    def fingerprint(self) -> dict[str, Any]:
        """The name, the prefix, the search, and the hashes of the models."""
        from harness.encoder.loading import fingerprint

        models = [fingerprint(folder) for folder in self._folders]
        return {**super().fingerprint(), "prefix": self.prefix, "candidates": self.candidates, "models": models}

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the model's sentence, None if it is the same, empty, or the text has no letter or digit."""
        return self.apply_batch([doc], [rng])[0]

    def apply_batch(self, docs: Sequence[Doc], rngs: Sequence[random.Random]) -> list[Edit | None]:
        """Return the edits of several sentences."""
        edits: list[Edit | None] = [None] * len(docs)
        rows = [row for row, doc in enumerate(docs) if any(map(str.isalnum, doc.text))]
        for start in range(0, len(rows), _BATCH):
            chunk = rows[start : start + _BATCH]
            texts = [docs[row].text for row in chunk]
            for model in self.models[:-1]:
                texts = [found[0] for found in model.write(texts, candidates=1)]
            offered = self.models[-1].write([self.prefix + text for text in texts], candidates=self.candidates)
            for row, sentences in zip(chunk, offered, strict=True):
                new = [s for s in dict.fromkeys(sentences) if s and s != docs[row].text.strip()]
                if new:
                    edits[row] = Edit.of(docs[row], [Change("replace", 0, len(docs[row]), rngs[row].choice(new))])
        return edits


class DiverseParaphrase(Generator):
    """Say it in other words (AugCSE, Table 3: DiverseParaphrase): one of the five best of a beam search, at random."""

    name = "diverse-paraphrase"
    variable = "AUGBENCH_PARAPHRASE_MODEL"
    candidates = 5


class CasualToFormal(Generator):
    """Say it formally (AugCSE, Table 3: Casual2Formal): the best of a beam search."""

    name = "casual-to-formal"
    variable = "AUGBENCH_FORMAL_MODEL"
    prefix = "transfer Casual to Formal: "


class Seq2Seq:
    """An encoder-decoder of transformers, in a folder, on the GPU if there is one. Raises EncoderError if it does not load."""

    def __init__(self, folder: str) -> None:
        import torch

        from harness.encoder.loading import load_model, load_tokenizer

        self.tokenizer = load_tokenizer(folder)
        try:
            self.model = load_model(folder, head="AutoModelForSeq2SeqLM", attention="eager").eval()
        except EncoderError as error:
            raise EncoderError(f"{error} Expected a sequence-to-sequence model (T5, BART, Marian …).") from error
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)

    def write(self, texts: Sequence[str], *, candidates: int, beams: int = 5) -> list[list[str]]:
        """Return, per text, the `candidates` best sentences of a beam search, the best first; never longer than 1.5 × + 10."""
        import torch

        batch = self.tokenizer(list(texts), padding=True, truncation=True, max_length=256, return_tensors="pt")
        longest = int(batch["input_ids"].shape[1] * 1.5) + 10
        batch = {name: batch[name].to(self.device) for name in ("input_ids", "attention_mask")}
        with torch.inference_mode():
            ids = self.model.generate(
                **batch,
                num_beams=max(beams, candidates),
                num_return_sequences=candidates,
                do_sample=False,
                max_new_tokens=longest,
            )
        written = [
            " ".join(text.split()) for text in self.tokenizer.batch_decode(ids.tolist(), skip_special_tokens=True)
        ]
        return [written[i : i + candidates] for i in range(0, len(written), candidates)]
