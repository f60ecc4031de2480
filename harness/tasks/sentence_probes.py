"""Which tasks does the group `sentence-probes` stand for? AugCSE's two: acceptability (CoLA), ranking hypotheses (ANLI)."""

from __future__ import annotations

from functools import partial

from harness.data import DataFolder
from harness.protocols import Protocol, TaskOptions
from harness.tasks import anli, cola
from harness.tasks.absent import with_absent
from harness.tasks.resolve import Family, Splits

KNOWN = ("CoLA:dev", "ANLI:r1_dev", "ANLI:r3_dev")
_EXPECTED = {
    "CoLA": "other/{}/CoLA/train.tsv, dev.tsv and dev_ood.tsv (label<TAB>text, labels 0 and 1)",
    "ANLI": "other/{}/ANLI/*.tsv (label<TAB>premise<TAB>hypothesis)",
}


def family(data: DataFolder, language: str, options: TaskOptions) -> Family:
    """Return CoLA and one split of ANLI per file (English only). The group stands for CoLA:dev, ANLI:r1_dev, ANLI:r3_dev."""
    present: dict[str, Splits] = {}
    if language != "en":
        return Family(present)
    sets = data.sets("other", language)
    if all(stem in sets.get("CoLA", {}) for stem in cola.FILES):
        present["CoLA"] = {"dev": partial(cola.AcceptabilityTask, sets["CoLA"], language=language)}
    if "ANLI" in sets:
        present["ANLI"] = {s: partial(anli.RankingTask, s, path, language=language) for s, path in sets["ANLI"].items()}
    tasks = with_absent(
        present,
        KNOWN,
        expected=lambda name: _EXPECTED[name].format(language),
        protocol=_protocol,
        main=lambda name: ("accuracy", "all"),
        language=language,
        data=data,
    )
    default = [task_id for task_id in KNOWN if task_id.partition(":")[2] in tasks.get(task_id.partition(":")[0], {})]
    return Family(tasks, default, list(_EXPECTED), f"other/{language}")


def _protocol(name: str) -> Protocol:
    return cola.PROTOCOL if name == "CoLA" else anli.PROTOCOL
