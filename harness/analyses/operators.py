"""Which of these operators can be tried here, and on what does their output depend?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harness.errors import Skipped, UsageError
from harness.operators import available, resolve, split_spec
from harness.protocols import LanguagePack, Operator, OperatorTools
from harness.provenance import code_digest, digest


def text_operators(
    specs: Iterable[str], pack: LanguagePack, *, encoder: str | None
) -> tuple[list[Operator], dict[str, str]]:
    """Return the operators on text among `specs`, and spec -> reason for those this pack or machine lacks.

    encoder  the folder or id of the encoder that fills masks, None if there is none

    Raises UsageError for an unknown variant, and for operators on word pieces, which leave no text to look at.
    """
    operators: list[Operator] = []
    skipped: dict[str, str] = {}
    names = available(pack)
    tools = OperatorTools(pack=pack, encoder=encoder)
    for spec in specs:
        if split_spec(spec)[0] not in names:
            skipped[spec] = f"the language pack {pack.name!r} has no operator {split_spec(spec)[0]!r}"
            continue
        try:
            (operator,) = resolve([spec], pack, tools)
        except Skipped as reason:
            skipped[spec] = str(reason)
            continue
        if not isinstance(operator, Operator):
            raise UsageError(
                f"{spec} works on an encoder's word pieces and leaves no text to look at; name a text operator "
                "(`augbench ls operators`)."
            )
        operators.append(operator)
    return operators, skipped


def operator_code(specs: Iterable[str], pack: LanguagePack) -> dict[str, Any]:
    """Return the part of an identity that says what the operators are today: code, settings and word lists, as hashes.

    Of an operator that needs an encoder it is the code alone; its encoder is data.
    """
    specs = list(specs)
    alone, lacking = text_operators(specs, pack, encoder=None)
    found = {op.spec: digest([op.fingerprint(), code_digest(op)]) for op in alone}
    with_encoder, _ = text_operators(lacking, pack, encoder="any")
    return found | {op.spec: code_digest(op) for op in with_encoder}
