"""Which two rows the page of comparisons begins with."""

from __future__ import annotations

import pandas as pd

from leaderboard.compare_choice import _beside, _default


def rows(*given: tuple[str, str, str, int]) -> pd.DataFrame:
    """One line per seed of (system, method, suite, seeds)."""
    return pd.DataFrame(
        [
            {"system": system, "method": method, "suite": suite, "seed": seed, "train_id": f"{system}-{seed}"}
            for system, method, suite, seeds in given
            for seed in range(seeds)
        ]
    )


HERE = rows(
    ("sweep-simcse", "simcse", "sweep", 1),
    ("sweep-a", "sda", "sweep", 1),
    ("sweep-b", "sda", "sweep", 1),
    ("table-simcse", "simcse", "table", 5),
    ("table-one", "sda", "table", 1),
    ("table-five", "sda", "table", 5),
)
NAMES = list(HERE["system"].unique())


def test_a_is_the_plain_row_with_most_seeds_and_not_that_of_the_longest_suite() -> None:
    assert _default(HERE, NAMES) == "table-simcse"


def test_of_equal_seeds_the_suite_with_most_rows_counts() -> None:
    here = HERE[HERE["seed"] == 0]
    assert _default(pd.concat([here, rows(("sweep-c", "sda", "sweep", 1))], ignore_index=True), NAMES) == "sweep-simcse"


def test_b_is_of_the_same_suite_with_most_seeds() -> None:
    assert _beside(HERE, NAMES, "table-simcse") == "table-five"
    assert _beside(HERE, NAMES, "sweep-simcse") == "sweep-a"
    assert _beside(HERE, NAMES, None) is None
