"""How are trees of another treebank made to agree with those of the main one? Words that it always treats alike decide.

Treebanks of one language differ in subtypes of labels and in the part of speech of function words (the same word an adverb
here and a subordinator there). A parser that learns from both would learn to doubt. Heads are left as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from harness.parsing.treebank import Sentence

# a word met this often in the main treebank has shown what it can be
_KNOWN = 20
# and is one thing if this share of it is
_ALWAYS = 0.8
# a label belongs to a word if it has it this often
_OFTEN = 0.05
# labels met less often in the main treebank give way to their kind (`compound:vv` to `compound`)
_LABEL = 20


def harmoniser(main: Iterable[Sentence]) -> Callable[[Sentence], Sentence]:
    """Return a function that gives a sentence of another treebank the parts of speech and labels that `main` would use.

    - a subtype that `main` hardly has becomes its kind
    - a word that `main` knows well under this label, but as another part of speech: that part of speech
    - a word that `main` knows well with this part of speech, nearly always under one label, but not under this: that label
    - a word that `main` knows well as another part of speech under another label, nearly always the same two: these

    Roots keep their label. The tags of `main`'s own scheme (`xpos`) stay only where the sentence has them.
    """
    words: Counter[str] = Counter()
    seen: dict[str, Counter[tuple[str, str]]] = {}
    labels: Counter[str] = Counter()
    for sentence in main:
        for word, upos, label in zip(sentence.words, sentence.upos, sentence.labels, strict=True):
            words[word] += 1
            labels[label] += 1
            seen.setdefault(word, Counter())[upos, label] += 1

    def one(word: str, upos: str, label: str) -> tuple[str, str]:
        if labels[label] < _LABEL:
            label = label.partition(":")[0]
        if words[word] < _KNOWN or label == "root" or (upos, label) in seen[word]:
            return upos, label
        pairs = seen[word]
        same = Counter({pair: n for pair, n in pairs.items() if pair[1] == label})
        if same.total() >= _OFTEN * words[word]:
            return same.most_common(1)[0][0]
        tagged = Counter({pair: n for pair, n in pairs.items() if pair[0] == upos})
        return _usual(tagged or pairs) or (upos, label)

    def convert(sentence: Sentence) -> Sentence:
        pairs: Sequence[tuple[str, str]] = [
            one(*row) for row in zip(sentence.words, sentence.upos, sentence.labels, strict=True)
        ]
        return replace(sentence, upos=tuple(pair[0] for pair in pairs), labels=tuple(pair[1] for pair in pairs))

    return convert


def _usual(pairs: Counter[tuple[str, str]]) -> tuple[str, str] | None:
    """The pair that makes up nearly all; never one of a root."""
    pair, n = pairs.most_common(1)[0]
    return pair if pair[1] != "root" and n >= _ALWAYS * pairs.total() else None
