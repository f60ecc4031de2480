"""Do a pack's operators keep the contract of `Operator`? One check per promise, operator and variant."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import partial

import numpy as np

from harness.conformance import Check
from harness.conformance.subject import Attempt, Subject, shown
from harness.errors import AugBenchError, Skipped
from harness.foreign import WORKER
from harness.protocols import Change, Doc, Edit, LanguagePack, registry
from harness.protocols.operator import render
from harness.protocols.scripts import is_unspaced
from harness.seeds import python_rng

_NO_VARIANT = "no-such-variant"
_CHUNK = 7
_CHILD = (
    "import json, sys\nfrom harness.augmentation import augment\nasked = json.load(sys.stdin)\n"
    "json.dump(augment(asked['texts'], asked['operators'], language=asked['language']), sys.stdout)"
)


def operator_checks(s: Subject) -> Iterator[Check]:
    """Yield the checks of every operator of the pack, in its plain form and every variant it declares."""
    specs = s.specs()
    for spec in specs:
        yield f"{spec}: never crashes", partial(_crashes, s, spec)
        yield f"{spec}: an edit is its changes", partial(_edits, s, spec)
        yield f"{spec}: blanks of untouched parts stay", partial(_blanks, s, spec)
        yield f"{spec}: equal seeds give equal outputs", partial(_deterministic, s, spec)
        yield f"{spec}: batch, order and other operators do not matter", partial(_independent, s, spec)
        if (promise := _declared(s, spec)) is not None:
            yield f"{spec}: changes only {promise}", partial(_promise, s, spec, promise)
        yield f"{spec}: the fingerprint is JSON and its own", partial(_fingerprint, s, spec)
    for name in s.pack.operators():
        yield f"{name}: unknown variants are refused", partial(_unknown_variant, s, name)
    if specs:
        yield "another process gives the same outputs", partial(_processes, s, specs)


def _crashes(s: Subject, spec: str) -> None:
    crashed = [attempt for attempt in s.attempts(spec) if attempt.error is not None]
    if crashed:
        first = crashed[0]
        raise AssertionError(
            f"{len(crashed)} crashes; {first.place}: {type(first.error).__name__}: {first.error}"
        ) from first.error


def _edits(s: Subject, spec: str) -> None:
    changed = s.edits(spec)
    for attempt in changed:
        edit, doc, where = attempt.edit, attempt.doc, attempt.place
        assert isinstance(edit, Edit), f"{where}: got {type(edit).__name__}, expected an Edit or None"
        for change in edit.changes:
            fault = _fault(change)
            assert not fault, f"{where}: {change} {fault}"
        try:
            rendered = render(doc, edit.changes)
        except ValueError as error:
            raise AssertionError(f"{where}: {error}") from error
        assert rendered == edit.text, f"{where}: the changes give {shown(rendered)}, the text is {shown(edit.text)}"
        assert edit.text != doc.text, f"{where}: the text is as it was; return None"
        assert edit.text.isprintable() or not doc.text.isprintable(), f"{where}: {shown(edit.text)} cannot be printed"
    assert changed or not s.plain, f"{spec} changes none of {len(s.texts)} texts"


def _fault(change: Change) -> str:
    """Return what is wrong with a single change, or nothing."""
    empty = change.start == change.end
    if change.kind == "insert":
        return "" if empty and change.text else "inserts nothing, or covers tokens"
    if change.kind == "delete":
        return "deletes nothing, or has a text" if empty or change.text else ""
    if change.kind == "replace":
        return "replaces nothing, or by nothing" if empty or not change.text else ""
    return "is of no known kind"


def _blanks(s: Subject, spec: str) -> None:
    for attempt in s.edits(spec):
        for change in attempt.edit.changes:
            if change.kind == "replace":
                span = "".join(t.text + t.whitespace_ for t in attempt.doc[change.start : change.end])
                _same_gaps(span.removesuffix(attempt.doc[change.end - 1].whitespace_), change.text, attempt)
        if attempt.name in s.plain and attempt.doc.text == " ".join(attempt.doc.text.split()):
            text = attempt.edit.text
            assert text == " ".join(text.split()), f"{attempt.place}: {shown(text)} has blanks nobody needs"


def _same_gaps(old: str, new: str, attempt: Attempt) -> None:
    """Neighbouring words that a replacement keeps must keep the blanks between them."""
    (words, gaps), (new_words, new_gaps) = (_split(text) for text in (old, new))
    for block in SequenceMatcher(None, words, new_words, autojunk=False).get_matching_blocks():
        for i in range(block.size - 1):
            before, after = gaps[block.a + i], new_gaps[block.b + i]
            assert before == after, f"{attempt.place}: {before!r} behind {words[block.a + i]!r} became {after!r}"


def _split(text: str) -> tuple[list[str], list[str]]:
    parts = re.split(r"(\s+)", text.strip())
    return parts[::2], parts[1::2]


def _deterministic(s: Subject, spec: str) -> None:
    # one that draws from a global generator instead of `rng` gives itself away when that generator is set back
    state = random.getstate(), np.random.get_state()
    try:
        random.seed(1)
        np.random.seed(1)
        again = s.text_operator(spec)
        for attempt in reversed(s.attempts(spec)):
            if attempt.error is None:
                edit = again.apply(attempt.doc, python_rng(attempt.seed, spec, attempt.doc.text))
                assert edit == attempt.edit, (
                    f"{attempt.place}: {_output(attempt.edit)}, and again {_output(edit)}; draw from `rng` only and keep no state"
                )
    finally:
        random.setstate(state[0])
        np.random.set_state(state[1])


def _independent(s: Subject, spec: str) -> None:
    worn = s.worn_docs()
    alone = {a.name: a for a in s.attempts(spec) if a.seed == 0 and a.error is None}
    attempts, docs = (
        [alone[name] for name in worn if name in alone],
        [doc for name, doc in worn.items() if name in alone],
    )
    operator = s.text_operator(spec)
    for start in range(0, len(docs), _CHUNK):
        chunk, before = docs[start : start + _CHUNK], attempts[start : start + _CHUNK]
        edits = operator.apply_batch(chunk, [python_rng(0, spec, doc.text) for doc in chunk])
        assert len(edits) == len(chunk), f"apply_batch gave {len(edits)} edits for {len(chunk)} documents"
        for attempt, edit in zip(before, edits, strict=True):
            assert edit == attempt.edit, (
                f"{attempt.place}: {_output(attempt.edit)} alone, {_output(edit)} in a batch behind all operators"
            )


def _declared(s: Subject, spec: str) -> str | None:
    try:
        return s.text_operator(spec).changes_only
    except (AssertionError, AugBenchError):
        return None  # its other checks say why it cannot be made


def _promise(s: Subject, spec: str, promise: str) -> None:
    assert promise == "punctuation", f"changes_only is {promise!r}, expected 'punctuation'"
    for attempt in s.edits(spec):
        old, new = attempt.doc.text, attempt.edit.text
        assert _unpunctuated(old, attempt.doc) == _unpunctuated(new, attempt.doc), (
            f"{attempt.place}: {shown(new)} differs in more than punctuation"
        )


def _unpunctuated(text: str, doc: Doc) -> tuple[list[str], list[str]]:
    """The text without punctuation and blanks, and its words; a mark inside a word makes two of it.

    Words are runs of letters and digits. Where a script writes no blanks, a run holds many: there a mark parts words at the end
    of a token of `doc`, and only inside of one it makes two words of one.
    """
    rest = [c for c in text if not c.isspace() and not _is_mark(c)]
    ends, place = set(), 0
    for token in doc:
        place += sum(not c.isspace() and not _is_mark(c) for c in token.text)
        ends.add(place)
    words, place = [""], 0
    for c in text:
        if not c.isspace() and not _is_mark(c):
            if place in ends and words[-1] and (is_unspaced(c) or is_unspaced(words[-1][-1])):
                words.append("")
            place += 1
        if c.isalnum():
            words[-1] += c
        elif words[-1]:
            words.append("")
    return rest, [word for word in words if word]


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("P")


def _fingerprint(s: Subject, spec: str) -> None:
    first, second = (s.operator(spec).fingerprint() for _ in range(2))
    assert first == second, "two operators of one spec have two fingerprints"
    text = json.dumps(first, allow_nan=False)
    assert json.loads(text) == first, "the fingerprint does not survive JSON"
    assert str(s.pack.folder) not in text, "the fingerprint holds a path, which differs from machine to machine"
    assert s.operator(spec).spec == spec, f"the operator calls itself {s.operator(spec).spec!r}, not {spec!r}"
    for other in s.specs():
        if other != spec:
            with contextlib.suppress(Skipped):  # what cannot be made here has no fingerprint
                assert s.operator(other).fingerprint() != first, f"{other} has the same fingerprint"


def _unknown_variant(s: Subject, name: str) -> None:
    from harness.protocols import OperatorTools

    try:
        s.pack.operators()[name](_NO_VARIANT, OperatorTools(pack=s.pack))
    except ValueError:
        return
    except Skipped:
        raise
    except Exception as error:
        raise AssertionError(
            f"{name}@{_NO_VARIANT} raises {type(error).__name__}, expected ValueError naming the valid variants"
        ) from error
    raise AssertionError(f"{name}@{_NO_VARIANT} is taken, expected ValueError naming the valid variants")


def _processes(s: Subject, specs: list[str]) -> None:
    """Iteration over sets of strings differs from process to process; what comes out must not."""
    from harness.augmentation import augment

    if not _registered(s.pack):
        raise Skipped("the pack is not installed under its name, so no other process can open it")
    ready = [spec for spec in specs if _can_run(s, spec)]
    if not ready:
        raise Skipped("no operator on text can run here")
    asked = {"texts": list(s.plain.values()), "operators": ready, "language": s.pack.name}
    here = json.loads(json.dumps(augment(asked["texts"], ready, language=s.pack)))
    for hash_seed in ("1", "2"):
        path = os.pathsep.join(entry for entry in sys.path if entry)
        done = subprocess.run(
            [sys.executable, "-c", _CHILD],
            input=json.dumps(asked),
            env={
                **os.environ,
                "PYTHONHASHSEED": hash_seed,
                WORKER: "1",
                "PYTHONPATH": path,
                "PYTHONIOENCODING": "utf-8",
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, f"the other process failed: {done.stderr.strip()[-500:]}"
        for ours, theirs in zip(here, json.loads(done.stdout), strict=True):
            for spec in ready:
                assert ours["views"][spec] == theirs["views"][spec], (
                    f"{spec} of {shown(ours['text'])}: {_shown(ours['views'][spec])} here, "
                    f"{_shown(theirs['views'][spec])} in another process; never draw from a set"
                )


def _registered(pack: LanguagePack) -> bool:
    try:
        return type(registry.load("languages", pack.base_name)()) is type(pack)
    except Exception:
        return False


def _can_run(s: Subject, spec: str) -> bool:
    try:
        s.text_operator(spec)
        return not any(attempt.error for attempt in s.attempts(spec))
    except (AssertionError, Skipped):
        return False


def _output(edit: Edit | None) -> str:
    return _shown(None if edit is None else edit.text)


def _shown(text: str | None) -> str:
    return "left alone" if text is None else shown(text)
