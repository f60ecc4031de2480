"""docs/adding-a-language.md, followed to the letter for a small German pack that lives in a package of its own.

Every command of the guide is run in another process, in the guide's order, where the pack is installed as a third party's: an
entry point of another distribution. Options are only added to make the work smaller.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
import german_author as author

from harness.languages import SpacyPack
from harness.protocols import OperatorTools
from harness.seeds import python_rng

REPOSITORY = Path(__file__).parents[3]
GUIDE = REPOSITORY / "docs/adding-a-language.md"
PACK = "augbench_languages/german"
NOTICE = "the language pack german comes with augbench-german 0.1.0 and not with AugBench; packs are code"
#: first words of a command -> what makes it small
SMALLER = {
    "augbench train-parser": "--steps 1",
    "augbench pretrain": "--tokens 0.002 --width 16 --heads 2 --inner 32 --pieces 200 --positions 32 --rows 4 --held-out 0.1",
    "augbench augment": "--seed 0",
    "augbench quality sample": "--rows 8",
    "augbench run": "--seeds 0 --set max_steps=1 --set batch_size=8",
}
SUITE = """
[suite]
name = "tiny"
title = "Tiny"
default_scale = "smoke"
select_on = "SampleSTS:dev"
[scales.smoke]
data = "sample"
corpus = "sample"
seeds = [0]
[[columns]]
title = "test"
task = "SampleSTS"
[[rows]]
label = "TF-IDF"
method = "tfidf"
[[rows]]
label = "Negation as a positive"
method = "discrete"
set = { operator = "pi" }
"""


def commands(guide):
    """The lines of all bash blocks, in order; of a command that is there twice, the last."""
    lines = [line for block in re.findall(r"```bash\n(.*?)```", guide, re.DOTALL) for line in block.splitlines()]
    return [line for i, line in enumerate(lines) if line not in lines[i + 1 :]]


@dataclass
class Shell:
    """Runs the guide's commands in a folder, where `site` holds what pip would have installed."""

    folder: Path
    site: Path
    done: dict[str, subprocess.CompletedProcess[str]] = field(default_factory=dict)

    def __call__(self, line):
        words = shlex.split(line)
        if words[0] == "cd":
            self.folder = self.folder / words[1]
        elif words[:2] == ["pip", "install"]:
            self.install(self.folder / words[-1])
        elif words[0] == "augbench":
            smaller = next((more for start, more in SMALLER.items() if line.startswith(start)), "")
            self.done[line] = self.augbench([*words[1:], *smaller.split()])
            assert self.done[line].returncode == 0, f"{line}\n{self.done[line].stdout}\n{self.done[line].stderr}"
        else:
            subprocess.run(line, shell=True, cwd=self.folder, check=True)

    def install(self, project):
        about = self.site / "augbench_german-0.1.0.dist-info"
        about.mkdir(parents=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: augbench-german\nVersion: 0.1.0\n")
        (about / "entry_points.txt").write_text("[augbench.languages]\ngerman = augbench_languages.german:load\n")
        (self.site / "augbench_languages").symlink_to(project.resolve() / "augbench_languages")

    def augbench(self, arguments):
        return subprocess.run(
            [sys.executable, "-c", "from harness.cli import main; main()", *arguments],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": f"{self.site}{os.pathsep}{REPOSITORY}",
                "OMP_NUM_THREADS": "1",
                "COLUMNS": "200",
            },
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """The guide, followed: the author's own work is done behind the commands it belongs to."""
    root = tmp_path_factory.mktemp("german")
    author.write_treebank(root / "UD_German-GSD")
    author.write_text(root / "wiki.txt")
    found = Shell(root, root / "site")
    lines = commands(GUIDE.read_text(encoding="utf-8"))
    for line in lines:
        if line.startswith("augbench run"):
            (found.folder / "tiny.toml").write_text(SUITE, encoding="utf-8")
            line = line.replace("quickstart", "tiny.toml")
        found(line)
        if line.startswith("head"):
            # few sentences, so that the battery is quick
            sample = found.folder / PACK / "samples/corpus/de/sample.txt"
            sample.write_text(
                "".join(sample.read_text(encoding="utf-8").splitlines(keepends=True)[:40]), encoding="utf-8"
            )
        if line.startswith("augbench train-parser"):
            import shutil

            assert (found.folder / PACK / "parser/PROVENANCE.md").is_file()
            shutil.rmtree(found.folder / PACK / "parser")
            author.train_quickly(found.folder / PACK / "parser")
            author.work_on(found.folder / PACK)
    return found


def output(shell, start):
    (found,) = [done for line, done in shell.done.items() if line.startswith(start)]
    return found


pytestmark = pytest.mark.slow


def test_the_guide_has_the_commands_this_is_about():
    lines = commands(GUIDE.read_text(encoding="utf-8"))
    verbs = [" ".join(line.split()[:2]) for line in lines]
    assert verbs == [
        "augbench new",
        "cd augbench-german",
        "pip install",
        "head -n",
        "augbench train-parser",
        "augbench pretrain",
        "augbench augment",
        "augbench check",
        "augbench quality",
        "augbench run",
    ]


def test_the_pack_passes_the_battery_and_nothing_is_skipped(shell):
    lines = output(shell, "augbench check").stdout.splitlines()
    assert lines[-1] == "german: all checks passed"
    assert {line.split()[0] for line in lines[:-1]} == {"ok"}
    assert "ok    another process gives the same outputs" in lines
    assert "ok    negation: examples hold for ten seeds" in lines


def test_rules_that_read_the_new_parser_write_german(shell):
    rows = [line.split("\t") for line in output(shell, "augbench augment").stdout.splitlines()]
    assert rows[0] == ["text", "pi", "mv", "negation", "dn", "synonym"]
    negated = {row[0]: row[3] for row in rows[1:]}
    assert negated["Der Hund schläft."] == "Der Hund schläft nicht."
    assert negated["Die Frau liest das Buch."] == "Die Frau liest das Buch nicht."
    assert negated["Er hat das Buch gelesen."] == "Er hat das Buch nicht gelesen."
    assert negated["Niemand kommt heute."] == "Jemand kommt heute."


def test_a_pack_of_others_is_announced_once_and_not_by_workers(shell):
    assert output(shell, "augbench new").stderr == ""
    for start in ("augbench train-parser", "augbench pretrain", "augbench augment", "augbench check", "augbench run"):
        assert output(shell, start).stderr.count(NOTICE) == 1, start
    several = shell.augbench(
        [
            "augment",
            "--language",
            "de",
            "--operators",
            "negation",
            "--jobs",
            "2",
            f"{PACK}/samples/corpus/de/sample.txt",
        ]
    )
    assert several.returncode == 0
    assert several.stderr.count(NOTICE) == 1
    assert len([json.loads(line) for line in several.stdout.splitlines()]) == 40


def test_our_own_packs_are_not_announced_where_a_third_partys_is_installed(shell):
    done = shell.augbench(["ls", "operators", "--language", "english"])
    assert (done.returncode, done.stderr) == (0, "")


def test_a_run_trains_on_the_pack(shell):
    done = output(shell, "augbench run")
    assert "2 finished" in done.stdout + done.stderr
    (name,) = {json.loads(path.read_text())["spec"]["language"] for path in shell.folder.glob("results/*/run.json")}
    assert name == "german"


def test_outputs_can_be_drawn_for_reading(shell):
    assert len((shell.folder / "sheet.tsv").read_text(encoding="utf-8").splitlines()) == 9


# -- the rule, on hand-made documents ---------------------------------------------------------------------------------
NEGATED = {
    "Der Garten ist klein.": "Der Garten ist nicht klein.",
    "Wir haben den Film gesehen.": "Wir haben den Film nicht gesehen.",
    "Du kannst das Fenster öffnen.": "Du kannst das Fenster nicht öffnen.",
    "Sie kommt aus Bonn.": "Sie kommt nicht aus Bonn.",
    "Die Sonne scheint, aber es bleibt kalt.": "Die Sonne scheint nicht, aber es bleibt kalt.",
    "Kommst du heute?": "Kommst du heute nicht?",
    "Der Hund schläft nicht.": "Der Hund schläft.",
    "Ein kleiner Hund im Garten.": "Es stimmt nicht: Ein kleiner Hund im Garten.",
}


def test_the_rule_on_hand_made_documents(shell, monkeypatch):
    from harness.parsing.documents import to_doc

    monkeypatch.syspath_prepend(str(shell.site))
    for name in [name for name in sys.modules if name.startswith("augbench_languages")]:
        monkeypatch.delitem(sys.modules, name)
    from augbench_languages.german import load

    pack = load()
    assert isinstance(pack, SpacyPack)
    rule = pack.operators()["negation"](None, OperatorTools(pack=pack))
    made = {tree.text: tree for tree in author.trees()}
    for text, wanted in NEGATED.items():
        doc = to_doc(pack.blank().vocab, [made[text]])
        edit = rule.apply(doc, python_rng(0))
        assert edit is not None
        assert edit.text == wanted
