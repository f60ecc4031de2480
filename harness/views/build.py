"""Who works on which sentences? Plans a corpus, shares it among processes if that pays, and puts the answers together."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from harness.protocols import LanguagePack, Operator
from harness.provenance import usable_cores
from harness.views.bar import sentence_bar
from harness.views.columns import ViewColumn, column_files, read_column, write_column
from harness.views.making import Chunk, Made, Maker, can_be_reopened, open_maker, order, pack_can_be_reopened
from harness.views.parses import ParseCache
from harness.views.planning import CHEAPER, Plan, locate
from harness.views.texts import Texts
from harness.views.workers import Workers

log = logging.getLogger(__name__)

# sentences in a chunk, and so in a shard of the parse cache
_CHUNK = 512
# a smaller corpus is cut into this many chunks per process, so that all are busy to the end, but into none of fewer sentences
_ROUNDS = 4
_FEWEST = 64
# sentences to parse before other processes pay: starting one takes as long as parsing about a thousand
_ENOUGH = 3_000


def build_views(
    texts: Sequence[str],
    operators: Sequence[Operator],
    *,
    pack: LanguagePack,
    seed: int,
    cache: Path | None = None,
    parses: Path | None = None,
    jobs: int | None = None,
    progress: bool = False,
) -> dict[str, ViewColumn]:
    """Return spec -> view column, rows in the order of `texts`. Each unique text is worked on once.

    cache   the folder for finished views (`cache_dir() / "views"`), or None for none: one Parquet file per operator, pack,
            seed and texts
    parses  the folder for parses (`cache_dir() / "parses"`), or None for none; other operators and seeds find them there
    jobs    processes; None takes as many as there are cores (or OMP_NUM_THREADS says) if there is enough to do. Operators
            with a model, and packs that cannot be opened by name, stay in this process.
    progress  a bar on stderr, if that is a terminal

    Damaged files are made anew, and a folder that cannot be written costs a warning. Raises ValueError for token-level
    operators, which work on an encoder's word pieces and not on text, AugBenchError if a process dies, and what an operator
    raises, with a note that says where.
    """
    wanted = _by_spec(operators)
    files = {} if cache is None else column_files(wanted.values(), texts, pack=pack, seed=seed, folder=cache)
    columns: dict[str, ViewColumn] = {}
    for spec, file in files.items():
        column = read_column(file, spec, len(texts))
        if column is not None:
            columns[spec] = column
    missing = [operator for spec, operator in wanted.items() if spec not in columns]
    if missing:
        maker = Maker(pack, missing, seed=seed, parses=ParseCache.of(parses, pack) if parses else None)
        for column in _compute(texts, maker, jobs, progress):
            columns[column.spec] = column
            if column.spec in files:
                write_column(files[column.spec], column)
    return {spec: columns[spec] for spec in wanted}


def stream_views(
    chunks: Iterable[Sequence[str]],
    operators: Sequence[Operator],
    *,
    pack: LanguagePack,
    seed: int,
    parses: Path | None = None,
    jobs: int | None = None,
) -> Generator[tuple[Sequence[str], dict[str, ViewColumn]], None, None]:
    """Yield (texts, spec -> view column) per chunk, in order, for texts that come portion by portion.

    Arguments and errors are those of `build_views`. With `jobs=None` other processes help as soon as a few thousand
    sentences have come and there are more.
    """
    wanted = list(_by_spec(operators).values())
    maker = Maker(pack, wanted, seed=seed, parses=ParseCache.of(parses, pack) if parses else None)
    located = (locate(texts, maker) for texts in chunks)
    if jobs is None:
        yield from _columns(_make(_first(located, _ENOUGH * (1 if maker.needs_parse else CHEAPER)), maker, 1))
        more = next(located, None)
        if more is None:
            return
        yield from _columns(_make(itertools.chain([more], located), maker, default_jobs()))
    else:
        yield from _columns(_make(located, maker, jobs))


def default_jobs() -> int:
    """Return how many processes may work at once: OMP_NUM_THREADS, if it is set to a number, else the usable cores."""
    granted, cores = os.environ.get("OMP_NUM_THREADS", ""), usable_cores()
    return min(int(granted), cores) if granted.isdigit() and int(granted) else cores


def _by_spec(operators: Sequence[Operator]) -> dict[str, Operator]:
    for operator in operators:
        if not isinstance(operator, Operator):
            raise ValueError(f"{operator.spec} works on word pieces after tokenisation; it has no text view.")
    return {operator.spec: operator for operator in operators}


def _compute(texts: Sequence[str], maker: Maker, jobs: int | None, progress: bool) -> list[ViewColumn]:
    number = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    plan = Plan(list(number), maker)
    if jobs is None:
        jobs = default_jobs() if plan.work >= _ENOUGH else 1
    size = _CHUNK if jobs == 1 else min(_CHUNK, max(_FEWEST, len(number) // (_ROUNDS * jobs)))
    specs = [operator.spec for operator in maker.operators]
    columns = {spec: ViewColumn(spec, Texts.gaps(len(number)), Texts.gaps(len(number))) for spec in specs}
    with (
        sentence_bar(progress, len(number)) as advance,
        contextlib.closing(_make(plan.chunks(size), maker, jobs)) as results,
    ):
        for chunk, made in results:
            places = np.array([number[text] for text in chunk.texts], np.int64)
            for spec in specs:
                columns[spec].texts.put(places, made.texts[spec])
                columns[spec].changes.put(places, made.changes[spec])
            advance(len(places))
    if len(number) < len(texts):
        rows = [number[text] for text in texts]
        return [
            ViewColumn(spec, column.texts.take(rows), column.changes.take(rows)) for spec, column in columns.items()
        ]
    return list(columns.values())


def _columns(
    results: Generator[tuple[Chunk, Made], None, None],
) -> Iterator[tuple[Sequence[str], dict[str, ViewColumn]]]:
    with contextlib.closing(results):
        for chunk, made in results:
            yield (
                chunk.texts,
                {
                    spec: ViewColumn(spec, Texts.of(made.texts[spec]), Texts.of(made.changes[spec]))
                    for spec in made.texts
                },
            )


def _make(chunks: Iterable[Chunk], maker: Maker, jobs: int) -> Generator[tuple[Chunk, Made], None, None]:
    """Yield the chunks with their views, in order; what can be done in other processes is, if there may be more than one."""
    told: set[str] = set()
    with contextlib.closing(
        _in_several(chunks, maker, jobs) if jobs > 1 else _in_one_process(chunks, maker)
    ) as results:
        for chunk, made in results:
            for note in made.notes:
                what = note.partition("(")[0]  # without the reason: who comes second finds a damaged file gone
                if what not in told:
                    log.warning("%s", note)
                    told.add(what)
            yield chunk, made


def _in_one_process(chunks: Iterable[Chunk], maker: Maker) -> Generator[tuple[Chunk, Made], None, None]:
    return ((chunk, maker(chunk)) for chunk in chunks)


def _in_several(chunks: Iterable[Chunk], maker: Maker, jobs: int) -> Generator[tuple[Chunk, Made], None, None]:
    there: list[Operator] = []
    if pack_can_be_reopened(maker.pack):
        there = [operator for operator in maker.operators if can_be_reopened(operator, maker.pack)]
    if not there:
        yield from _in_one_process(chunks, maker)
        return
    here = [operator for operator in maker.operators if operator not in there]
    mine = Maker(maker.pack, here, seed=maker.seed, parses=maker.parses) if here else None
    theirs = Maker(maker.pack, there, seed=maker.seed, parses=maker.parses)
    given, again = itertools.tee(chunks)
    with Workers(open_maker, order(theirs), jobs=jobs) as workers:
        # answers first: if the source of the chunks fails, it is they that say so
        for made, chunk in zip(workers.map(given), again, strict=True):
            yield chunk, made if mine is None else made | mine(chunk)


def _first(chunks: Iterator[Chunk], count: int) -> Iterator[Chunk]:
    while count > 0:
        chunk = next(chunks, None)
        if chunk is None:
            return
        count -= len(chunk.texts)
        yield chunk
