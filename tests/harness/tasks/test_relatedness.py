from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import pearsonr, spearmanr

from harness.data import DataFolder, ScoredPairs
from harness.errors import DataError, Skipped, UsageError
from harness.probes.features import pair_features
from harness.probes.regressor import regress
from harness.protocols import TaskOptions
from harness.tasks.relatedness import RelatednessTask
from harness.tasks.sts import STSTask, family


def pairs(n: int, seed: int) -> ScoredPairs:
    rng = np.random.default_rng(seed)
    texts = tuple(
        ("a " * int(rng.integers(1, 5)) + f"{seed} {i}", "b " * int(rng.integers(1, 5)) + str(i)) for i in range(n)
    )
    return ScoredPairs(np.round(rng.uniform(0, 5, n), 1), texts)


@pytest.fixture(autouse=True)
def short(monkeypatch):
    monkeypatch.setattr("harness.probes.regressor.LONGEST", 50)


def own() -> RelatednessTask:
    parts = {"train": pairs(40, 1), "dev": pairs(15, 2), "test": pairs(20, 3)}
    return RelatednessTask("STS-B", parts, language="en", text="original", notes=("a note",))


def test_the_test_pairs_are_predicted_in_the_order_of_the_file():
    task = own()
    assert task.protocol.id == "senteval-regressor@1"
    assert len(task.sentences()) == 150
    assert task.sentences()[55:57] == [task.pairs[0][0], task.pairs[1][0]]
    v = np.random.default_rng(0).normal(size=(150, 4)).astype(np.float32)
    result = task.score(v)
    # by hand: sort each part, regress, put back
    scores = np.concatenate([pairs(n, seed).gold for n, seed in ((40, 1), (15, 2), (20, 3))])
    every = [p for n, seed in ((40, 1), (15, 2), (20, 3)) for p in pairs(n, seed).pairs]
    order = [
        np.array(sorted(range(a, b), key=lambda i: (len(every[i][0].split()), len(every[i][1].split()), scores[i])))
        for a, b in ((0, 40), (40, 55), (55, 75))
    ]
    found = regress(pair_features(v[:75], v[75:]), scores, *order)
    expected = np.empty(20)
    expected[order[2] - 55] = found.predictions
    np.testing.assert_allclose(result.predictions, expected, atol=1e-6)
    values = {s.metric: s.value for s in result.scores}
    assert values["pearson"] == pytest.approx(100 * pearsonr(task.gold, expected)[0], abs=1e-4)
    assert values["spearman"] == pytest.approx(100 * spearmanr(task.gold, result.predictions)[0], abs=1e-6)
    assert task.main == ("pearson", "all")
    assert result.facts["dev_pearson"] == pytest.approx(found.dev)
    assert result.notes == ("a note",)


def test_what_cannot_be_learned_is_undefined():
    task = own()
    for v, reason in ((np.ones((150, 3)), "the same"), (np.full((150, 3), np.nan), "NaN")):
        result = task.score(v)
        assert [s.value for s in result.scores] == [None, None]
        assert any(reason in note for note in result.notes)
    with pytest.raises(Skipped, match="dense"):
        task.score(sparse.csr_matrix(np.random.default_rng(0).normal(size=(150, 3))))
    with pytest.raises(ValueError, match="150 sentences"):
        task.score(np.ones((149, 3)))


def fill(folder, place: str, rows: int = 5) -> None:
    path = folder / "sts" / f"{place}.tsv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{i % 5 + 1}\t{place} {i} a\t{place} {i} b\n" for i in range(rows)), encoding="utf-8")


def test_the_option_turns_only_the_two_sets_with_training_pairs(tmp_path):
    for part in ("train", "dev", "test"):
        fill(tmp_path, f"en/STS-B/{part}")
        fill(tmp_path, f"en/Own/{part}")
    fill(tmp_path, "en/SICK-R/test")
    data = DataFolder(tmp_path)
    found = family(data, "en", TaskOptions(relatedness="regressor"))
    task = found.tasks["STS-B"]["test"]()
    assert isinstance(task, RelatednessTask)
    assert list(found.tasks["STS-B"]) == ["test"]
    assert task.notes[0] == "train has 5 pairs, the official set 5749: not comparable"
    assert isinstance(found.tasks["Own"]["test"](), STSTask)
    with pytest.raises(DataError, match=r"SICK-R lacks train.tsv, dev.tsv"):
        found.tasks["SICK-R"]["test"]()
    assert isinstance(family(data, "en", TaskOptions()).tasks["STS-B"]["dev"](), STSTask)
    with pytest.raises(UsageError, match="unknown relatedness 'ridge'"):
        family(data, "en", TaskOptions(relatedness="ridge"))


def test_tables_show_the_aggregation_asked_for_where_there_are_subsets(tmp_path):
    for subset in ("one", "two"):
        fill(tmp_path, f"de/Years/{subset}")
    fill(tmp_path, "de/Split/test")
    tasks = family(DataFolder(tmp_path), "de", TaskOptions(aggregation="wmean")).tasks
    assert tasks["Years"]["test"]().main == ("spearman", "wmean")
    assert tasks["Split"]["test"]().main == ("spearman", "all")
    with pytest.raises(UsageError, match="unknown aggregation 'median'"):
        family(DataFolder(tmp_path), "de", TaskOptions(aggregation="median"))
