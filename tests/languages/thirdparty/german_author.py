"""The work of somebody who adds German: trees made by hand, text made from a few words, and where the files go."""

from __future__ import annotations

import shutil
from itertools import product
from pathlib import Path

from harness.parsing.documents import example
from harness.parsing.treebank import Sentence, write

WORK = Path(__file__).parent / "german"


def trees() -> list[Sentence]:
    """The hand-made trees of `german/trees.txt`, in order."""
    lines = (WORK / "trees.txt").read_text(encoding="utf-8").splitlines()
    return [_sentence(line) for line in lines if not line.startswith("#")]


def _sentence(line: str) -> Sentence:
    tokens = [token.split("/") for token in line.split(" ")]
    words, upos, xpos, heads, labels = zip(*tokens, strict=True)
    glued = [word.startswith("_") for word in words]
    return Sentence(
        words=tuple(word.removeprefix("_") for word in words),
        spaces=tuple(not after for after in [*glued[1:], True]),
        upos=upos,
        xpos=xpos,
        heads=tuple(int(head) - 1 for head in heads),
        labels=labels,
    )


def write_treebank(folder: Path) -> None:
    """Write the trees as a treebank; with so few of them, the parser is tried on what it has seen."""
    folder.mkdir()
    for split in ("train", "dev"):
        write(folder / f"de_hand-ud-{split}.conllu", trees())


def write_text(path: Path) -> None:
    """Write the hand-made sentences, and others of the same words."""
    people = ("Der Lehrer", "Die Frau", "Das Kind", "Der Nachbar", "Meine Schwester")
    deeds = (
        "liest das Buch",
        "wohnt in Bonn",
        "ist müde",
        "hat den Film gesehen",
        "kauft heute Brot",
        "wartet auf den Bus",
    )
    ends = (".", " und lacht.", ", aber es regnet.")
    made = [f"{who} {does}{end}" for who, does, end in product(people, deeds, ends)]
    path.write_text("\n".join([sentence.text for sentence in trees()] + made) + "\n", encoding="utf-8")


def train_quickly(folder: Path) -> None:
    """Train a very small tagger and parser on the trees: in seconds, what `augbench train-parser` does in an hour."""
    import random

    import spacy
    from spacy.util import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("de")
    size = {"width": 48, "depth": 2, "embed_size": 500, "window_size": 1, "maxout_pieces": 2, "subword_features": True}
    for part in ("tagger", "parser"):
        tok2vec = {"@architectures": "spacy.HashEmbedCNN.v2", "pretrained_vectors": None, **size}
        nlp.add_pipe(part, config={"model": {"tok2vec": tok2vec}})
    examples = [example(nlp, [tree]) for tree in trees()]
    optimizer = nlp.initialize(lambda: examples)
    optimizer.learn_rate = 0.005
    for epoch in range(25):
        random.Random(epoch).shuffle(examples)
        for start in range(0, len(examples), 12):
            nlp.update(examples[start : start + 12], sgd=optimizer)
    nlp.meta.update(name="hand", version="1.0.0")
    nlp.to_disk(folder)


def work_on(pack: Path) -> None:
    """Put the author's files into the new pack: settings, word lists, examples, one rule, pairs that somebody scored."""
    shutil.copy(WORK / "pack.toml", pack)
    shutil.copy(WORK / "negation.txt", pack / "negation.py")
    for part in ("lexicon", "examples"):
        shutil.rmtree(pack / part)
        shutil.copytree(WORK / part, pack / part)
    pairs = (
        (5.0, "Der Hund schläft.", "Der Hund schläft!"),
        (3.6, "Der Hund schläft.", "Die Katze schläft heute."),
        (2.4, "Das Haus ist alt.", "Das Haus war kalt."),
        (1.0, "Das Haus ist alt.", "Die Frau liest das Buch."),
        (0.0, "Er singt und sie lacht.", "Am Abend regnet es."),
    )
    for split in ("dev", "test"):
        rows = "".join(f"{score}\t{first}\t{second}\n" for score, first, second in pairs)
        (pack / f"samples/sts/de/SampleSTS/{split}.tsv").write_text(rows, encoding="utf-8")
