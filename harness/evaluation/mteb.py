"""How do our scores travel to MTEB's result files, and MTEB's results to our reference rows?

MTEB keeps one JSON per task in `<model>/<revision>/<Task>.json` with scores from 0 to 1, ours are × 100. Only sets that hold
the same items under both names are exported; a set that MTEB scores over other items (SICK-R: all 9,927 pairs) is named and
left out. An exported file says that MTEB itself did not run: `mteb_version` is null, `dataset_revision` is the hash of our
data, and the protocol stands beside the numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import DataError
from harness.published import Published

#: (language, our task) -> MTEB's task
TASKS: Mapping[tuple[str, str], str] = {
    **{("en", name): name for name in ("STS12", "STS13", "STS14", "STS15", "STS16")},
    ("en", "STS-B"): "STSBenchmark",
    ("zh", "STS-B"): "STSB",
    **{("zh", name): name for name in ("ATEC", "BQ", "LCQMC", "PAWSX", "AFQMC")},
}
_SPLITS = {"dev": "validation", "test": "test", "train": "train"}
_LANGUAGES = {"en": "eng-Latn", "zh": "cmn-Hans"}
_META = "model_meta.json"


@dataclass(frozen=True)
class Scored:
    """What an export needs of one task: our names, values × 100 (None: undefined), and what they were computed from."""

    task: str
    split: str
    language: str
    protocol: str
    data_sha: str
    values: Mapping[tuple[str, str], float | None]
    seconds: float | None = None


def to_mteb(scored: Iterable[Scored]) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Return MTEB task name -> content of its result file, and one sentence per task that has none there."""
    files: dict[str, dict[str, Any]] = {}
    left_out = []
    for one in scored:
        name, value = TASKS.get((one.language, one.task)), one.values.get(("spearman", "all"))
        if name is None:
            left_out.append(f"{one.task}: MTEB has no task with these items")
        elif value is None:
            left_out.append(f"{one.task}: the score is undefined")
        else:
            file = files.setdefault(
                name,
                {
                    "dataset_revision": f"augbench-{one.data_sha[:16]}",
                    "task_name": name,
                    "mteb_version": None,
                    "scores": {},
                    "evaluation_time": 0.0,
                    "kg_co2_emissions": None,
                },
            )
            file["evaluation_time"] += one.seconds or 0.0
            file["scores"][_SPLITS[one.split]] = [_scores(one, value)]
    return files, left_out


def _scores(one: Scored, value: float) -> dict[str, Any]:
    pearson = one.values.get(("pearson", "all"))
    numbers = {"spearman": value, "cosine_spearman": value, "pearson": pearson, "cosine_pearson": pearson}
    return {
        **{key: number / 100.0 for key, number in numbers.items() if number is not None},
        "main_score": value / 100.0,
        "hf_subset": "default",
        "languages": [_LANGUAGES[one.language]],
        "augbench_protocol": one.protocol,
    }


def read_mteb(path: Path) -> tuple[list[Published], list[str]]:
    """Return the numbers of MTEB result files as reference rows (× 100), and one sentence per file that gives none.

    path  one result file, or a folder searched for them. The method is the model's name (`model_meta.json` beside the file,
          else the folder's name), the source `MTEB <version>` with the date if there is one. Only tasks of `TASKS` are read.

    Raises DataError if nothing is there.
    """
    if not path.exists():
        raise DataError(f"{path} does not exist; expected a folder of MTEB results or one of its JSON files.")
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*.json") if p.name != _META)
    if not files:
        raise DataError(f"{path} holds no JSON file; expected MTEB results, as in results/MODEL/REVISION/STS12.json.")
    rows: list[Published] = []
    passed = []
    ours = {theirs: (language, name) for (language, name), theirs in TASKS.items()}
    for file in files:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            name = content["task_name"]
            if name not in ours:
                passed.append(f"{file}: {name} has no counterpart here")
                continue
            found = list(_rows(content, model=_model(file), task=ours[name]))
        except (ValueError, KeyError, TypeError, AttributeError, UnicodeDecodeError) as error:
            passed.append(f"{file}: no MTEB result ({type(error).__name__}: {error})")
            continue
        rows += found
        if not found:
            passed.append(f"{file}: no score of the split we know")
    return rows, passed


def _rows(content: Mapping[str, Any], *, model: str, task: tuple[str, str]) -> Iterable[Published]:
    language, name = task
    version = content.get("mteb_version")
    source = f"MTEB {version}" if version else "MTEB result file"
    for split, subsets in content["scores"].items():
        ours = next((key for key, theirs in _SPLITS.items() if theirs == split), None)
        if ours is None:
            continue
        for subset in subsets:
            value = subset.get("cosine_spearman", subset.get("spearman", subset["main_score"]))
            if subset["hf_subset"] != "default" or value is None:
                continue
            # as the collected tables name them: `STS12`, `STS-B dev`, `CN STS-B test`
            label = name if (language, ours) == ("en", "test") else f"{name} {ours}"
            yield Published(
                method=model,
                encoder="-",
                task=label if language == "en" else f"CN {label}",
                metric="spearman",
                value=100.0 * float(value),
                source=source,
            )


def _model(file: Path) -> str:
    meta = file.parent / _META
    if meta.is_file():
        name = json.loads(meta.read_text(encoding="utf-8")).get("name")
        if name:
            return str(name)
    return file.parent.parent.name if file.parent.parent.name else file.parent.name
