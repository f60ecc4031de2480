"""Which word can another take the place of? `synonym`, the synonym replacement of SDA's Tables 8 and 9,
from a list you name.

No free Chinese list is good enough to ship, so the pack ships none: set the environment variable
AUGBENCH_SYNONYMS_ZH to a tab-separated file `word<TAB>part of speech<TAB>synonyms, best first, divided by
commas` (NOUN, VERB, ADJ or ADV; other rows are passed over; simplified characters). Without it `synonym` is
skipped. `synonym@examples` uses the few words of `lexicon/synonym-examples.tsv`, which show the form and
hold up the pack's examples; they are no list to experiment with.

One content word (`synonym@20`: 20 % of the words, at least one) gives way to a synonym of its part of
speech and, as far as the list allows, its length. Names, function words, parts of compounds and of names,
and all inside quotation marks, brackets and titles stay.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import re
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from harness.errors import DataError, Skipped
from harness.protocols import Change, Doc, Edit, Operator, OperatorTools
from harness.words import word_positions
from languages.chinese.grammar.script import in_script_of, is_traditional, simplified
from languages.chinese.marks.characters import is_han
from languages.chinese.marks.gaps import Gaps

ENVIRONMENT = "AUGBENCH_SYNONYMS_ZH"
_EXAMPLES = Path(__file__).parent / "lexicon" / "synonym-examples.tsv"
_PERCENT = re.compile(r"[0-9]{1,2}(\.[0-9]+)?")
_POS = {"NOUN", "VERB", "ADJ", "ADV"}
#: parts of names, numbers and compounds, whose meaning another word would change
_FIXED = {
    "compound",
    "compound:nn",
    "compound:vc",
    "compound:vv",
    "compound:dir",
    "compound:ext",
    "compound:vo",
    "flat",
    "flat:name",
    "flat:foreign",
    "fixed",
    "appos",
    "aux",
    "aux:pass",
    "auxpass",
    "cop",
    "case",
    "case:loc",
    "mark",
    "clf",
    "mark:clf",
    "discourse",
}

Table = dict[tuple[str, str], tuple[str, ...]]


class Synonym(Operator):
    """Replace one word by a synonym of a list, or `synonym@k` k % of the words (at least one)."""

    name: ClassVar[str] = "synonym"
    variants: ClassVar[tuple[str, ...]] = ("20", "examples")

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Raises ValueError for a variant that is no rate, Skipped where no list is named, DataError where it cannot be read."""
        super().__init__(variant, tools)
        own = variant == "examples"
        if variant is not None and not own and not (_PERCENT.fullmatch(variant) and 1 <= float(variant) <= 99):
            raise ValueError(
                f"{variant!r} is no rate; write synonym for one word, synonym@PERCENT with a number from 1 to 99, e.g. "
                "synonym@20, or synonym@examples for the words of the pack's examples."
            )
        self.percent = None if variant is None or own else float(variant)
        named = os.environ.get(ENVIRONMENT)
        if not own and not named:
            raise Skipped(
                f"the Chinese pack ships no synonyms; name a list (word, part of speech, synonyms; divided by tabs) with "
                f"export {ENVIRONMENT}=FILE.tsv, or try augbench augment --language chinese --operators synonym@examples -."
            )
        self.path = _EXAMPLES if own else Path(str(named)).expanduser()
        self.table = read_table(self.path)

    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the sentence with other words in the place of some, or None if the list has none for it."""
        found = candidates(doc, self.table)
        if not found:
            return None
        positions = sorted(rng.sample(sorted(found), min(self._count(doc, rng), len(found))))
        changes = []
        for i in positions:
            words = found[i]
            word = rng.choices(words, [1 / (rank + 1) for rank in range(len(words))])[0]
            changes.append(Change("replace", i, i + 1, word))
        return Edit.of(doc, changes)

    def _count(self, doc: Doc, rng: random.Random) -> int:
        if self.percent is None:
            return 1
        exact = self.percent * len(word_positions(doc)) / 100
        return max(1, math.floor(exact) + (rng.random() < exact % 1))

    def fingerprint(self) -> dict[str, Any]:
        """The rate in percent (None: one word) and the contents of the list; never its path."""
        return {"operator": self.spec, "percent": self.percent, "table": self._digest}

    @cached_property
    def _digest(self) -> str:
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def candidates(doc: Any, table: Table) -> dict[int, tuple[str, ...]]:
    """Return, per token that can be replaced, the words that can stand there, best first, in the script of
    the text.

    In a Traditional text only words of characters that the pack can write in it are used: it never mixes
    the scripts.
    """
    inside = Gaps(doc).inside
    found = {}
    for token in doc:
        if token.pos_ not in _POS or inside[token.i] or token.dep_ in _FIXED or not token.dep_:
            continue
        words = table.get((simplified(token.text), token.pos_), ())
        if words and _stands_free(token):
            others = [word for word in words if word != simplified(token.text)]
            fitting = tuple(in_script_of(doc.text, word) for word in others)
            if is_traditional(doc.text):
                fitting = tuple(w for w, raw in zip(fitting, others, strict=True) if w != raw)
            if fitting:
                found[token.i] = fitting
    return found


def _stands_free(token: Any) -> bool:
    """Whether a token is a whole word of Chinese, not glued to a neighbour that makes another word of it."""
    if not all(map(is_han, token.text)):
        return False
    if any(
        child.dep_ in ("compound:vv", "compound:dir", "compound:ext", "compound:vc", "flat", "flat:name")
        for child in token.children
    ):
        return False
    following = token.doc[token.i + 1] if token.i + 1 < len(token.doc) else None
    # `研究 所`: a suffix makes another noun of it
    return following is None or following.tag_ not in ("SFN", "SFA", "SFV")


@cache
def read_table(path: Path) -> Table:
    """Return (word, part of speech) -> synonyms, best first, of a tab-separated file.

    Raises DataError, with file and line, if the file is missing, is not UTF-8, has rows of another form, or
    no usable row.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (FileNotFoundError, IsADirectoryError):
        raise DataError(
            f"there is no list of synonyms {path}; name another with export {ENVIRONMENT}=FILE.tsv."
        ) from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 ({error}); convert it first.") from None
    table: Table = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != 3:
            raise DataError(
                f"{path}, line {number}: {len(columns)} columns; expected word, part of speech and synonyms divided by tabs."
            )
        word, pos, listed = (column.strip() for column in columns)
        synonyms = tuple(
            dict.fromkeys(w.strip() for w in listed.split(",") if _usable(w.strip()) and w.strip() != word)
        )
        if pos in _POS and _usable(word) and synonyms:
            table[simplified(word), pos] = tuple(simplified(w) for w in synonyms)
    if not table:
        raise DataError(f"{path} has no usable row; expected e.g. 医生<TAB>NOUN<TAB>大夫.")
    return table


def _usable(word: str) -> bool:
    return bool(word) and all(map(is_han, word))
