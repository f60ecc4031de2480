"""Which protocol does a name like `simcse` or `senteval` stand for?

A preset fills the options of the tasks and, where a paper always evaluates with one, the pooler of a group of tasks. It
names nothing of its own: every score carries the protocol of its task. Sources: SimCSE's `evaluation.py` in mode `test`,
upstream SentEval, SDA (Table 4 and 5), the MTEB benchmark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from harness.data.folder import TEXTS
from harness.errors import UsageError
from harness.protocols import TaskOptions
from harness.protocols.registry import suggest
from harness.statistics import AGGREGATIONS

#: classifiers on frozen vectors
PROBES = ("logreg", "senteval-mlp")


@dataclass(frozen=True)
class Preset:
    """options: how tasks are scored;  poolers: family of tasks -> pooler where the user names none."""

    options: TaskOptions
    note: str
    poolers: Mapping[str, str] = field(default_factory=dict)


PRESETS: Mapping[str, Preset] = {
    "simcse": Preset(
        TaskOptions(text="senteval", probe="senteval-mlp"),
        "SimCSE's fork of SentEval in mode test: cosine without a regressor, subsets of a year concatenated",
    ),
    "senteval": Preset(
        TaskOptions(text="senteval", probe="senteval-mlp", relatedness="regressor", aggregation="wmean"),
        "upstream SentEval: a regressor for STS-B and SICK-R, subsets of a year averaged by their size",
    ),
    "sda": Preset(
        TaskOptions(text="senteval", probe="senteval-mlp"),
        "SDA Tables 4 and 5: SimCSE's evaluation; [CLS] for STS, the last two layers averaged for transfer",
        {"sts": "cls", "transfer": "avg_top2"},
    ),
    "mteb": Preset(
        TaskOptions(text="original", probe="logreg"),
        "texts as published, cosine, subsets concatenated",
    ),
}


def preset(name: str) -> Preset:
    """Return a preset by name. Raises UsageError, with the close ones, for any other name."""
    if name not in PRESETS:
        raise UsageError(f"unknown protocol {name!r}. {suggest(name, PRESETS)}")
    return PRESETS[name]


def choose_options(
    name: str | None, *, text: str | None = None, probe: str | None = None, aggregation: str | None = None
) -> TaskOptions:
    """Return the options of a preset (the defaults if None), with what was said explicitly on top.

    Raises UsageError for a value that is none.
    """
    for what, value, known in (
        ("text variant", text, TEXTS),
        ("probe", probe, PROBES),
        ("aggregation", aggregation, AGGREGATIONS),
    ):
        if value is not None and value not in known:
            raise UsageError(f"unknown {what} {value!r}; expected one of {', '.join(known)}.")
    options = preset(name).options if name is not None else TaskOptions()
    said = {"text": text, "probe": probe, "aggregation": aggregation}
    return replace(options, **{key: value for key, value in said.items() if value is not None})


def choose_pooler(name: str | None, families: Sequence[str]) -> str | None:
    """Return the pooler a preset wants for tasks of these families, None if it leaves that to the user.

    Raises UsageError if it wants another one for each: then there are two embedders to evaluate, and two commands.
    """
    poolers = preset(name).poolers if name is not None else {}
    wanted = {family: poolers[family] for family in families if family in poolers}
    if len(set(wanted.values())) > 1:
        each = " and ".join(f"--tasks {family} (pooling {pooler})" for family, pooler in sorted(wanted.items()))
        raise UsageError(
            f"the protocol {name!r} pools differently for {', '.join(sorted(wanted))}: evaluate {each} apart, or name one "
            f"pooler for all with --pooling."
        )
    return next(iter(wanted.values()), None)
