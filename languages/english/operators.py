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
    # AugCSE's augmentations
    "contraction": {None: "augcse.contraction:Contraction"},
    "tense": {None: "augcse.tense:Tenses"},
    "auxiliary-negation-removal": {None: "augcse.auxiliary_negation:AuxiliaryNegationRemoval"},
    "discourse-marker": {None: "augcse.discourse_marker:DiscourseMarker"},
    "subject-object-switch": {None: "augcse.subject_object:SubjectObjectSwitch"},
    "city-names": {None: "augcse.city_names:CityNames"},
    "adjective-antonyms": {None: "augcse.antonyms:AdjectiveAntonyms"},
    "yoda": {None: "augcse.yoda:Yoda"},
    "hypernym": {None: "augcse.hypernymy:Hypernym"},
    "hyponym": {None: "augcse.hypernymy:Hyponym"},
    "color": {None: "augcse.color:Color"},
    "summary": {None: "augcse.summary:Summary"},
    "gender-swap": {None: "augcse.gender_swap:GenderSwap"},
    "number-to-words": {None: "augcse.number_to_words:NumberToWords"},
}


def operators() -> Mapping[str, OperatorFactory]:
    """Return name -> factory(variant, tools), see `harness.factories`."""
    return operator_factories("languages.english", _CLASSES)
