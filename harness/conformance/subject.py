"""A language pack under test: the texts its checks run on, parsed once, and what each operator made of them."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.conformance.texts import HARD_TEXTS, alphabet_of, random_texts, script_texts, strange_sentences
from harness.errors import AugBenchError, Skipped
from harness.protocols import Doc, LanguagePack, Operator, OperatorTools, TokenOperator
from harness.seeds import python_rng

PARSE = "parse keeps every text exactly"
_SENTENCES = 100
_STRANGE = 25
_RANDOM = 200
_OWN_RANDOM = 50
#: texts beyond this many characters are tried under one seed only
_SHORT = 1_000
_SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Attempt:
    """One operator on one text under one seed: its edit (None: it does not apply), or the error it raised."""

    name: str
    seed: int
    doc: Doc = field(repr=False)
    edit: Any = None
    error: Exception | None = None

    @property
    def place(self) -> str:
        """The text, for messages."""
        return f"{self.name} ({shown(self.doc.text)}), seed {self.seed}"


class Subject:
    """One pack with all texts of the battery. Parses and attempts are kept, as most checks look at the same ones."""

    def __init__(self, pack: LanguagePack, sentences: Sequence[str] | None = None) -> None:
        self.pack = pack
        chosen = list(sentences) if sentences is not None else _sample_sentences(pack)
        #: ordinary sentences by name
        self.plain = {f"sentence {number}": text for number, text in enumerate(chosen)}
        strange = chosen[:_STRANGE]
        self.texts = {
            **self.plain,
            **strange_sentences(strange, self._tokens(strange)),
            **script_texts(strange),
            **{f"challenge: {name}": text for name, text in pack.challenges().items()},
            **HARD_TEXTS,
            **random_texts(_RANDOM),
        }
        if chosen:
            self.texts |= random_texts(min(_OWN_RANDOM, _RANDOM), alphabet=alphabet_of(chosen))
        self._docs: dict[str, Doc] | None = None
        self._worn: dict[str, Doc] | None = None
        self._attempts: dict[str, list[Attempt]] = {}

    def _tokens(self, sentences: Sequence[str]) -> list[list[str]] | None:
        try:
            return [
                [token.text for token in doc if not token.text.isspace()] for doc in self.pack.tokenise_all(sentences)
            ]
        except Exception:
            return None  # the checks of the parser say why

    def docs(self) -> dict[str, Doc]:
        """All texts parsed in one batch, by name. Raises Skipped if they cannot be."""
        if self._docs is None:
            try:
                self._docs = dict(zip(self.texts, self.pack.parse(self.texts.values()), strict=True))
            except Exception as error:
                raise Skipped(f"the texts cannot be parsed; see the check {PARSE!r}") from error
        return self._docs

    def worn_docs(self) -> dict[str, Doc]:
        """All texts parsed in the other order, after every operator has had each document once."""
        if self._worn is None:
            names = list(reversed(self.docs()))
            docs = dict(zip(names, self.pack.parse(self.texts[name] for name in names), strict=True))
            for spec in self.specs():
                # what goes wrong here is reported by the operator's own checks
                with contextlib.suppress(Exception):
                    operator = self.text_operator(spec)
                    for doc in docs.values():
                        with contextlib.suppress(Exception):
                            operator.apply(doc, python_rng(0, spec, doc.text))
            self._worn = docs
        return self._worn

    def operator(self, spec: str) -> Operator | TokenOperator:
        """A new operator. Raises AssertionError if it cannot be made, Skipped if it lacks something here."""
        name, _, variant = spec.partition("@")
        try:
            return self.pack.operators()[name](variant or None, OperatorTools(pack=self.pack))
        except Skipped:
            raise
        except Exception as error:
            raise AssertionError(f"{spec} cannot be made: {type(error).__name__}: {error}") from error

    def text_operator(self, spec: str) -> Operator:
        """A new operator on text. Raises Skipped for one on word pieces."""
        operator = self.operator(spec)
        if not isinstance(operator, Operator):
            raise Skipped("it works on word pieces, not on text")
        return operator

    def specs(self) -> list[str]:
        """Every operator of the pack by its plain name and with each variant it declares."""
        found = []
        for name in self.pack.operators():
            try:
                variants = getattr(self.operator(name), "variants", ())
            except (AssertionError, AugBenchError):
                variants = ()  # the operator's own checks say why
            found += [name, *(f"{name}@{variant}" for variant in variants)]
        return found

    def seeds(self, name: str) -> tuple[int, ...]:
        """The seeds a text is tried under."""
        return _SEEDS if len(self.texts[name]) <= _SHORT else _SEEDS[:1]

    def attempts(self, spec: str) -> list[Attempt]:
        """What an operator made of every text under every seed of it."""
        if spec not in self._attempts:
            operator, made = self.text_operator(spec), []
            for name, doc in self.docs().items():
                for seed in self.seeds(name):
                    try:
                        edit = operator.apply(doc, python_rng(seed, spec, doc.text))
                    except Exception as error:
                        made.append(Attempt(name, seed, doc, error=error))
                    else:
                        made.append(Attempt(name, seed, doc, edit))
            self._attempts[spec] = made
        return self._attempts[spec]

    def edits(self, spec: str) -> list[Attempt]:
        """The attempts that changed something."""
        return [attempt for attempt in self.attempts(spec) if attempt.edit is not None]


def shown(text: str, longest: int = 80) -> str:
    """Return a text for a message: quoted, cut, and with every character that cannot be seen written as its code."""
    return ascii(text) if len(text) <= longest else f"{text[:longest]!a}… ({len(text):,} characters)"


def _sample_sentences(pack: LanguagePack) -> list[str]:
    from harness.corpus import read_corpus

    try:
        files = sorted((pack.samples / "corpus" / pack.code).glob("*.txt"))
        corpus = read_corpus(files[0], limit=_SENTENCES) if files else None
    except AugBenchError:
        return []  # the check of the samples says why
    return corpus.sentences if corpus else []
