"""How are the files read that the authors of the sets publish? One reader per original layout; each yields rows of ours.

The rules of a data folder are applied to every text: tabs and line separators inside become blanks, outer blanks go, nothing else
is changed. What an original leaves unlabelled (a blank score, the label `-`) is dropped and counted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.data.readers import read_text
from harness.errors import DataError

_SEPARATORS = re.compile("[\\t\\n\\r\\x0b\\x0c\\x1c-\\x1e\\x85\\u2028\\u2029]")
_SPLITS = ("train", "dev", "test")


@dataclass
class Original:
    """One file of a data folder, read from an original.

    place  where it belongs, e.g. `sts/en/STS-B/dev.tsv`;  rows: its lines, fields not yet joined
    dropped  rows of the original that have no label, or are broken where the original is known to have broken rows
    """

    place: str
    rows: list[list[str]] = field(default_factory=list)
    dropped: int = 0


def clean(text: str) -> str:
    """Return a text as a field of a data folder: separators are blanks, no blanks around it."""
    return _SEPARATORS.sub(" ", text).strip()


def lines_of(path: Path, *, latin: bool = False, blank: bool = False) -> list[str]:
    """Return the lines of a text file without their ends.

    latin  what is not UTF-8 is ISO 8859-1, as SentEval reads it;  blank: empty lines at the end are items too
    """
    try:
        text = read_text(path)
    except DataError:
        if not latin or not path.is_file():
            raise
        text = path.read_bytes().decode("latin-1")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if not lines[-1]:
        lines.pop()  # what follows the last line end
    while lines and not lines[-1] and not blank:
        lines.pop()
    if not lines:
        raise DataError(f"{path} is empty; get the original again.")
    return lines


def columns(
    path: Path, wanted: Mapping[str, Sequence[str]], *, broken: int | None = None
) -> Iterator[tuple[list[str], int]]:
    """Yield the wanted columns of a tab-separated file with a header, and how many broken rows were passed over so far.

    wanted  what is meant -> names the header may call it;  broken: how many too short rows are known to be in the original

    Raises DataError if the header lacks a column or a row is too short.
    """
    lines, missed = lines_of(path), 0
    header = lines[0].split("\t")
    where = []
    for meant, names in wanted.items():
        index = next((header.index(name) for name in names if name in header), None)
        if index is None:
            raise DataError(
                f"{path} has no column {' or '.join(names)} ({meant}) in its first line; found {', '.join(header)[:200]}."
            )
        where.append(index)
    for number, line in enumerate(lines[1:], start=2):
        fields = line.split("\t")
        if len(fields) <= max(where):
            missed += 1
            if missed > (broken or 0):
                raise DataError(
                    f"{path}, line {number}: {len(fields)} columns, expected {len(header)}; get the original again."
                )
            continue
        yield [fields[index] for index in where], missed


def labelled_pairs(
    path: Path, place: str, wanted: Mapping[str, Sequence[str]], *, labels: Sequence[str], broken: int | None = None
) -> Original:
    """Read label and two texts by the names of the header. Rows labelled `-` are dropped. Raises DataError on other labels."""
    found = Original(place)
    missed = 0
    for (label, first, second), so_far in columns(path, wanted, broken=broken):
        missed = so_far
        if label == "-":
            found.dropped += 1
        elif label not in labels:
            raise DataError(f"{path}: the label {label[:40]!r} is none of {', '.join(labels)}.")
        else:
            found.rows.append(filled([label, clean(first), clean(second)]))
    found.dropped += missed
    return found


def glue(
    folder: Path,
    name: str,
    files: Mapping[str, Sequence[str]],
    wanted: Mapping[str, Sequence[str]],
    labels: Sequence[str],
    broken: int | None = None,
) -> Iterator[Original]:
    """Read those of the files of a set in GLUE's format that are there: split -> names its file may have."""
    for split, path in _present(folder, files):
        yield labelled_pairs(path, f"other/en/{name}/{split}.tsv", wanted, labels=labels, broken=broken)


def qqp(folder: Path) -> Iterator[Original]:
    """GLUE's QQP: train.tsv and dev.tsv with question1, question2, is_duplicate. Some rows of train are known to be cut off."""
    wanted = {"label": ["is_duplicate"], "first": ["question1"], "second": ["question2"]}
    yield from glue(folder, "QQP", {"train": ["train.tsv"], "dev": ["dev.tsv"]}, wanted, ("0", "1"), broken=20)


_NLI = {"label": ["gold_label"], "first": ["sentence1"], "second": ["sentence2"]}
_NLI_LABELS = ("entailment", "neutral", "contradiction")


def snli(folder: Path) -> Iterator[Original]:
    """SNLI as GLUE or its authors publish it (snli_1.0_*.txt)."""
    files = {split: [f"{split}.tsv", f"snli_1.0_{split}.txt"] for split in _SPLITS}
    yield from glue(folder, "SNLI", files, _NLI, _NLI_LABELS)


def mnli(folder: Path) -> Iterator[Original]:
    """MultiNLI as GLUE or its authors publish it (multinli_1.0_*.txt)."""
    names = ("train", "dev_matched", "dev_mismatched")
    files = {split: [f"{split}.tsv", f"multinli_1.0_{split}.txt"] for split in names}
    yield from glue(folder, "MNLI", files, _NLI, _NLI_LABELS)


def mrpc(folder: Path) -> Iterator[Original]:
    """MRPC's own msr_paraphrase_train.txt and _test.txt: Quality, two ids, two sentences, quotes are characters."""
    wanted = {"label": ["Quality"], "first": ["#1 String"], "second": ["#2 String"]}
    for split, path in _present(folder, {s: [f"msr_paraphrase_{s}.txt"] for s in ("train", "test")}):
        yield labelled_pairs(path, f"transfer/en/MRPC/{split}.tsv", wanted, labels=("0", "1"))


