"""How does a pack turn a table of classes into operators that load their rules only when asked for?"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from harness.protocols import Operator, OperatorTools
from harness.protocols.language import OperatorFactory

#: name -> variant (None: the pack's own) -> module:class, the module below the pack
Classes = Mapping[str, Mapping[str | None, str]]


def operator_factories(package: str, classes: Classes) -> dict[str, OperatorFactory]:
    """Return name -> factory(variant, tools); a factory raises ValueError, naming the variants, for an unknown one.

    package  the pack's package (`languages.english`)
    A class that is alone under its name judges its variants itself (`synonym@20`).
    """
    return {name: _factory(package, name, found) for name, found in classes.items()}


def _factory(package: str, name: str, classes: Mapping[str | None, str]) -> OperatorFactory:
    def make(variant: str | None, tools: OperatorTools) -> Operator:
        where = classes.get(variant, classes[None] if len(classes) == 1 else None)
        if where is None:
            known = " or ".join(name if known is None else f"{name}@{known}" for known in classes)
            raise ValueError(f"{variant!r} is no variant of {name}; write {known}.")
        module, _, cls = where.partition(":")
        operator: Operator = getattr(import_module(f"{package}.{module}"), cls)(variant, tools)
        return operator

    return make
