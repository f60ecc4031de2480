"""What is an analysis to the runner? Something opened from a suite and a request, with an identity, and counted once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from harness.analyses.suites import AnalysisSuite
from harness.languages import open_pack
from harness.protocols import LanguagePack
from harness.provenance import digest

SAMPLES = "the pack's own samples are what was counted"


@dataclass(frozen=True)
class Request:
    """What the user chose; None leaves the choice to the suite, its scale or the language pack.

    jobs      processes that make views (None: as many as pay); it changes no number
    labelled  pairs with scores, for advice: a TSV file or the name of a dev split
    """

    language: str | None = None
    corpus: Path | None = None
    data: Path | None = None
    encoder: str | None = None
    scale: str | None = None
    seeds: tuple[int, ...] | None = None
    jobs: int | None = None
    labelled: str | None = None


class Job(ABC):
    """An analysis with its texts, operators or tokenisers opened; `measure` does the work.

    Opening raises the errors of what is opened (DataError, UsageError, EncoderError), before anything long begins.
    """

    suite: AnalysisSuite
    scale: str
    pack: LanguagePack

    @abstractmethod
    def __init__(self, suite: Any, scale: str, request: Request) -> None:
        """Open what the suite needs at a scale."""

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """Return the data part of the identity: hashes of all texts, and the choices that decide the numbers."""

    @abstractmethod
    def facts(self) -> dict[str, str]:
        """Return what the tables are headed with."""

    @abstractmethod
    def plan(self) -> tuple[Sequence[str], list[Sequence[str]]]:
        """Return what would be counted, as titles and rows."""

    @property
    @abstractmethod
    def plumbing(self) -> str | None:
        """Why the numbers must not be published, None if nothing speaks against it."""

    @abstractmethod
    def measure(self, *, progress: bool = False) -> BaseModel:
        """Count, and return the kind's result model."""

    @cached_property
    def identity(self) -> dict[str, Any]:
        """Everything that decides the result, and nothing else (no path, no date).

        Taken once, when first asked for, which is before anything is measured: a file that is edited meanwhile is not what ran.
        """
        return {
            "analysis": self.suite.kind,
            "scale": self.scale,
            "language": self.pack.name,
            "code": self.code(self.suite, self.scale, self.pack),
            "data": self.data(),
        }

    @property
    def id(self) -> str:
        """The first 16 hex digits of the digest of the identity."""
        return digest(self.identity)[:16]

    @staticmethod
    @abstractmethod
    def code(suite: Any, scale: str, pack: LanguagePack) -> dict[str, Any]:
        """Return the code part of the identity: what today's code and suite file would count with."""


def pack_of(suite: AnalysisSuite, request: Request) -> LanguagePack:
    """Return the language pack of a request."""
    return open_pack(request.language or suite.language)


def pack_fact(pack: LanguagePack) -> str:
    """Return how tables name a pack: its name and the beginning of the hash of what its parse depends on."""
    return f"{pack.name} ({digest(pack.fingerprint())[:8]})"
