"""`python -m benchmarks encode|train|dev|views|probes|leaderboard|systems`: run one comparison and print its ratio.

Results go to RESULTS.md by hand.
"""

from __future__ import annotations

import argparse

from benchmarks import dev, encode, leaderboard, probes, systems, train, views

COMPARISONS = {
    "encode": encode,
    "train": train,
    "dev": dev,
    "views": views,
    "probes": probes,
    "leaderboard": leaderboard,
    "systems": systems,
}


def main() -> None:
    """Read the command line and run one comparison."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    verbs = parser.add_subparsers(dest="name", required=True)
    for name, module in COMPARISONS.items():
        verb = verbs.add_parser(name, help=(module.__doc__ or "").splitlines()[0])
        module.arguments(verb)
    given = parser.parse_args()
    COMPARISONS[given.name].run(given)


if __name__ == "__main__":
    main()
