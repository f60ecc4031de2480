"""From texts to token arrays: every view of every row, tokenised once, cached by content, with what happened counted."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from harness.cache import cache_dir, content_key
from harness.encoder import load_masked_lm
from harness.encoder.vocabulary import Vocabulary
from harness.errors import DataError
from harness.operators import resolve
from harness.protocols import LanguagePack, Method, Operator, OperatorTools, TokenOperator, View
from harness.provenance import code_digest, digest
from harness.seeds import derive, python_rng
from harness.training.data import TokenArray, TrainingData
from harness.views import ViewColumn, build_views


def operators_of(method: Method, pack: LanguagePack, encoder: str) -> dict[str, Operator | TokenOperator]:
    """Return the operators of a method's views by spec. Raises UsageError for unknown ones, Skipped for unusable ones."""
    specs = list(dict.fromkeys(view.operator for view in method.views() if view.operator))
    tools = OperatorTools(pack=pack, encoder=encoder, load_masked_lm=load_masked_lm)
    return dict(zip(specs, resolve(specs, pack, tools), strict=True))


def prepare(
    method: Method,
    columns: Mapping[str, Sequence[str]],
    *,
    pack: LanguagePack,
    encoder: str,
    encoder_sha: str,
    vocabulary: Vocabulary,
    seed: int,
    numbers: Mapping[str, np.ndarray] | None = None,
    progress: bool = False,
) -> TrainingData:
    """Return the token arrays of a method's views over text columns (name -> one text per row), from the cache if known."""
    operators = operators_of(method, pack, encoder)
    key = content_key(
        {
            "columns": {name: digest(list(texts)) for name, texts in columns.items()},
            "views": [str(view) for view in method.views()],
            "operators": {s: [op.fingerprint(), code_digest(op)] for s, op in operators.items()},
            "pack": [pack.fingerprint(), code_digest(pack)] if operators else None,
            "encoder": encoder_sha,
            "max_length": method.config.max_length,
            "seed": seed if operators else None,
            "code": code_digest(prepare),
            "numbers": {name: digest(np.asarray(v).tolist()) for name, v in (numbers or {}).items()},
        }
    )
    folder = cache_dir() / "tokens" / key
    if not (folder / "data.json").is_file():
        data = _build(method, columns, operators, pack, vocabulary, seed, numbers or {}, progress)
        _store(data, folder)
    return TrainingData.load(folder)


def _store(data: TrainingData, folder: Path) -> None:
    fresh = folder.with_name(f"{folder.name}.{derive(0, id(data))}.new")
    try:
        data.save(fresh)
        fresh.rename(folder)
    except OSError as error:
        if not (folder / "data.json").is_file():  # else another process was faster
            raise DataError(
                f"cannot write token arrays to {folder} ({error.strerror or error}). Free some space or set AUGBENCH_CACHE."
            ) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _build(
    method: Method,
    columns: Mapping[str, Sequence[str]],
    operators: Mapping[str, Operator | TokenOperator],
    pack: LanguagePack,
    vocabulary: Vocabulary,
    seed: int,
    numbers: Mapping[str, np.ndarray],
    progress: bool,
) -> TrainingData:
    length = method.config.max_length
    plain: dict[tuple[str, bool], list[np.ndarray]] = {}

    def tokens(column: str, truncate: bool) -> list[np.ndarray]:
        if (column, truncate) not in plain:
            plain[column, truncate] = vocabulary.rows(columns[column], length, truncate=truncate)
        return plain[column, truncate]

    built = _text_views(method, columns, operators, pack, seed, progress)
    views: dict[str, TokenArray] = {}
    present: dict[str, np.ndarray] = {}
    notes: dict[str, Any] = {}
    for view in method.views():
        texts = columns[view.column]
        rows = tokens(view.column, view.truncate)
        exists = np.ones(len(texts), dtype=bool)
        if view.operator is not None:
            operator = operators[view.operator]
            tried = np.array([_chosen(view, seed, text) for text in texts], dtype=bool)
            if isinstance(operator, TokenOperator):
                rows, applied = _edit_pieces(operator, texts, rows, tried, seed)
            else:
                column = built[view.column][operator.spec]
                rows, applied = _tokenise(column, rows, tried, vocabulary, length, truncate=view.truncate)
            if view.on_refusal == "missing":
                exists = applied
            notes[view.name] = _count(operator, tried, applied, rows, tokens(view.column, view.truncate))
        elif view.truncate:
            notes[view.name] = {"at_length_limit": int(sum(len(row) >= length for row in rows))}
        views[view.name] = TokenArray.of(rows, vocabulary.size)
        present[view.name] = exists
    return TrainingData(views, present, {k: np.asarray(v) for k, v in numbers.items()}, notes)


