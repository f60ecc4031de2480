"""How is SentEval's folder `downstream/` read? As its own loaders read it: quotes are characters, old files are ISO 8859-1.

STS/STS12-en-test/STS.input.MSRpar.txt, STS.gs.MSRpar.txt …     pairs and scores, a blank score means: not scored
STS/STSBenchmark/sts-{train,dev,test}.csv                       tab-separated; score, sentence, sentence are columns 5 to 7
SICK/SICK_{train,trial,test_annotated}.txt                      with a header
MR/rt-polarity.{pos,neg}  CR/custrev.…  MPQA/mpqa.…  SUBJ/subj.{objective,subjective}       one text a line
SST/binary/sentiment-{train,dev,test}                           text, label
TREC/{train_5500,TREC_10}.label                                 COARSE:fine text
MRPC/msr_paraphrase_{train,test}.txt                            with a header
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from harness.data.originals import Original, clean, filled, lines_of, mrpc, score_text, sick
from harness.errors import DataError

_STS = {
    "STS12": (
        "STS12-en-test",
        {"MSRpar": "", "MSRvid": "", "SMTeuroparl": "", "OnWN": "surprise.", "SMTnews": "surprise."},
    ),
    "STS13": ("STS13-en-test", {"FNWN": "", "headlines": "", "OnWN": ""}),
    "STS14": (
        "STS14-en-test",
        dict.fromkeys(["deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"], ""),
    ),
    "STS15": (
        "STS15-en-test",
        dict.fromkeys(["answers-forums", "answers-students", "belief", "headlines", "images"], ""),
    ),
    "STS16": (
        "STS16-en-test",
        dict.fromkeys(["answer-answer", "headlines", "plagiarism", "postediting", "question-question"], ""),
    ),
}
#: task -> (folder, file of label 1, file of label 0)
_POLAR = {
    "MR": ("MR", "rt-polarity.pos", "rt-polarity.neg"),
    "CR": ("CR", "custrev.pos", "custrev.neg"),
    "MPQA": ("MPQA", "mpqa.pos", "mpqa.neg"),
    "SUBJ": ("SUBJ", "subj.objective", "subj.subjective"),
}


def senteval(folder: Path, *, text: str = "senteval") -> Iterator[Original]:
    """Read everything that is there of a `downstream/` folder (or of a folder that holds one).

    text  `senteval`: the sentence pairs are as SentEval's script leaves them and go to `sts/en-senteval`; `original`: they are as
          the organisers published them and go to `sts/en`

    Raises DataError if nothing is there, if a set is there in part, or if a file is not as described above.
    """
    root = folder / "downstream" if (folder / "downstream").is_dir() else folder
    variant = "en" if text == "original" else "en-senteval"
    found = False
    for part in (_years(root, variant), _benchmark(root, variant), _sick(root, variant), _polar(root), _rest(root)):
        for original in part:
            found = True
            yield original
    if not found:
        raise DataError(f"{folder} has nothing of SentEval; expected STS/, SICK/, MR/ … of its data/downstream in it.")


def _years(root: Path, variant: str) -> Iterator[Original]:
    for name, (where, subsets) in _STS.items():
        folder = root / "STS" / where
        if not folder.is_dir():
            continue
        for subset, before in subsets.items():
            inputs = _first(folder, [f"STS.input.{before}{subset}.txt", f"STS.input.{subset}.txt"])
            scores = _first(folder, [f"STS.gs.{before}{subset}.txt", f"STS.gs.{subset}.txt"])
            yield _scored(inputs, scores, f"sts/{variant}/{name}/{subset}.tsv")


def _scored(inputs: Path, scores: Path, place: str) -> Original:
    pairs, gold = lines_of(inputs), _padded(scores)
    if len(pairs) < len(gold):
        raise DataError(f"{scores} has {len(gold)} scores, {inputs.name} {len(pairs)} pairs; get the original again.")
    gold += [""] * (len(pairs) - len(gold))  # blank scores at the end of the file
    found = Original(place)
    for number, (pair, score) in enumerate(zip(pairs, gold, strict=True), start=1):
        if not score.strip():
            found.dropped += 1
            continue
        fields = pair.split("\t")
        if len(fields) < 2:
            raise DataError(f"{inputs}, line {number}: {len(fields)} column, expected two sentences.")
        found.rows.append(filled([score_text(score, scores, number), clean(fields[0]), clean(fields[1])]))
    return found


def _padded(path: Path) -> list[str]:
    return [line.strip() for line in lines_of(path)]


def _benchmark(root: Path, variant: str) -> Iterator[Original]:
    folder = next((f for f in (root / "STS" / "STSBenchmark", root / "STSBenchmark") if f.is_dir()), None)
    if folder is None:
        return
    for split in ("train", "dev", "test"):
        path, found = _first(folder, [f"sts-{split}.csv"]), Original(f"sts/{variant}/STS-B/{split}.tsv")
        for number, line in enumerate(lines_of(path), start=1):
            fields = line.split("\t")
            if len(fields) < 7:
                raise DataError(
                    f"{path}, line {number}: {len(fields)} columns, expected 7 (genre … score, two sentences)."
                )
            found.rows.append(filled([score_text(fields[4], path, number), clean(fields[5]), clean(fields[6])]))
        yield found


def _sick(root: Path, variant: str) -> Iterator[Original]:
    if (root / "SICK").is_dir():
        yield from sick(root / "SICK", variant)


def _polar(root: Path) -> Iterator[Original]:
    for name, (where, positive, negative) in _POLAR.items():
        if (root / where).is_dir():
            found = Original(f"transfer/en/{name}/all.tsv")
            for label, file in (("1", positive), ("0", negative)):
                texts = lines_of(_first(root / where, [file]), latin=True, blank=True)
                found.rows += [filled([label, clean(text)]) for text in texts]
            yield found


def _rest(root: Path) -> Iterator[Original]:
    if (folder := root / "SST" / "binary").is_dir():
        for split in ("train", "dev", "test"):
            path, found = _first(folder, [f"sentiment-{split}"]), Original(f"transfer/en/SST2/{split}.tsv")
            for number, line in enumerate(lines_of(path), start=1):
                words, _, label = line.rpartition("\t")
                if label.strip() not in ("0", "1"):
                    raise DataError(f"{path}, line {number}: the label is {label[:40]!r}, expected 0 or 1.")
                found.rows.append(filled([label.strip(), clean(words)]))
            yield found
    if (folder := root / "TREC").is_dir():
        for split, file in (("train", "train_5500.label"), ("test", "TREC_10.label")):
            path, found = _first(folder, [file]), Original(f"transfer/en/TREC/{split}.tsv")
            for number, line in enumerate(lines_of(path, latin=True), start=1):
                label, colon, question = line.partition(":")
                if not colon or " " not in question:
                    raise DataError(f"{path}, line {number}: no COARSE:fine before the question.")
                found.rows.append(filled([label, clean(question.partition(" ")[2])]))
            yield found
    if (folder := root / "MRPC").is_dir():
        yield from mrpc(folder)


def _first(folder: Path, names: list[str]) -> Path:
    path = next((folder / name for name in names if (folder / name).is_file()), None)
    if path is None:
        raise DataError(f"{folder} lacks {names[0]}; a set is imported whole or not at all.")
    return path
