"""How does `augbench run` show how it gets on? A bar on a terminal, plain lines anywhere else; always on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from harness.cli.console import results_console

if TYPE_CHECKING:
    from harness.records.store import Store
    from harness.runs.cells import Done
    from harness.runs.cost import Prediction, Total
    from harness.runs.runner import Event, Planned, Summary
    from harness.runs.workbench import Workbench

_STYLES = {"done": "dim", "finished": "green", "scored": "green", "failed": "bold red", "skipped": "yellow"}


def step_bar(console: Console) -> Progress:
    """Return a bar of steps with a field `scalars` for the loss; it is shown on a terminal only."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[scalars]}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


class Reporter:
    """Tells the user what happens. `out` is for results (stdout), everything else goes to stderr."""

    def __init__(self, *, quiet: bool = False) -> None:
        """`quiet`: standard output belongs to somebody else (`--json -`)."""
        self.out = results_console(sys.stderr if quiet else None)
        self.err = Console(stderr=True)
        self.bar = step_bar(self.err)
        self.task: Any = None
        self.label = ""

    def __enter__(self) -> Reporter:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def say(self, text: str, style: str = "") -> None:
        """Print one line; brackets in it are not markup."""
        self.err.print(Text(text, style=style), soft_wrap=True)

    @contextmanager
    def working(self, what: str) -> Iterator[None]:
        """Show that something without steps goes on."""
        if not self.err.is_terminal:
            yield
            return
        with self.err.status(Text(f"{what} …")):
            yield

    # -- events -------------------------------------------------------------------------------------------------------
    def on_event(self, event: Event) -> None:
        """Take one event of the runner."""
        place = f"[{event.index}/{event.total}] {event.cell.spec.title}"
        if event.kind == "wait":
            self.say(f"{place}: waiting for the process that works on it ({event.cell.train_id})", "yellow")
        elif event.kind == "start":
            self.label = place
        elif event.done is not None:
            self._clear()
            self._finished(place, event.done)

    def on_step(self, step: int, total: int, scalars: dict[str, float]) -> None:
        """Take one step of the training loop."""
        if self.bar.disable:
            return
        if self.task is None:
            self.task = self.bar.add_task(self.label, total=total, scalars="")
        shown = "  ".join(f"{name} {value:.3g}" for name, value in list(scalars.items())[:2])
        self.bar.update(self.task, completed=step, total=total, scalars=shown)

    def _clear(self) -> None:
        if self.task is not None:
            self.bar.remove_task(self.task)
            self.task = None

    def _finished(self, place: str, done: Done) -> None:
        text = f"{place}: {'done before' if done.status == 'done' else done.status}"
        if done.status != "done":
            text += f" in {duration(done.seconds)}"
        if done.reason:
            text += f": {done.reason}"
        self.say(text, _STYLES[done.status])

    # -- before and after ---------------------------------------------------------------------------------------------
    def plan(self, plan: Sequence[Planned], bench: Workbench, store: Store) -> None:
        """Say in a few lines what is about to happen and with what."""
        spec, counts = plan[0].cell.spec, Counter(planned.todo.step for planned in plan)
        corpus = bench.corpus(spec)
        self.say(
            f"{spec.suite} at scale {spec.scale}: {len(plan)} runs, {counts['nothing']} done, {counts['score']} to score, "
            f"{counts['train']} to train; {corpus.name} ({len(corpus):,} sentences), encoder {spec.encoder}; "
            f"results in {store.path}"
        )
        for reason in dict.fromkeys(p.cell.skipped for p in plan if p.cell.skipped):
            self.say(f"some rows cannot run here and are recorded as skipped: {reason}", "yellow")

    def show_plan(self, plan: Sequence[Planned], bench: Workbench, costs: Sequence[Prediction]) -> None:
        """Print the plan as a table, with what every run is expected to cost; reasons that rows share stand below it."""
        from harness.reports.footnotes import Footnotes

        titles = ("Run", "Row", "Seed", "Steps", "Time", "Memory", "Sentences/s", "To do")
        notes = Footnotes()
        rows = []
        for planned, cost in zip(plan, costs, strict=True):
            spec = planned.cell.spec
            steps = planned_steps(spec.config, len(bench.corpus(spec)))
            known = cost.seconds if cost.seconds is not None else cost.train
            # what is not known in full is a lower bound
            time = "?" if known is None else f"{'' if cost.seconds is not None else '> '}{duration(known)}"
            rate = "" if cost.rate is None else f"{cost.rate:,.0f}"
            why = f"{planned.todo.step}: {planned.todo.why}; cost from: {cost.basis}"
            todo = f"{planned.todo.step} [{notes.number(why)}]"
            peak = memory(cost.memory_mib)
            rows.append((planned.cell.train_id, spec.row, str(spec.seed), steps, time, peak, rate, todo))
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
        shown = [n for n in range(len(titles)) if any(row[n] for row in rows)]
        for n in shown:
            right = titles[n] in ("Seed", "Steps", "Time", "Memory", "Sentences/s")
            wraps = titles[n] == "Row"
            table.add_column(
                titles[n], justify="right" if right else "left", no_wrap=not wraps, min_width=12 if wraps else None
            )
        for row in rows:
            table.add_row(*(Text(row[n]) for n in shown))
        self.out.print(table)
        for number, why in enumerate(notes.texts, start=1):
            self.out.print(Text(f"[{number}] {why}"))

    def summary(self, summary: Summary, store: Store) -> None:
        """Say how it ended, and what to do about what failed."""
        words = ("finished", "scored", "done", "failed", "skipped")
        shown = {"done": "done before"}
        parts = [f"{summary.count(word)} {shown.get(word, word)}" for word in words if summary.count(word)]
        self.say(f"{', '.join(parts)}; records in {store.path}")
        if not summary.ok:
            self.say("failed runs are recorded with their reasons; the same command tries them again.", "bold red")


def planned_steps(config: dict[str, Any], sentences: int) -> str:
    """Return about how many steps a config means on a corpus, `-` for methods that are not trained."""
    if "batch_size" not in config:
        return "-"
    steps = sentences // config["batch_size"] * config.get("epochs", 1)
    limit = config.get("max_steps") or steps
    return f"{min(steps, limit):,}"


def in_words(total: Total) -> str:
    """Return the cost of a plan as one sentence."""
    less = "at least " if total.unknown or total.unscored else "about "
    text = f"{less}{duration(total.seconds)}, one run after the other"
    if peak := memory(total.memory_mib):
        text += f", up to {peak} of memory"
    if total.unknown:
        text += f"; {total.unknown} runs not counted: no earlier record tells what they cost"
    if total.unscored:
        text += f"; {total.unscored} runs without their scoring: no earlier record of these tasks"
    return text


def memory(peaks: Mapping[str, float]) -> str:
    """Return peaks of memory as text: `1.4 GiB`, with a GPU `1.4 GiB + 8.2 GiB on device`; empty where nothing is known."""
    parts = [f"{peaks['host'] / 1024:.1f} GiB"] if "host" in peaks else []
    parts += [f"{peaks['device'] / 1024:.1f} GiB on device"] if "device" in peaks else []
    return " + ".join(parts)


def duration(seconds: float) -> str:
    """Return seconds as people read them."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return time.strftime("%H:%M:%S", time.gmtime(seconds)) if seconds < 86_400 else f"{seconds / 3600:.1f} h"
