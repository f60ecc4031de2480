"""What ran, on what, with which versions, and which code exactly?

Hashes here are over *content*: code without comments and docstrings, JSON values in one canonical spelling. A path, a date
or a host name never enters one, so the same work has the same name on every machine.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import json
import os
import platform
import subprocess
import sys
import textwrap
from importlib import metadata
from pathlib import Path, PurePath
from types import ModuleType
from typing import Any

from harness.errors import UsageError
from harness.protocols import Operator, TokenOperator

PACKAGES = (
    "augbench",
    "torch",
    "transformers",
    "tokenizers",
    "safetensors",
    "numpy",
    "scipy",
    "scikit-learn",
    "spacy",
)
# The contracts are versioned by the package; a new default method there must not rename every run.
_CONTRACTS = "harness.protocols"
_LIBRARIES = ("torch", "transformers", "tokenizers", "pydantic", "numpy", "scipy", "sklearn", "spacy")
_GIBIBYTE = 1024**3


def digest(value: Any) -> str:
    """Return the sha256 of a JSON value in canonical form (sorted keys, no blanks, UTF-8).

    Raises TypeError for anything that is not JSON, paths included, and ValueError for NaN and infinities.
    """
    return hashlib.sha256(_canonical(value).encode()).hexdigest()


def _canonical(value: Any) -> str:
    def refuse(other: Any) -> Any:
        what = "a path" if isinstance(other, PurePath) else f"a {type(other).__name__}"
        raise TypeError(f"{what} ({other!r}) cannot enter a hash; give its content as JSON")

    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=refuse)


# -- code -------------------------------------------------------------------------------------------------------------
def code_digest(obj: Any) -> str:
    """Return a sha256 of the code behind a class, function, instance or module.

    It covers the defining module without comments, formatting and docstrings and, for a class, the modules of its base
    classes, except those of the standard library, of the libraries AugBench needs, and the contracts. A `TokenOperator`
    stands for the function it holds, a partial for the function it fixes. An operator also stands for its members and for the
    modules of its own package that its rules are spread over. Raises UsageError where there is no source to read.
    """
    sources = {_key(part): _clean_source(part) for part in _parts(obj)}
    if isinstance(obj, Operator):
        for name in list(sources):
            sources |= _package_sources(name)
    return digest(sorted(sources.items()))


@functools.cache
def _package_sources(module: str) -> dict[str, str]:
    """The clean sources of everything a module imports, directly or not, from the package it lies in."""
    package = module.rpartition(".")[0]
    found: dict[str, str] = {}
    # a module by itself (a script, a notebook) has no package to be spread over
    waiting = [module] if package else []
    while waiting:
        name = waiting.pop()
        if name != module:
            found[name] = _clean_source(importlib.import_module(name))
        for other in _imports(name):
            if other.startswith(f"{package}.") and other not in found and other != module:
                waiting.append(other)
    return found


@functools.cache
def _imports(module: str) -> list[str]:
    """The modules that a module's source names in import statements, those inside functions too."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [name for name in names if _is_module(name)]


@functools.cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def _parts(obj: Any) -> list[Any]:
    if isinstance(obj, Operator):
        return [*_parts(type(obj)), *(part for member in obj.members for part in _parts(member))]
    if isinstance(obj, TokenOperator):
        obj = obj.apply_ids
    while isinstance(obj, functools.partial):
        obj = obj.func
    if not isinstance(obj, ModuleType | type) and not inspect.isroutine(obj):
        obj = type(obj)
    if not isinstance(obj, type):
        return [obj]
    return [base for base in obj.__mro__ if base is obj or not _versioned_elsewhere(base.__module__)]


def _versioned_elsewhere(module: str) -> bool:
    top = module.partition(".")[0]
    return top in sys.stdlib_module_names or top in _LIBRARIES or module.startswith(_CONTRACTS)


def _key(part: Any) -> str:
    return part.__name__ if isinstance(part, ModuleType) else str(part.__module__)


@functools.cache
def _clean_source(part: Any) -> str:
    module = part if isinstance(part, ModuleType) else sys.modules.get(part.__module__)
    for candidate in (module, part):
        try:
            return strip(inspect.getsource(candidate))  # type: ignore[arg-type]
        except (OSError, TypeError, SyntaxError):
            continue  # a notebook's __main__ has no file, but the class itself may still have a source
    name = getattr(part, "__qualname__", part)
    raise UsageError(
        f"the source code of {name!r} cannot be read, so its results could not be told from those of other code. "
        "Put it into a .py file and import it from there."
    )


def strip(source: str) -> str:
    """Return Python `source` without comments, docstrings and formatting."""
    tree = ast.parse(textwrap.dedent(source))  # a class inside a function comes indented
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
                if not node.body and not isinstance(node, ast.Module):
                    node.body = [ast.Pass()]
    return ast.unparse(tree)


# -- surroundings -----------------------------------------------------------------------------------------------------
def versions() -> dict[str, str]:
    """Return the versions of Python, the operating system and the packages results depend on (nothing is imported)."""
    found = {"python": platform.python_version(), "platform": f"{platform.system()} {platform.machine()}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def hardware() -> dict[str, Any]:
    """Return CPU model, usable cores, memory in GiB and, where there is one, the GPU with its memory in GiB."""
    found: dict[str, Any] = {
        "cpu": cpu_model(),
        "cores": usable_cores(),
        "memory_gib": _memory_gib(),
        "gpu": None,
    }
    import torch

    if torch.cuda.is_available():
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        found["gpu"] = properties.name
        found["gpu_memory_gib"] = round(properties.total_memory / _GIBIBYTE, 1)
    elif torch.backends.mps.is_available():
        found["gpu"] = "Apple MPS"
    return found


def cpu_model() -> str:
    """Return the marketing name of the processor, or the architecture where the system does not say."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass  # not Linux
    return platform.processor() or platform.machine()


def usable_cores() -> int:
    """Return the number of cores this process may use (not those of the whole machine)."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def _memory_gib() -> float | None:
    try:
        return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / _GIBIBYTE, 1)
    except (ValueError, OSError, AttributeError):
        return None


@functools.cache
def code_revision() -> str:
    """Return `git describe` of the checkout this code runs from, with `+dirty`; else the version of the package."""
    try:
        version = metadata.version("augbench")
    except metadata.PackageNotFoundError:
        version = "unknown"
    here = Path(__file__).resolve()
    # An installed copy may lie inside somebody else's repository; only a tracked file speaks for us.
    if _git(here.parent, "ls-files", "--error-unmatch", here.name) is None:
        return version
    return _git(here.parent, "describe", "--always", "--tags", "--abbrev=12", "--dirty=+dirty") or version


def _git(folder: Path, *arguments: str) -> str | None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
