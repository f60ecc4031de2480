"""A suite at smoke scale asks a pack's samples for what they hold; what only exists elsewhere is a recorded skip."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.data import DataFolder
from harness.errors import DataError, Skipped, UsageError
from harness.protocols import Task, TaskOptions
from harness.tasks.absent import AbsentTask, without_samples


@pytest.fixture
def samples(tmp_path: Path) -> DataFolder:
    folder = tmp_path / "sts" / "en" / "Small"
    folder.mkdir(parents=True)
    (folder / "test.tsv").write_text("5\ta cat\ta cat\n0\ta cat\ta dog\n")
    return DataFolder(tmp_path)


def ask(samples: DataFolder, *names: str) -> tuple[Task, ...]:
    return without_samples(names, samples, language="en", options=TaskOptions())


def test_what_is_there_is_read_and_what_is_known_is_skipped_with_the_next_step(samples: DataFolder) -> None:
    small, absent, dev = ask(samples, "Small", "MR", "STS-B:dev")
    assert small.id == "Small"
    assert len(small.sentences()) == 4
    assert isinstance(absent, AbsentTask)
    assert (absent.id, dev.id) == ("MR", "STS-B:dev")
    with pytest.raises(Skipped, match=r"the pack's samples hold no MR; give --data DIR and --scale small\."):
        absent.inspect(None)


def test_each_task_stands_once_in_the_order_asked_for(samples: DataFolder) -> None:
    assert [task.id for task in ask(samples, "MR", "Small", "MR", "Small")] == ["MR", "Small"]


def test_typing_errors_and_malformed_samples_are_no_skips(samples: DataFolder) -> None:
    with pytest.raises(UsageError, match="unknown task 'Smal'"):
        ask(samples, "Smal")
    with pytest.raises(DataError, match="has no dev split"):
        ask(samples, "Small:dev")
    (samples.path / "sts" / "en" / "Small" / "test.tsv").write_text("five\ta\tb\n")
    with pytest.raises(DataError, match=r"test\.tsv"):
        ask(DataFolder(samples.path), "Small")
