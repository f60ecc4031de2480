"""What do AugCSE's augmentations have in common? No variants, word lists by name, and what becomes of the meaning.

It lies beside the other rules, not in `augcse/`, so that the grammar below is part of every augmentation's identity.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal

from harness.protocols import Change, Edit, Operator, OperatorTools
from languages.english.grammar.changes import like
from languages.english.grammar.sentences import roots
from languages.english.grammar.verbs import lexicon, lexicon_sha
from languages.english.marks.gaps import Gaps

#: what an augmentation does to what a sentence says. kept: nothing; near: details, emphasis or tense shift, a reader would still
#: call it the same statement; changed: it says something else (AugCSE's Table 1 takes such ones for negatives)
Meaning = Literal["kept", "near", "changed"]


class Augmentation(Operator):
    """One of AugCSE's augmentations (Tang et al., AACL 2022), written from its description.

    meaning   its class of meaning preservation, see `Meaning`
    lexicons  the word lists it reads, names below `lexicon/`
    """

    meaning: ClassVar[Meaning]
    lexicons: ClassVar[tuple[str, ...]] = ()

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """Takes no variant. Raises ValueError for any."""
        if variant is not None:
            raise ValueError(f"{self.name} has no variant {variant!r}; write {self.name}.")
        super().__init__(variant, tools)

    def fingerprint(self) -> dict[str, Any]:
        """The name, what becomes of the meaning, and the word lists."""
        lists = {"lexicon": lexicon_sha("inflection", "synonym", *self.lexicons)}
        return {**super().fingerprint(), "meaning": self.meaning, **lists}


def finish(doc: Any, changes: Sequence[Change]) -> Edit | None:
    """Return the edit with *a* and *an* put right in front of what changed.

    None if nothing changes or the changes overlap (a parse that makes two rules meet on one word is not to be trusted).
    """
    ordered = sorted(changes, key=lambda c: (c.start, c.end))
    if any(one.end > other.start for one, other in pairwise(ordered)):
        return None
    return Edit.of(doc, [*ordered, *_articles(doc, ordered)])


def _articles(doc: Any, changes: Sequence[Change]) -> list[Change]:
    touched = {i for c in changes for i in range(c.start, c.end)}
    by_start = {c.start: c for c in changes if c.kind != "delete"}
    mended = []
    for token in doc:
        if token.i in touched or token.lower_ not in ("a", "an") or token.tag_ != "DT":
            continue
        i = token.i + 1
        while i < len(doc) and i in touched and i not in by_start:
            i += 1  # what is deleted
        if i >= len(doc) or (i == token.i + 1 and i not in by_start):
            continue
        following = by_start[i].text.strip() if i in by_start else doc[i].text
        wanted = article(following)
        if following and wanted != token.lower_:
            text = wanted.upper() if token.text == "AN" else like(token.text, wanted)
            mended.append(Change("replace", token.i, token.i + 1, text))
    return mended


def article(word: str) -> str:
    """Return *a* or *an*, by the sound a word begins with."""
    words, low = lexicon("synonym"), word.lower()
    if low.startswith((*words["sounds_like_vowel_after_all"], *words["sounds_like_vowel"])):
        return "an"
    if low[:1].isdigit():
        return "an" if low.startswith("8") or low in ("11", "18") else "a"
    return "an" if low[:1] in set("aeiou") and not low.startswith(tuple(words["sounds_like_consonant"])) else "a"


def plain(doc: Any) -> bool:
    """Tell whether a text is running text: parsed, and no row of a table, markup or list of names."""
    return bool(roots(doc)) and not set(doc.text) & set("|<>{}=\\\n\t") and "  " not in doc.text


def cut_off(subject_start: int, doc: Any) -> bool:
    """Tell whether the parser cut a subject in two: only words of a noun phrase stand between the sentence's start and it.

    `The four story | Neo-Classical building was built`; not `In 1905 | the museum`, `Yesterday | he`.
    """
    before = doc[doc[subject_start].sent.start : subject_start]
    parts = ("NOUN", "PROPN", "DET", "ADJ", "NUM")
    noun = bool(len(before)) and all(t.pos_ in parts or t.text in ("-", "'s", "’s") for t in before)
    return noun and not any(t.pos_ == "NOUN" and t.lower_ in _TIMES for t in before)


_TIMES = {"year", "day", "week", "month", "morning", "evening", "night", "time", "spring", "summer", "autumn", "winter", "today",
          "yesterday", "tomorrow", "season", "years", "days", "weeks", "months", "afternoon"}  # fmt: skip


def quoted(doc: Any) -> list[bool]:
    """Tell of every token whether it stands inside quotation marks or brackets."""
    inside = Gaps(doc).inside
    return [bool(inside[i] or inside[i + 1]) for i in range(len(doc))]


def span_text(doc: Any, start: int, end: int) -> str:
    """Return the text of tokens `[start, end)` with the blanks between them."""
    return "".join(t.text + t.whitespace_ for t in doc[start : end - 1]) + doc[end - 1].text


def capital(text: str) -> str:
    """Return `text` with a capital first letter."""
    return text[:1].upper() + text[1:]
