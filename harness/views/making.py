"""How does a handful of sentences become views? Find or parse them, give each operator its random numbers, note the changes.

This is all that decides what a view is; who calls it, for which sentences and in which process does not matter.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from harness.cache import content_key
from harness.errors import AugBenchError, DataError
from harness.languages import open_pack
from harness.operators import resolve
from harness.protocols import Change, Doc, Edit, LanguagePack, Operator, OperatorTools
from harness.seeds import python_rng
from harness.views.parses import ParseCache, UnusableShard

# spaCy is fastest with batches that stay in the processor's cache
_PARSER_BATCH = 128


@dataclass(frozen=True)
class Chunk:
    """Sentences to work on together.

    stored  shard of the parse cache -> (index into `texts`, place in the shard) for the sentences whose parses are there
    save    whether the parses of the others are worth keeping
    """

    texts: Sequence[str]
    stored: Mapping[str, Sequence[tuple[int, int]]] = field(default_factory=dict)
    save: bool = False


@dataclass(frozen=True)
class Made:
    """Views of a chunk: spec -> a text and the JSON of the changes per sentence, both None where it does not apply.

    notes  what the user should be told once (a damaged shard, a folder that cannot be written)
    """

    texts: dict[str, list[str | None]]
    changes: dict[str, list[str | None]]
    notes: list[str]

    def __or__(self, other: Made) -> Made:
        return Made(self.texts | other.texts, self.changes | other.changes, self.notes + other.notes)


class Maker:
    """Makes the views of chunks with one pack and its operators; parses only if one of them needs it."""

    def __init__(
        self, pack: LanguagePack, operators: Sequence[Operator], *, seed: int, parses: ParseCache | None = None
    ) -> None:
        self.pack = pack
        self.operators = operators
        self.seed = seed
        self.parses = parses
        self.needs_parse = any(operator.needs_parse for operator in operators)

    def __call__(self, chunk: Chunk) -> Made:
        """Return the views of a chunk. An operator's exception carries a note that says where it happened."""
        made = Made({}, {}, [])
        if not self.operators:
            return made
        docs = self._docs(chunk, made.notes) if self.needs_parse else list(self.pack.tokenise_all(chunk.texts))
        for operator in self.operators:
            edits = self._apply(operator, chunk.texts, docs)
            made.texts[operator.spec] = [edit.text if edit else None for edit in edits]
            made.changes[operator.spec] = [changes_json(edit.changes) if edit else None for edit in edits]
        return made

    def _apply(self, operator: Operator, texts: Sequence[str], docs: Sequence[Doc]) -> list[Edit | None]:
        rngs = [python_rng(self.seed, operator.spec, text) for text in texts]
        try:
            edits = operator.apply_batch(docs, rngs)
        except AugBenchError:
            raise
        except Exception as error:
            error.add_note(f"in operator {operator.spec}, among the sentences from {texts[0][:80]!r} on")
            raise
        if len(edits) != len(docs):
            raise ValueError(f"operator {operator.spec} gave {len(edits)} answers for {len(docs)} sentences")
        return edits

    def _docs(self, chunk: Chunk, notes: list[str]) -> list[Doc]:
        docs: list[Any] = [None] * len(chunk.texts)
        for shard, rows in chunk.stored.items():
            assert self.parses is not None
            try:
                loaded = self.parses.load(shard, [place for _, place in rows])
            except UnusableShard as error:
                notes.append(str(error))
                continue
            for (row, _), doc in zip(rows, loaded, strict=True):
                if doc.text == chunk.texts[row]:  # else two texts share a hash
                    docs[row] = doc
        new = [row for row, doc in enumerate(docs) if doc is None]
        todo = iter(new)
        while batch := list(islice(todo, _PARSER_BATCH)):
            for row, doc in zip(batch, self.pack.parse([chunk.texts[row] for row in batch]), strict=True):
                docs[row] = doc
        if new and self.parses is not None and (chunk.save or notes):
            try:
                self.parses.save([chunk.texts[row] for row in new], [docs[row] for row in new])
            except DataError as error:
                notes.append(str(error))
        return docs


def changes_json(changes: Sequence[Change]) -> str:
    """Return changes as a JSON list of {"kind", "start", "end", "text"}."""
    rows = [{"kind": c.kind, "start": c.start, "end": c.end, "text": c.text} for c in changes]
    return json.dumps(rows, ensure_ascii=False)


# -- in another process -----------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Order:
    """What another process needs to open the same maker: names, not objects.

    operators  (spec, encoder) pairs;  parses  the folder of the parse cache;  identity  what pack and operators must be
    """

    pack: str
    operators: tuple[tuple[str, str | None], ...]
    seed: int
    parses: Path | None
    identity: str


def order(maker: Maker) -> Order:
    """Return the order for `open_maker`."""
    return Order(
        maker.pack.name,
        tuple((operator.spec, operator.tools.encoder) for operator in maker.operators),
        maker.seed,
        maker.parses.folder if maker.parses else None,
        _identity(maker.pack, maker.operators),
    )


def open_maker(given: Order) -> Maker:
    """Open a maker by name. Raises DataError if these are not the pack and operators that were meant."""
    pack = open_pack(given.pack)
    pack.enter_worker()
    operators = [_reopen(spec, encoder, pack) for spec, encoder in given.operators]
    if _identity(pack, operators) != given.identity:
        raise DataError(
            f"the pack {given.pack!r} changed while views were made; start again when its files are not being edited."
        )
    return Maker(pack, operators, seed=given.seed, parses=ParseCache(given.parses, pack) if given.parses else None)


def can_be_reopened(operator: Operator, pack: LanguagePack) -> bool:
    """Tell whether another process can open this operator by name and is the place for it.

    An operator with a model (it overrides `apply_batch`) is not: the model is in this process, and perhaps on a GPU.
    """
    return not _has_model(operator) and _same(operator, lambda: _reopen(operator.spec, operator.tools.encoder, pack))


def pack_can_be_reopened(pack: LanguagePack) -> bool:
    """Tell whether `open_pack` finds the same pack under this one's name; not so for one made by hand, in a test say."""
    return _same(pack, lambda: open_pack(pack.name))


def _reopen(spec: str, encoder: str | None, pack: LanguagePack) -> Any:
    return resolve([spec], pack, OperatorTools(pack=pack, encoder=encoder))[0]


def _has_model(operator: Operator) -> bool:
    if operator.members:
        return any(_has_model(member) for member in operator.members)
    return type(operator).apply_batch is not Operator.apply_batch


def _same(one: Any, open_other: Any) -> bool:
    try:
        other = open_other()
    except Exception:  # whatever keeps a third party's object from being opened keeps the work in this process
        return False
    return type(other) is type(one) and other.fingerprint() == one.fingerprint()


def _identity(pack: LanguagePack, operators: Sequence[Operator]) -> str:
    return content_key([pack.fingerprint(), [operator.fingerprint() for operator in operators]])