def _chosen(view: View, seed: int, text: str) -> bool:
    return view.proportion >= 1 or python_rng(seed, "proportion", view.operator or "", text).random() < view.proportion


def _text_views(
    method: Method,
    columns: Mapping[str, Sequence[str]],
    operators: Mapping[str, Operator | TokenOperator],
    pack: LanguagePack,
    seed: int,
    progress: bool,
) -> dict[str, dict[str, ViewColumn]]:
    """Column -> operator -> view of every row. Each text is parsed once; a sweep over proportions shares the views."""
    wanted: dict[str, dict[str, Operator]] = {}
    for view in method.views():
        operator = operators.get(view.operator or "")
        if isinstance(operator, Operator):
            wanted.setdefault(view.column, {})[operator.spec] = operator
    folder = cache_dir()
    return {
        column: build_views(
            columns[column],
            list(chosen.values()),
            pack=pack,
            seed=seed,
            cache=folder / "views",
            parses=folder / "parses",
            progress=progress,
        )
        for column, chosen in wanted.items()
    }


def _edit_pieces(
    operator: TokenOperator, texts: Sequence[str], rows: Sequence[np.ndarray], tried: np.ndarray, seed: int
) -> tuple[list[np.ndarray], np.ndarray]:
    """Rows after an operator on word pieces, and where it applied; the original row stays everywhere else."""
    out, applied = list(rows), np.zeros(len(texts), dtype=bool)
    for i in np.flatnonzero(tried).tolist():
        ids = operator.apply_ids(rows[i].tolist(), python_rng(seed, operator.spec, texts[i]))
        if ids is not None:
            out[i], applied[i] = np.asarray(ids, dtype=np.int32), True
    return out, applied


def _tokenise(
    column: ViewColumn,
    rows: Sequence[np.ndarray],
    tried: np.ndarray,
    vocabulary: Vocabulary,
    length: int,
    *,
    truncate: bool,
) -> tuple[list[np.ndarray], np.ndarray]:
    """Rows of a text view, and where it applied; the original row stays everywhere else."""
    out, applied = list(rows), np.zeros(len(rows), dtype=bool)
    changed = [(i, text) for i, text in enumerate(column.texts) if tried[i] and text is not None]
    new = vocabulary.rows([text for _, text in changed], length, truncate=truncate)
    for (i, _), row in zip(changed, new, strict=True):
        out[i], applied[i] = row, True
    return out, applied


def _count(
    operator: Operator | TokenOperator,
    tried: np.ndarray,
    applied: np.ndarray,
    rows: Sequence[np.ndarray],
    originals: Sequence[np.ndarray],
) -> dict[str, Any]:
    """What a record says of an operator's view: its coverage (of the rows it was tried on) and the share of all rows that
    differ from the text in what the encoder gets. Pairs that truncation made equal are counted, not hidden.
    """
    lost = sum(bool(a) and np.array_equal(x, y) for a, x, y in zip(applied, rows, originals, strict=True))
    return {
        "operator": operator.fingerprint(),
        "tried": int(tried.sum()),
        "applied": int(applied.sum()),
        "coverage": round(float(applied.sum() / max(1, tried.sum())), 6),
        "equal_after_truncation": int(lost),
        "changed": round(float((applied.sum() - lost) / max(1, len(applied))), 6),
    }
