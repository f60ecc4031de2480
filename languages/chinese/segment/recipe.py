"""How `augbench train-parser chinese` gets its tokeniser: learnt by `learn`, opened and stored as spaCy's own Chinese one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from harness.parsing.tokeniser import Reporter
from harness.parsing.treebank import Sentence

if TYPE_CHECKING:
    from spacy.language import Language

_CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy.zh.ChineseTokenizer", "segmenter": "pkuseg"}}}


class PkusegRecipe:
    """A `TokeniserRecipe` for spacy-pkuseg. Without pkuseg's own word list: it joins what the treebank takes apart."""

    def settings(self) -> dict[str, Any]:
        """The settings of `learn`."""
        from languages.chinese.segment.learn import SegmenterSettings

        return asdict(SegmenterSettings())

    def learn(
        self,
        gold: Sequence[Sentence],
        dev: Sequence[Sentence],
        folder: Path,
        *,
        seed: int,
        report: Reporter,
    ) -> str:
        """Learn a model into `folder`."""
        from languages.chinese.segment.learn import SegmenterSettings, learn

        about = learn(gold, dev, folder, settings=SegmenterSettings(), seed=seed, report=report)
        return (
            f"Cut by spacy-pkuseg with a model of {about['features']:,} features, a conditional random field learnt from "
            f"{about['runs']:,} runs of text without blanks, from the trees above. F1 of the model on dev, in such runs: "
            f"{about['f1']:.2f}. Settings: {_shown(about)}."
        )

    def open(self, folder: Path) -> Language:
        """Return a blank Chinese pipeline with the model in `folder`."""
        import spacy_pkuseg

        nlp = blank()
        model = spacy_pkuseg.pkuseg(str(folder), user_dict=None)
        # spaCy writes both when it stores the tokeniser
        model.postprocesser.common_words, model.postprocesser.other_words = set(), set()
        nlp.tokenizer.pkuseg_seg = model
        found: Language = nlp
        return found

    def compact(self, pipeline: Path) -> None:
        """Pack the weights, which spaCy writes unpacked."""
        file = pipeline / "tokenizer" / "pkuseg_model" / "weights.npz"
        with np.load(file, allow_pickle=False) as stored:
            columns = dict(stored)
        np.savez_compressed(file, **columns)


def blank() -> Any:
    """Return a Chinese pipeline whose tokeniser waits for a pkuseg model."""
    from spacy.lang.zh import Chinese

    nlp: Any = Chinese.from_config(_CONFIG)
    return nlp


def blank_from(tokenizer: Path) -> Language:
    """Return a blank Chinese pipeline with the tokeniser that is stored in the folder of a finished one."""
    nlp = blank()
    nlp.tokenizer.from_disk(tokenizer)
    found: Language = nlp
    return found


def _shown(about: dict[str, Any]) -> str:
    return json.dumps(about["settings"]).replace('"', "")[1:-1]
