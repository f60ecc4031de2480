"""`augbench evaluate`: all task scores of one encoder, as a table and as JSON."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer


def evaluate(
    encoder: Annotated[
        str, typer.Option("--encoder", metavar="PATH|ID", help="Model folder or hub id; mini: the language pack's own.")
    ],
    pooling: Annotated[
        str | None,
        typer.Option(
            "--pooling",
            help="cls, cls_head, cls_pooler, avg, avg_top2, avg_first_last or avg_embed_last. "
            "Default: what a folder saved by AugBench says, else what the protocol wants, else avg.",
        ),
    ] = None,
    max_length: Annotated[
        int | None,
        typer.Option("--max-length", help="Word pieces per text. Default: the encoder's own limit."),
    ] = None,
    tasks: Annotated[
        str,
        typer.Option("--tasks", help="Comma-separated: sts, transfer, STS12, STS-B:dev, … (`augbench ls tasks`)"),
    ] = "sts",
    protocol: Annotated[
        str | None,
        typer.Option("--protocol", help="simcse, senteval, sda or mteb: fills the options below and the pooling."),
    ] = None,
    text: Annotated[
        str | None,
        typer.Option("--text", help="original (as published, the default) or senteval (tokenised, lower-cased)."),
    ] = None,
    probe: Annotated[
        str | None, typer.Option("--probe", help="Classifier on frozen vectors: logreg (the default) or senteval-mlp.")
    ] = None,
    aggregation: Annotated[
        str | None, typer.Option("--aggregation", help="Over the subsets of a year: all (the default), mean or wmean.")
    ] = None,
    language: Annotated[str, typer.Option("--language", help="ISO code or name of a language pack.")] = "en",
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Data folder. Default: the environment variable AUGBENCH_DATA."),
    ] = None,
    precision: Annotated[str, typer.Option("--precision", help="auto, fp32, bf16 or fp16.")] = "auto",
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1, mps.")] = "auto",
    cache: Annotated[
        bool, typer.Option("--cache", help="Keep the vectors on disk (AUGBENCH_CACHE), and use those kept before.")
    ] = False,
    show_slices: Annotated[
        bool, typer.Option("--slices", help="Show scores by word overlap, negation and length too.")
    ] = False,
    engine: Annotated[
        str, typer.Option("--engine", help="augbench, or senteval: the real toolkit beside it, where it is installed.")
    ] = "augbench",
    senteval_data: Annotated[
        Path | None, typer.Option("--senteval-data", help="The toolkit's data folder, with downstream/ in it.")
    ] = None,
    json_out: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE|-", help="Write JSON; with - it is all there is on standard output."),
    ] = None,
) -> None:
    """Score an encoder on tasks. Every unique sentence is encoded once.

    Examples:

      augbench evaluate --encoder bert-base-uncased --pooling avg_first_last --tasks sts --data DIR

      augbench evaluate --encoder ./my-encoder --tasks STS12,STS-B:dev --json scores.json

      augbench evaluate --encoder ./my-encoder --tasks transfer --protocol sda
    """
    # checked before anything is loaded: nobody should wait for an encoder to learn of a typo
    from harness.data import open_data
    from harness.errors import UsageError
    from harness.tasks import families_of, resolve_tasks
    from harness.tasks.presets import choose_options, choose_pooler

    if json_out not in (None, "-"):
        _check_writable(Path(str(json_out)))
    if engine not in ("augbench", "senteval"):
        raise UsageError(f"unknown engine {engine!r}; expected augbench or senteval.")
    if engine == "senteval" and senteval_data is None:
        raise UsageError(
            "--engine senteval needs the toolkit's data folder: --senteval-data DIR, with downstream/ in it."
        )
    options = choose_options(protocol, text=text, probe=probe, aggregation=aggregation)
    names = [name.strip() for name in tasks.split(",") if name.strip()]
    folder, code = open_data(data), _code(language)
    resolved = resolve_tasks(names, data=folder, language=code, options=options)
    wanted = choose_pooler(protocol, families_of(resolved, data=folder, language=code, options=options))

    from harness.cli.console import results_console
    from harness.cli.evaluation_tables import as_json, remarks, slices, tables
    from harness.encoder import open_embedder
    from harness.encoder.settle import is_settled, settle_precision
    from harness.evaluation.evaluator import evaluate as run
    from harness.evaluation.evaluator import unique_sentences
    from harness.mini import encoder_folder

    pack = _pack(language)
    location = encoder if pack is None else encoder_folder(encoder, pack)
    # a folder that AugBench saved brings its own pooler
    own = (Path(location).expanduser() / "augbench.json").is_file()
    pooler = pooling or (None if own else wanted)
    embedder: Any = open_embedder(location, pooler=pooler, max_length=max_length, precision=precision, device=device)
    if not is_settled(embedder):
        embedder = settle_precision(embedder, unique_sentences(resolved))
    if cache:
        from harness.evaluation.vectorcache import CachedEmbedder

        embedder = CachedEmbedder(embedder)
    result = run(embedder, resolved, pack=pack, progress=sys.stderr.isatty())

    stream = sys.stderr if json_out == "-" else sys.stdout
    console = results_console(stream)
    for one in tables(result, title=encoder):
        console.print(one)
    if show_slices and any(found.slices for found in result.results.values()):
        console.print(slices(result))
    for line in remarks(result, edges=show_slices):
        console.print(line, markup=False, highlight=False)
    if cache:
        console.print(f"{embedder.hits:,} vectors were kept from before, {embedder.misses:,} are new", highlight=False)
    if json_out is not None:
        _write(json_out, as_json(result, encoder=encoder))
    if engine == "senteval":
        from harness.cli.toolkit import compare_engines

        assert senteval_data is not None
        compare_engines(result, embedder, senteval_data, console)


def _code(language: str) -> str:
    """Return the ISO code of a language given by code or by the name of its pack."""
    if len(language) <= 3:
        return language
    from harness.languages import open_pack

    return open_pack(language).code


def _pack(language: str) -> Any:
    """Return the pack of a language, None if there is none: tasks need no pack, parts by negation do."""
    from harness.errors import UsageError
    from harness.languages import open_pack

    try:
        return open_pack(language)
    except UsageError:
        return None


def _check_writable(path: Path) -> None:
    from harness.errors import UsageError

    if path.is_dir():
        raise UsageError(f"--json {path} is a folder, expected a file name or -.")
    if not path.parent.is_dir():
        raise UsageError(f"the folder of --json {path} does not exist; create it with `mkdir -p {path.parent}`.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise UsageError(f"--json {path} cannot be written (permission denied); choose another file.")


def _write(target: str, content: dict[str, Any]) -> None:
    text = json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    from harness.cache import atomic_write

    atomic_write(Path(target), text.encode(), hint="Free some space, or choose another file for --json.")
