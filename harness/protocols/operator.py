"""What a text operator is: it reads a parsed sentence and says what it would change.

An operator never returns bare text: an `Edit` carries the new text *and* the list of token-span changes that made it, so
that tests, coverage tables and the explorer can show what was done. `None` is a legal answer ("the rule does not apply").
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal
from typing import Protocol as TypingProtocol

from harness.protocols.scripts import is_unspaced, needs_blank

Kind = Literal["insert", "delete", "replace"]


class Token(TypingProtocol):
    """The part of a spaCy token that language-independent code reads."""

    @property
    def text(self) -> str: ...
    @property
    def whitespace_(self) -> str: ...
    @property
    def i(self) -> int: ...


class Doc(TypingProtocol):
    """The part of a spaCy `Doc` that language-independent code reads; packs and their rules use the whole of it."""

    @property
    def text(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __getitem__(self, index: Any) -> Any: ...


@dataclass(frozen=True)
class Change:
    """One change to the token span `[start, end)` of the original document.

    insert:  `start == end`; `text` goes right behind token `start - 1` (before its trailing blank), or in front of
             everything if `start` is 0. Blanks that are wanted are part of `text`.
    delete:  the tokens of the span disappear, `text` is "".
    replace: `text` takes the place of the span; the blank behind the span stays.
    """

    kind: Kind
    start: int
    end: int
    text: str = ""


@dataclass(frozen=True)
class Edit:
    """The text after an operator, and the changes that made it (ordered, not overlapping)."""

    text: str
    changes: tuple[Change, ...]

    @classmethod
    def of(cls, doc: Doc, changes: Sequence[Change]) -> Edit | None:
        """Apply `changes` to `doc`; `None` if they leave the text as it was."""
        ordered = tuple(sorted(changes, key=lambda c: (c.start, c.end)))
        text = render(doc, ordered)
        return None if text == doc.text else cls(text, ordered)


def render(doc: Doc, changes: Sequence[Change]) -> str:
    """Return the text of `doc` after `changes` (sorted, not overlapping); untouched blanks stay as they are.

    A deleted span takes one of the blanks beside it along: its own or, before punctuation and at the end, the one in
    front of it ("the cat ." never arises). Where only one side has a blank and both neighbours are words, it stays
    ("do n't go" without "n't" is "do go"). Where a word of a script without blanks kept two others apart, a blank takes its
    place ("iPhone和iPad" without "和" is "iPhone iPad"). Raises ValueError if two changes overlap or leave the document.
    """
    out: list[str] = []
    position = 0
    # the original text that stood in front of what comes next; "" behind an insertion, which brings the blanks it wants
    before = ""

    def write(text: str, blank: str, first: str, last: str) -> None:
        """Write a text and its blank for the original that begins with token text `first` and ends with `last`."""
        nonlocal before
        if out and not out[-1] and needs_blank(out[-2], text) and (is_unspaced(before[-1:]) or is_unspaced(first[:1])):
            out[-1] = " "
        out.extend((text, blank))
        before = last

    def copy(until: int) -> None:
        nonlocal position, before
        for index in range(position, until):
            token = doc[index]
            if index == position:  # between the others is what was between them before
                write(token.text, token.whitespace_, token.text, token.text)
            else:
                out.extend((token.text, token.whitespace_))
                before = token.text
        position = until

    for change in changes:
        if not position <= change.start <= change.end <= len(doc):
            raise ValueError(f"{change} overlaps another change or leaves the {len(doc)}-token document")
        copy(change.start)
        blank = ""
        if change.kind == "insert":
            # behind the last token but before its blank
            if out and position:
                blank = out.pop()
            out.append(change.text)
            out.append(blank)
            before = ""
            continue
        last_blank = doc[change.end - 1].whitespace_
        if change.kind == "replace":
            write(change.text, last_blank, doc[change.start].text, doc[change.end - 1].text)
        elif out and change.end == len(doc):
            out[-1] = ""
        elif out and bool(out[-1]) != bool(last_blank):
            # out[-1] is always the blank behind what was written last, out[-2] that text
            out[-1] = " " if _is_word(out[-2]) and _is_word(doc[change.end].text) else ""
        if change.kind == "delete":
            # either end of what is gone may have been what kept its neighbours apart
            first, last = doc[change.start].text, doc[change.end - 1].text
            before = last if is_unspaced(last[-1:]) else first[:1]
        position = change.end
    copy(len(doc))
    return "".join(out)


def _is_word(text: str) -> bool:
    return any(map(str.isalnum, text))


@dataclass(frozen=True)
class OperatorTools:
    """What an operator may need beside the sentence: the language pack, and the encoder folder or id of the run."""

    pack: Any = None
    encoder: str | None = None
    load_masked_lm: Callable[[str], Any] | None = None


class Operator(ABC):
    """A change of a sentence. Subclasses set `name`, may accept a `variant` (written `name@variant`), and are stateless."""

    name: ClassVar[str]
    level: ClassVar[Literal["text", "tokens"]] = "text"
    #: False: tokens are all it reads (`LanguagePack.tokenise_all`), so that nothing has to be parsed for it
    needs_parse: ClassVar[bool] = True
    #: variants worth listing and checking (`augbench ls operators`, `augbench check language`), without the plain name
    variants: ClassVar[Sequence[str]] = ()
    #: "punctuation" promises that the letters, digits and symbols, and the words they form, stay as they are; the
    #: conformance battery holds the operator to it
    changes_only: ClassVar[Literal["punctuation"] | None] = None

    def __init__(self, variant: str | None = None, tools: OperatorTools | None = None) -> None:
        """`variant` is the part behind `@` (a rate in percent, `paper` …). Raises ValueError, naming the valid ones."""
        self.variant = variant
        self.tools = tools or OperatorTools()

    @property
    def spec(self) -> str:
        """The full name, `name` or `name@variant`."""
        return self.name if self.variant is None else f"{self.name}@{self.variant}"

    @property
    def members(self) -> Sequence[Operator]:
        """The operators this one leaves its work to; their code is part of its identity (`harness.provenance`)."""
        return ()

    @abstractmethod
    def apply(self, doc: Doc, rng: random.Random) -> Edit | None:
        """Return the edit of one parsed sentence, or `None` if the operator does not apply to it."""

    def apply_batch(self, docs: Sequence[Doc], rngs: Sequence[random.Random]) -> list[Edit | None]:
        """Return the edits of several sentences; override where a model makes batches worth while.

        An operator that overrides it, and has no `members`, is used in the process that made it and never in a worker's.
        """
        return [self.apply(doc, rng) for doc, rng in zip(docs, rngs, strict=True)]

    def fingerprint(self) -> dict[str, Any]:
        """Everything beside the code that the output depends on (rates, lexicons, a model); part of the run's identity."""
        return {"operator": self.spec}


@dataclass(frozen=True)
class TokenOperator:
    """A change of the encoder's own word pieces, after truncation (sub-word repetition and the like).

    `apply_ids` gets the ids of one sentence including special tokens and returns new ids, or `None` if it does not apply.
    """

    spec: str
    apply_ids: Callable[[Sequence[int], random.Random], list[int] | None]
    settings: dict[str, Any] = field(default_factory=dict)
    level: ClassVar[Literal["text", "tokens"]] = "tokens"

    def fingerprint(self) -> dict[str, Any]:
        """Everything beside the code that the output depends on."""
        return {"operator": self.spec, **self.settings}
