"""Which operator does `crop@10` mean in this language? The pack's own come first, then the registered ones."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from harness.errors import AugBenchError, UsageError
from harness.protocols import LanguagePack, Operator, OperatorTools, TokenOperator, registry


def split_spec(spec: str) -> tuple[str, str | None]:
    """Return (name, variant or None) of `name` or `name@variant`. Raises UsageError if either part is empty."""
    name, at, variant = spec.strip().partition("@")
    if not name or (at and not variant):
        raise UsageError(f"{spec!r} names no operator; write `name` or `name@variant`, e.g. crop@10.")
    return name, variant or None


def available(pack: LanguagePack | None = None) -> dict[str, str]:
    """Return operator name -> origin (`english`, or `module:attribute`); the pack's own shadow the others."""
    names = {name: registry.origin("operators", name) for name in registry.names("operators")}
    if pack is not None:
        names |= dict.fromkeys(pack.operators(), pack.name)
    return names


def variants(name: str, pack: LanguagePack) -> tuple[str, ...]:
    """Return the variants an operator declares (`Operator.variants`); none if it cannot be made here.

    Raises registry.UnknownName if there is no such operator.
    """
    own = pack.operators()
    factory: Any = own[name] if name in own else registry.load("operators", name)
    declared: Sequence[str] | None = getattr(factory, "variants", None)
    if declared is None:
        try:
            declared = getattr(factory(None, OperatorTools(pack=pack)), "variants", ())
        except (AugBenchError, ValueError):
            declared = ()  # a factory that needs an encoder or a variant cannot be asked
    return tuple(declared)


def resolve(
    specs: Sequence[str], pack: LanguagePack, tools: OperatorTools | None = None
) -> list[Operator | TokenOperator]:
    """Return one operator per spec, in order. `tools` gets the pack filled in where it names none.

    Raises UsageError for an unknown name (with close ones) or variant (with the valid ones), and lets Skipped through
    where an operator lacks something (an encoder, say).
    """
    tools = tools or OperatorTools()
    if tools.pack is None:
        tools = dataclasses.replace(tools, pack=pack)
    own = pack.operators()
    return [_resolve(spec, own, pack, tools) for spec in specs]


def _resolve(spec: str, own: Any, pack: LanguagePack, tools: OperatorTools) -> Operator | TokenOperator:
    name, variant = split_spec(spec)
    try:
        factory = own[name] if name in own else registry.load("operators", name)
    except registry.UnknownName:
        hint = registry.suggest(name, available(pack))
        raise UsageError(f"{pack.name} has no operator {name!r}. {hint} See `augbench ls operators`.") from None
    try:
        operator: Operator | TokenOperator = factory(variant, tools)
    except ValueError as error:
        raise UsageError(f"operator {spec!r}: {error}") from None
    return operator