def sick(path: Path, variant: str = "en") -> Iterator[Original]:
    """SICK: its one file SICK.txt with a column SemEval_set, or the three of SemEval (SICK_train, _trial, _test_annotated.txt)."""
    wanted = {"score": ["relatedness_score"], "first": ["sentence_A"], "second": ["sentence_B"]}
    names = {"train": ["SICK_train.txt"], "dev": ["SICK_trial.txt"], "test": ["SICK_test_annotated.txt"]}
    whole = path if path.is_file() else path / "SICK.txt"
    if not whole.is_file():
        for split, file in _present(path, names):
            rows = [filled([score_text(s, file), clean(a), clean(b)]) for (s, a, b), _ in columns(file, wanted)]
            yield Original(f"sts/{variant}/SICK-R/{split}.tsv", rows)
        return
    found = {split: Original(f"sts/{variant}/SICK-R/{split}.tsv") for split in _SPLITS}
    for (score, first, second, part), _ in columns(whole, {**wanted, "split": ["SemEval_set"]}):
        meant = {"TRAIN": "train", "TRIAL": "dev", "TEST": "test"}.get(part.strip())
        if meant is None:
            raise DataError(f"{whole}: SemEval_set is {part[:40]!r}, expected TRAIN, TRIAL or TEST.")
        found[meant].rows.append(filled([score_text(score, whole), clean(first), clean(second)]))
    yield from (original for original in found.values() if original.rows)


def cnsd(folder: Path) -> Iterator[Original]:
    """CNSD's Chinese STS-B: cnsd-sts-{train,dev,test}.txt, `id||sentence||sentence||score`."""
    for split, path in _present(folder, {split: [f"cnsd-sts-{split}.txt"] for split in _SPLITS}):
        found = Original(f"sts/zh/STS-B/{split}.tsv")
        for number, line in enumerate(lines_of(path), start=1):
            fields = line.split("||")
            if len(fields) != 4:
                raise DataError(
                    f"{path}, line {number}: {len(fields)} fields between ||, expected id, two sentences, score."
                )
            found.rows.append(filled([score_text(fields[3], path, number), clean(fields[1]), clean(fields[2])]))
        yield found


def simclue(path: Path) -> Iterator[Original]:
    """SimCLUE's JSON lines, one file or all of a folder: every distinct sentence once, in order, whatever its key is called.

    They go to `corpus/zh/simclue_imported.txt`. Sentences of test sets among them stay: suites and `augbench pretrain` take them
    out, `augbench data overlap` counts them.
    """
    files = [path] if path.is_file() else sorted(path.rglob("*.json"))
    if not files:
        raise DataError(f"{path} has no *.json; give a file or folder of SimCLUE (train_pair.json, train_rank.json …).")
    sentences: dict[str, None] = {}
    for file in files:
        for number, line in enumerate(lines_of(file), start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except ValueError:
                found = None
            if not isinstance(found, dict):
                raise DataError(f"{file}, line {number}: no JSON object; expected one a line.")
            texts = [clean(v) for key, v in found.items() if isinstance(v, str) and key not in ("id", "label")]
            sentences.update((text, None) for text in texts if text)
    yield Original("corpus/zh/simclue_imported.txt", [[text] for text in sentences])


def ud(folder: Path) -> Iterator[Original]:
    """A Universal Dependencies repository: its *-ud-{train,dev,test}.conllu, without what AugBench does not read.

    DEPS is `_`, MISC keeps `SpaceAfter=No`, empty nodes go, and FEATS is `_` where XPOS carries it (English).
    """
    files = [folder] if folder.is_file() else sorted(folder.glob("*-ud-*.conllu"))
    if not files:
        raise DataError(f"{folder} has no *-ud-*.conllu; name a Universal Dependencies repository or one of its files.")
    for path in files:
        language = path.name.partition("_")[0]
        found = Original(f"treebank/{language}/{path.name}")
        for number, line in enumerate(lines_of(path), start=1):
            fields = line.split("\t")
            if len(fields) == 10:
                if "." in fields[0]:
                    found.dropped += 1
                    continue
                fields[5] = "_" if language == "en" else fields[5]
                fields[8:] = ["_", "SpaceAfter=No" if "SpaceAfter=No" in fields[9].split("|") else "_"]
            elif line and not line.startswith("#"):
                raise DataError(f"{path}, line {number}: {len(fields)} columns, expected the 10 of CoNLL-U.")
            found.rows.append(fields)
        found.rows.append([""])
        yield found


def _present(folder: Path, files: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Path]]:
    """Yield those files of a folder that are there. Raises DataError if none is."""
    there: list[tuple[str, Path]] = []
    for split, names in files.items():
        paths = [folder] if folder.name in names and folder.is_file() else [folder / name for name in names]
        there += [(split, path) for path in paths if path.is_file()][:1]
    if not there:
        expected = ", ".join(name for names in files.values() for name in names)
        raise DataError(f"{folder} has none of {expected}; name the folder they lie in.")
    yield from there


def filled(row: list[str]) -> list[str]:
    """Put a full stop where an original has no text, as SimCSE's batcher does."""
    return [row[0], *(text or "." for text in row[1:])]


def score_text(text: str, path: Path, line: int | None = None) -> str:
    """Return a score as it stands in a data folder. Raises DataError if it is no number."""
    where = f"{path}, line {line}" if line else str(path)
    try:
        float(text)
    except ValueError:
        raise DataError(f"{where}: the score is {text[:40]!r}, expected a number.") from None
    return text.strip()
