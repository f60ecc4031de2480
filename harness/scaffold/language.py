"""How does a language become a package? Templates with a few names filled in, and sample sentences where spaCy has some.

The templates lie in `templates/`, one text file per file of the pack; `_FILES` says where each goes. What comes out needs no other
change to work: a pack without a parser (`parser = "none"`), with one rule that works and four that wait for words.
"""

from __future__ import annotations

import keyword
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Template

from harness.errors import DataError, UsageError
from harness.protocols import registry
from harness.scaffold.samples import Samples, samples_for
from harness.scaffold.tokeniser import Tokeniser, tokeniser_for

#: the namespace package that packs of all authors share
NAMESPACE = "augbench_languages"
_CODE = re.compile(r"[a-z]{2,3}")
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_TEMPLATES = Path(__file__).parent / "templates"
_PACK = f"{NAMESPACE}/$name"
#: template -> place in the new folder
_FILES = {
    "pyproject": "pyproject.toml",
    "readme": "README.md",
    "gitignore": ".gitignore",
    "tests": "tests/test_$name.py",
    "init": f"{_PACK}/__init__.py",
    "pack": f"{_PACK}/pack.toml",
    "operators": f"{_PACK}/operators.py",
    "rule": f"{_PACK}/rule.py",
    "punctuation": f"{_PACK}/punctuation.py",
    "modal": f"{_PACK}/modal.py",
    "negation": f"{_PACK}/negation.py",
    "double_negation": f"{_PACK}/double_negation.py",
    "synonym": f"{_PACK}/synonym.py",
    "lexicon_punctuation": f"{_PACK}/lexicon/punctuation.toml",
    "lexicon_modals": f"{_PACK}/lexicon/modals.toml",
    "lexicon_negation": f"{_PACK}/lexicon/negation.toml",
    "lexicon_synonyms": f"{_PACK}/lexicon/synonyms.toml",
    "guidelines": f"{_PACK}/quality/GUIDELINES.md",
}


@dataclass(frozen=True)
class Made:
    """A new pack: its name, its folder, the folder of the pack inside it, and what the author should know."""

    name: str
    folder: Path
    pack: Path
    notes: tuple[str, ...]


def new_language(code: str, *, name: str | None = None, out: Path | None = None) -> Made:
    """Write the package of a new language pack and return where it is.

    code  ISO 639 code;  name  the pack's name (default: spaCy's name of the language);  out  default: `augbench-NAME` here

    Raises UsageError for a code or name that is none or is taken, a language whose tokeniser needs a library that is missing, and
    a folder that exists; DataError if it cannot be written. Nothing is left behind then.
    """
    code = _checked_code(code)
    tokeniser = tokeniser_for(code)
    name = _checked_name(name or tokeniser.language, code)
    folder = out if out is not None else Path(f"augbench-{name.replace('_', '-')}")
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists; give another folder with --out DIR, or remove it.")
    samples = samples_for(code)
    part = folder.with_name(f"{folder.name}.new")
    try:
        shutil.rmtree(part, ignore_errors=True)
        for place, content in _files(name, code, tokeniser, samples):
            (part / place).parent.mkdir(parents=True, exist_ok=True)
            (part / place).write_text(content, encoding="utf-8", newline="\n")
        part.rename(folder)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise DataError(f"{folder} cannot be written ({error.strerror or error}); give another --out.") from None
    notes = tuple(note for note in (tokeniser.note, samples.note) if note)
    return Made(name, folder, folder / NAMESPACE / name, notes)


def _checked_code(code: str) -> str:
    wanted = code.strip().lower()
    if not _CODE.fullmatch(wanted):
        raise UsageError(
            f"{code!r} is no ISO 639 code; expected two or three letters, e.g. de: augbench new language de"
        )
    from harness.languages import pack_codes

    taken = pack_codes()
    if wanted in taken:
        raise UsageError(
            f"the pack {taken[wanted]!r} has the code {wanted!r} already; see `augbench ls languages`, and add to that pack."
        )
    return wanted


def _checked_name(name: str | None, code: str) -> str:
    if name is None:
        raise UsageError(f"spaCy has no name for {code!r}; give one: augbench new language {code} --name NAME")
    if not _NAME.fullmatch(name) or keyword.iskeyword(name):
        raise UsageError(
            f"{name!r} cannot be the name of a pack; expected lower-case letters, digits and _, e.g. --name german"
        )
    if name in registry.names("languages"):
        raise UsageError(
            f"there is a language pack {name!r} already, see `augbench ls languages`; give another --name."
        )
    return name


def _files(name: str, code: str, tokeniser: Tokeniser, samples: Samples) -> Iterator[tuple[str, str]]:
    """Yield (place, content) of every file of the package."""
    title = name.replace("_", " ").title()
    values = {
        "name": name,
        "code": code,
        "title": title,
        "class_name": title.replace(" ", ""),
        "distribution": f"augbench-{name.replace('_', '-')}",
        "tokeniser": tokeniser.about,
        "blank": "" if tokeniser.own else _template("blank", {"code": code}),
        "any_import": "" if tokeniser.own else "from typing import Any\n",
        **samples.values(),
    }
    for template, place in _FILES.items():
        yield Template(place).substitute(name=name), _template(template, values)
    yield f"{NAMESPACE}/{name}/py.typed", ""
    for place, content in samples.files(code):
        yield f"{NAMESPACE}/{name}/{place}", content


def _template(name: str, values: dict[str, str]) -> str:
    text = (_TEMPLATES / f"{name}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(values)
