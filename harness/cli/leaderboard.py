"""`augbench leaderboard`: results folders in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def leaderboard(
    results: Annotated[
        list[Path] | None,
        typer.Option("--results", help="Results folder or FILE.tar.xz, only read; several are shown together."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Data folder, only read: the sentences behind the items of Compare. Default: AUGBENCH_DATA.",
        ),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port.")] = 8501,
    host: Annotated[
        str, typer.Option("--host", help="Address to listen at; 0.0.0.0 lets everybody on the network read.")
    ] = "127.0.0.1",
) -> None:
    """Show results folders as a board: browse, compare, look into runs.

    Without --results: ./results if it is there, else the records that come with AugBench.

    Examples:

      augbench leaderboard

      augbench leaderboard --results mine --results theirs --data DATA --port 8600
    """
    import os
    import sys

    from harness.board_server import ENVIRONMENT, command
    from harness.data import open_data
    from harness.data.folder import ENVIRONMENT as DATA
    from harness.errors import UsageError
    from harness.submission.archive import results_folder

    asked = [results_folder(folder) for folder in results or ()]
    absent = [folder for folder in asked if not folder.is_dir()]
    if absent:
        raise UsageError(f"the results folder {absent[0]} does not exist. Run a suite first: augbench run quickstart")
    folders = os.pathsep.join(str(folder.resolve()) for folder in asked)
    environment = {**os.environ, ENVIRONMENT: folders or os.environ.get(ENVIRONMENT, "")}
    if data is not None:
        environment[DATA] = str(open_data(data).path.resolve())
    # in place of this process: who stops it stops the server
    os.execve(sys.executable, [sys.executable, *command(host=host, port=port)], environment)
