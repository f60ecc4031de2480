"""How good is a parser? Scores from raw text, by spaCy's own scorer."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from harness.parsing.documents import to_doc
from harness.parsing.treebank import Sentence

if TYPE_CHECKING:
    from spacy.language import Language


@dataclass(frozen=True)
class ParserScores:
    """Percentages. Tokens are the pipeline's own; heads and labels leave out punctuation, as spaCy's scorer does.

    tokens, sentences  F1 of tokens (where words are not written apart: of segmentation) and of sentences
    upos, xpos         accuracy of the two parts of speech over tokens that both sides have
    uas, las           F1 of heads, and of heads with their labels
    words_per_second   tokens parsed in a second, on one process
    """

    tokens: float
    sentences: float
    upos: float
    xpos: float
    uas: float
    las: float
    words_per_second: float

    def as_dict(self) -> dict[str, float]:
        """Percentages rounded to two places, without the speed, which is the machine's."""
        return {name: round(value, 2) for name, value in asdict(self).items() if name != "words_per_second"}


def measure(
    nlp: Language, sentences: Sequence[Sentence], *, group: int = 1, given_tokens: bool = False
) -> ParserScores:
    """Parse the running text of `sentences`, `group` of them in each document, and compare with their annotation.

    `given_tokens`: the treebank's tokens instead of the pipeline's own, to see the parser apart from the tokeniser.
    """
    from spacy.scorer import Scorer
    from spacy.tokens import Doc
    from spacy.training import Example

    references = [to_doc(nlp.vocab, sentences[i : i + group]) for i in range(0, len(sentences), group)]
    started = time.perf_counter()
    if given_tokens:
        bare = [Doc(nlp.vocab, words=[t.text for t in r], spaces=[bool(t.whitespace_) for t in r]) for r in references]
        parsed = list(nlp.pipe(bare))
    else:
        parsed = list(nlp.pipe(reference.text for reference in references))
    seconds = time.perf_counter() - started
    examples = [Example(ours, reference) for ours, reference in zip(parsed, references, strict=True)]
    found = Scorer(nlp).score(examples)

    def percent(name: str) -> float:
        return 100 * (found.get(name) or 0.0)

    return ParserScores(
        tokens=percent("token_f"),
        sentences=percent("sents_f"),
        upos=percent("pos_acc"),
        xpos=percent("tag_acc"),
        uas=percent("dep_uas"),
        las=percent("dep_las"),
        words_per_second=sum(map(len, parsed)) / max(seconds, 1e-9),
    )
