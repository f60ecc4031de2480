"""What does a small parser see in training? Parsed sentences as spaCy documents, some of them disturbed on purpose.

Texts that a parser meets later are mostly one sentence long; some are lower-cased, tokenised with blanks, or lack their full
stop (captions, headlines, the texts of SentEval). So are these.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.parsing.treebank import Sentence
from harness.seeds import python_rng

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.vocab import Vocab


@dataclass(frozen=True)
class Disturbance:
    """How often a training sentence is changed, as probabilities.

    lower      all letters in lower case (half of these also with a blank between all tokens)
    unstopped  without its last token, if that is punctuation nothing hangs on
    groups     chances of a document of 1, 2, 3 … sentences
    """

    lower: float = 0.15
    unstopped: float = 0.15
    groups: tuple[float, ...] = (0.8, 0.14, 0.06)


def lowered(sentence: Sentence) -> Sentence:
    """The sentence in lower case."""
    return replace(sentence, words=tuple(word.lower() for word in sentence.words))


def spread(sentence: Sentence) -> Sentence:
    """The sentence with a blank between all tokens."""
    return replace(sentence, spaces=(True,) * len(sentence))


def unstopped(sentence: Sentence) -> Sentence:
    """The sentence without its last token if that is punctuation on which no other word depends; else as it is."""
    last = len(sentence) - 1
    if last < 1 or sentence.upos[last] != "PUNCT" or last in sentence.heads or sentence.heads[last] < 0:
        return sentence
    names = ("words", "spaces", "upos", "xpos", "heads", "labels")
    return Sentence(**{name: getattr(sentence, name)[:last] for name in names})


def disturb(sentence: Sentence, how: Disturbance, rng: random.Random) -> Sentence:
    """Apply the changes that chance decides on."""
    if rng.random() < how.unstopped:
        sentence = unstopped(sentence)
    if rng.random() < how.lower:
        sentence = lowered(sentence)
        if rng.random() < 0.5:
            sentence = spread(sentence)
    return sentence


def to_doc(vocab: Vocab, sentences: Sequence[Sentence]) -> Any:
    """One annotated spaCy `Doc` of several sentences, with a blank between them."""
    from spacy.tokens import Doc

    words: list[str] = []
    columns: Any = {"spaces": [], "tags": [], "pos": [], "heads": [], "deps": [], "sent_starts": []}
    for index, sentence in enumerate(sentences):
        start = len(words)
        words += sentence.words
        last_blank = index + 1 < len(sentences)
        columns["spaces"] += [*sentence.spaces[:-1], last_blank]
        columns["tags"] += sentence.xpos
        columns["pos"] += sentence.upos
        columns["heads"] += [start + (i if head < 0 else head) for i, head in enumerate(sentence.heads)]
        # spaCy's name for the label of a root
        columns["deps"] += [
            "ROOT" if head < 0 else label for head, label in zip(sentence.heads, sentence.labels, strict=True)
        ]
        columns["sent_starts"] += [i == 0 for i in range(len(sentence))]
    return Doc(vocab, words=words, **columns)


def example(nlp: Language, sentences: Sequence[Sentence]) -> Any:
    """A spaCy `Example`: the text as the pipeline's tokeniser cuts it, beside the annotation."""
    from spacy.training import Example

    reference = to_doc(nlp.vocab, sentences)
    return Example(nlp.make_doc(reference.text), reference)


def grouped(sentences: Sequence[Sentence], chances: Sequence[float], rng: random.Random) -> Iterator[list[Sentence]]:
    """Cut a sequence into documents of 1, 2, 3 … neighbouring sentences by chance."""
    start = 0
    sizes = range(1, len(chances) + 1)
    while start < len(sentences):
        (size,) = rng.choices(sizes, chances)
        yield list(sentences[start : start + size])
        start += size


def stream(
    nlp: Language, gold: Sequence[Sentence], silver: Sequence[Sentence], *, weight: int, how: Disturbance, seed: int
) -> Iterator[Any]:
    """Examples without end. An epoch holds the silver sentences once and the gold ones `weight` times, in new disturbances."""
    epoch = 0
    while True:
        rng = python_rng(seed, "student documents", epoch)
        documents = [group for _ in range(weight) for group in grouped(gold, how.groups, rng)]
        documents += grouped(silver, how.groups, rng)
        rng.shuffle(documents)
        for group in documents:
            yield example(nlp, [disturb(sentence, how, rng) for sentence in group])
        epoch += 1


def batches(examples: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Cut examples into batches of about `size` words."""
    batch: list[Any] = []
    words = 0
    for one in examples:
        batch.append(one)
        words += len(one.reference)
        if words >= size:
            yield batch
            batch, words = [], 0
