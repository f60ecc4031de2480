"""Which operators has Chinese? Names to factories; a factory gets the part behind `@` and loads its rules when called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from harness.protocols import Operator, OperatorTools
from harness.protocols.language import OperatorFactory

#: name -> variant (None: ours) -> module:class
_CLASSES: Mapping[str, Mapping[str | None, str]] = {
    "pi": {None: "punctuation:PunctuationInsertion", "paper": "paper_punctuation:PaperPunctuation"},
    "mv": {None: "modal:ModalVerbs", "paper": "paper:PaperModalVerbs"},
    "dn": {None: "double_negation:DoubleNegation", "paper": "paper:PaperDoubleNegation"},
    "negation": {None: "negation:Negation", "paper": "paper:PaperNegation"},
    "synonym": {None: "synonym:Synonym"},
}


def operators() -> Mapping[str, OperatorFactory]:
    """Return name -> factory(variant, tools); a factory raises ValueError, naming the variants, for an unknown one."""
    return {name: _factory(name) for name in _CLASSES}


def _factory(name: str) -> OperatorFactory:
    def make(variant: str | None, tools: OperatorTools) -> Operator:
        found = _CLASSES[name]
        # a class that has variants of its own (`synonym@20`) judges them itself
        where = found.get(variant, found[None] if len(found) == 1 else None)
        if where is None:
            raise ValueError(
                f"{variant!r} is no variant of {name}; write {name} (ours) or {name}@paper (the printed rule)."
            )
        module, _, cls = where.partition(":")
        operator: Operator = getattr(import_module(f"languages.chinese.{module}"), cls)(variant, tools)
        return operator

    return make
