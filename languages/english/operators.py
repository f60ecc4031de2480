"""Which operators has English? Names to factories; a factory gets the part behind `@` and loads its rules when called."""

from __future__ import annotations

from collections.abc import Mapping

from harness.factories import Classes, operator_factories
from harness.protocols.language import OperatorFactory

#: name -> variant (None: ours) -> module:class
_CLASSES: Classes = {
    "pi": {None: "punctuation:PunctuationInsertion", "paper": "paper_punctuation:PaperPunctuation"},
    "mv": {None: "modal:ModalVerbs", "paper": "paper:PaperModalVerbs"},
    "dn": {None: "double_negation:DoubleNegation", "paper": "paper:PaperDoubleNegation"},
    "negation": {None: "negation:Negation", "paper": "paper:PaperNegation"},
    "synonym": {None: "synonym:Synonym"},
}


def operators() -> Mapping[str, OperatorFactory]:
    """Return name -> factory(variant, tools), see `harness.factories`."""
    return operator_factories("languages.english", _CLASSES)
