"""`python -m leaderboard run app.py …`: Streamlit, with what every page needs loaded before the first reader comes."""

from __future__ import annotations

import sys

from harness.errors import AugBenchError


def warm() -> None:
    """Load what every page needs and read the results: the first reader shall not wait for it."""
    import pandas.io.formats.style  # noqa: F401

    import leaderboard.views.board  # noqa: F401
    from leaderboard import data

    data.compact()
    data.references()


def main() -> None:
    """Warm up and serve."""
    import logging

    import streamlit.web.cli

    # Streamlit remarks that nobody is there yet whose page this is
    quiet = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    before = quiet.level
    quiet.setLevel(logging.ERROR)
    try:
        warm()
    except AugBenchError as error:
        sys.exit(f"error: {error}")
    finally:
        quiet.setLevel(before)
    sys.argv[0] = "streamlit"
    streamlit.web.cli.main()


if __name__ == "__main__":
    main()
