from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from harness.data import DataFolder
from harness.errors import DataError, UsageError
from harness.tasks import Family, resolve, resolve_tasks
from harness.tasks.sts import OFFICIAL_SUBSETS, SEVEN


def fill(folder: Path, place: str, rows: int = 2) -> None:
    path = folder / "sts" / f"{place}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{i % 5 + 1}\t{place} {i} a\t{place} {i} b\n" for i in range(rows)), encoding="utf-8")


@pytest.fixture
def folder(tmp_path):
    for name, subsets in OFFICIAL_SUBSETS.items():
        for subset in subsets:
            fill(tmp_path, f"en/{name}/{subset}")
    for name in ("STS-B", "SICK-R"):
        for split in ("train", "dev", "test"):
            fill(tmp_path, f"en/{name}/{split}")
    fill(tmp_path, "zh/AFQMC/dev")
    fill(tmp_path, "zh/BQ/test")
    return tmp_path


def ids(folder, *names, language="en", text="original"):
    return [task.id for task in resolve_tasks(names, data=DataFolder(folder), language=language, text=text)]


def test_the_seven(folder):
    assert ids(folder, "sts") == list(SEVEN) == ["STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R"]


def test_names_splits_order_and_repeats(folder):
    assert ids(folder, "STS-B:dev", "STS13", "STS-B", "STS13", "STS-B:test") == ["STS-B:dev", "STS13", "STS-B"]
    assert ids(folder, "STS16", "sts")[:2] == ["STS16", "STS12"]
    assert len(ids(folder, "STS16", "sts")) == 7


def test_another_language_stands_for_its_test_sets(folder):
    assert ids(folder, "sts", language="zh") == ["BQ"]
    assert ids(folder, "AFQMC:dev", language="zh") == ["AFQMC:dev"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("STS21", "Did you mean 'STS1"), ("sts-b", "Did you mean 'STS-B'"), ("SICK", "'SICK-R'"), ("xyz", "Known:")],
)
def test_unknown_names_get_the_close_ones(folder, name, hint):
    with pytest.raises(UsageError) as caught:
        ids(folder, name)
    assert f"unknown task {name!r}" in str(caught.value)
    assert hint in str(caught.value)


def test_a_known_task_that_is_not_there_is_a_data_problem(tmp_path):
    fill(tmp_path, "en/Own/test")
    for name in ("sts", "STS12"):
        with pytest.raises(DataError, match=r"no STS12 .*expected in .*sts/en\)\. There is Own, "):
            ids(tmp_path, name)
    with pytest.raises(DataError, match="There is no task of this language and text variant"):
        ids(tmp_path, "STS-B", text="senteval")
    with pytest.raises(DataError, match="no sts tasks for language 'de'"):
        ids(tmp_path, "sts", language="de")


def test_wrong_splits(folder):
    with pytest.raises(DataError, match=r"STS12 has no dev split.*there is STS12:test"):
        ids(folder, "STS12:dev")
    with pytest.raises(DataError, match=r"AFQMC has no test split.*there is AFQMC:dev"):
        ids(folder, "AFQMC", language="zh")
    with pytest.raises(UsageError, match="group of tasks and takes no split"):
        ids(folder, "sts:dev")


def test_no_names(folder):
    with pytest.raises(UsageError, match="no tasks were named"):
        ids(folder)


def test_only_what_is_asked_for_is_read(folder):
    (folder / "sts/en/STS-B/test.tsv").write_text("broken\n", encoding="utf-8")
    assert ids(folder, "STS-B:dev") == ["STS-B:dev"]
    with pytest.raises(DataError, match="line 1"):
        ids(folder, "STS-B")


def test_families_of_other_packages_are_merged(folder, monkeypatch):
    real_load = resolve.load
    other = SimpleNamespace(id="Mine")

    def load(group, name):
        if name == "mine":
            return lambda data, language, options: Family({"Mine": {"test": lambda: other}}, default=["Mine"])
        if name == "rival":
            return lambda data, language, options: Family({}, known=["STS12"])
        return real_load(group, name)

    monkeypatch.setattr(resolve, "load", load)
    monkeypatch.setattr(resolve, "names", lambda group: ["mine", "sts"])
    assert ids(folder, "mine", "STS12") == ["Mine", "STS12"]
    monkeypatch.setattr(resolve, "names", lambda group: ["sts", "rival"])
    with pytest.raises(UsageError, match="'sts' and 'rival' both provide 'STS12'"):
        ids(folder, "STS13")
