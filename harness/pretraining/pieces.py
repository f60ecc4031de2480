"""Which word pieces does a text ask for? WordPiece learnt by merging the most frequent pair, the same on every machine.

The vocabulary trainers of the `tokenizers` library break ties by the order of a hash table, another one in every process;
here ties fall to the pair that sorts first. The library still does the splitting and, later, the tokenising.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
CONTINUED = "##"
#: a word longer than this teaches nothing about pieces (an address, a formula)
_LONGEST_WORD = 40
#: characters outside this share of all running text become [UNK]
_COVERED = 0.9998

Pair = tuple[str, str]


def splitter(*, lowercase: bool) -> tuple[Any, Any]:
    """Return BERT's normaliser and pre-tokeniser: accents go with the case; Chinese characters stand alone."""
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer

    return BertNormalizer(lowercase=lowercase), BertPreTokenizer()


def count_words(lines: Iterable[str], *, lowercase: bool) -> Counter[str]:
    """Count the words of `lines` as BERT's tokeniser splits them, before pieces."""
    normaliser, words = splitter(lowercase=lowercase)
    counts: Counter[str] = Counter()
    for line in lines:
        counts.update(word for word, _ in words.pre_tokenize_str(normaliser.normalize_str(line)))
    return counts


def learn_pieces(counts: Counter[str], size: int) -> list[str]:
    """Return a WordPiece vocabulary of at most `size` pieces: special tokens, characters, then merges as they were found.

    Characters come by falling frequency until they cover 99.98 % of the text, and never take more than three quarters of
    the room; pieces inside a word begin with `##`. Fewer than `size` come back if nothing occurs twice any more.
    """
    alphabet = _alphabet(counts, room=(size - len(SPECIAL)) * 3 // 4)
    words, frequency = [], []
    for word, count in sorted(counts.items()):
        symbols = [word[0], *(CONTINUED + character for character in word[1:])]
        if 1 < len(word) <= _LONGEST_WORD and count > 1 and all(symbol in alphabet for symbol in symbols):
            words.append(symbols)
            frequency.append(count)
    pieces = [*SPECIAL, *alphabet]
    for piece in _merges(words, frequency):
        if len(pieces) >= size:
            break
        pieces.append(piece)
    return pieces


def _alphabet(counts: Counter[str], room: int) -> dict[str, int]:
    symbols: Counter[str] = Counter()
    for word, count in counts.items():
        symbols[word[0]] += count
        for character in word[1:]:
            symbols[CONTINUED + character] += count
    wanted, seen = _COVERED * symbols.total(), 0
    chosen: dict[str, int] = {}
    for symbol, count in sorted(symbols.items(), key=lambda item: (-item[1], item[0])):
        if seen >= wanted or len(chosen) >= room:
            break
        chosen[symbol] = count
        seen += count
    return chosen


def _merges(words: list[list[str]], frequency: list[int]) -> Iterable[str]:
    """Yield merged pieces, most frequent pair first; `words` are changed in place."""
    pairs: Counter[Pair] = Counter()
    where: defaultdict[Pair, set[int]] = defaultdict(set)
    for index, (symbols, count) in enumerate(zip(words, frequency, strict=True)):
        for pair in pairwise(symbols):
            pairs[pair] += count
            where[pair].add(index)
    queue = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(queue)
    found: set[str] = set()
    while queue:
        count, pair = heapq.heappop(queue)
        if pairs[pair] != -count:  # an older count; the newer one is queued too
            continue
        if -count < 2:
            return
        piece = pair[0] + pair[1].removeprefix(CONTINUED)
        changed: set[Pair] = set()
        for index in where.pop(pair):
            changed |= _merge(words[index], pair, piece, frequency[index], index, pairs, where)
        del pairs[pair]
        for other in changed:
            if pairs[other] > 0:
                heapq.heappush(queue, (-pairs[other], other))
        if piece not in found:  # two pairs may spell the same piece
            found.add(piece)
            yield piece


def _merge(
    symbols: list[str],
    pair: Pair,
    piece: str,
    count: int,
    index: int,
    pairs: Counter[Pair],
    where: defaultdict[Pair, set[int]],
) -> set[Pair]:
    """Join `pair` wherever it stands in one word and keep the books; returns the neighbouring pairs whose count changed."""
    before = Counter(pairwise(symbols))
    place = 0
    while place < len(symbols) - 1:
        if (symbols[place], symbols[place + 1]) == pair:
            symbols[place : place + 2] = [piece]
        place += 1
    after = Counter(pairwise(symbols))
    changed = set()
    for other in {*before, *after} - {pair}:
        difference = after[other] - before[other]
        if difference:
            pairs[other] += difference * count
            changed.add(other)
        if other in after:
            where[other].add(index)
        else:
            where[other].discard(index)
    return changed
