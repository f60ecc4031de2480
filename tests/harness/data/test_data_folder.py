from __future__ import annotations

import pytest

from harness.data import DataFolder, open_data
from harness.errors import DataError, UsageError


@pytest.fixture
def folder(tmp_path):
    for place in ("sts/en/STS-B/dev.tsv", "sts/en/STS-B/test.tsv", "sts/en/Own/a.tsv", "sts/en-senteval/STS-B/dev.tsv"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("1\ta\tb\n", encoding="utf-8")
    (tmp_path / "sts/en/empty").mkdir()
    return tmp_path


def test_layout(folder):
    data = DataFolder(folder)
    assert data.sts_sets("en") == ["Own", "STS-B"]
    assert data.sts_sets("en", "senteval") == ["STS-B"]
    assert data.sts_sets("zh") == []
    assert data.sts_files("en", "STS-B") == {
        "dev": folder / "sts/en/STS-B/dev.tsv",
        "test": folder / "sts/en/STS-B/test.tsv",
    }
    assert data.sts_languages() == ["en", "en-senteval"]
    with pytest.raises(UsageError, match="unknown text variant 'raw'"):
        data.sts("en", "raw")


def test_the_argument_comes_before_the_environment(folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    (other / "sts").mkdir(parents=True)
    monkeypatch.setenv("AUGBENCH_DATA", str(other))
    assert open_data().path == other
    assert open_data(folder).path == folder


@pytest.mark.parametrize("value", [None, ""])
def test_no_folder_is_known(monkeypatch, value):
    if value is None:
        monkeypatch.delenv("AUGBENCH_DATA", raising=False)
    else:
        monkeypatch.setenv("AUGBENCH_DATA", value)
    with pytest.raises(DataError, match=r"--data DIR.*AUGBENCH_DATA"):
        open_data()


def test_what_is_not_a_data_folder(tmp_path):
    with pytest.raises(DataError, match=r"nowhere does not exist.*--data DIR"):
        DataFolder(tmp_path / "nowhere")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(DataError, match="is a file"):
        DataFolder(tmp_path / "file")
    with pytest.raises(DataError, match=r"not a data folder.*sts/en/STS-B"):
        DataFolder(tmp_path)
