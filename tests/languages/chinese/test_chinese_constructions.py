"""Every text has one construction."""

from __future__ import annotations

import pytest
from chinese_trees import PARSES, documents, tree, ud
from hypothesis import given

from languages.chinese.constructions import CONSTRUCTIONS, construction

_NAMES = {
    "他去过欧洲。": "aspect mark",
    "他是医生。": "shi (copular)",
    "屋里有床。": "you (existential, possessive)",
    "她会开车。": "modal",
    "门被风吹开了。": "bei (passive)",
    "他把门关上了。": "ba",
    "我喜欢茶。": "state verb",
    "风景很美丽。": "adjectival predicate",
    "他没有去过欧洲。": "negated",
    "屋里没有人。": "negated",
    "请坐！": "imperative",
    "你有没有时间？": "question",
    "一只小猫": "nominal fragment",
}


@pytest.mark.parametrize("text", _NAMES)
def test_the_construction(text):
    assert construction(ud(text)) == _NAMES[text]


def test_verbs_in_a_row():
    doc = tree("他|PRON|PRP|nsubj|2 去|VERB|VV|ROOT|2 北京|PROPN|NNP|obj|2 开会|VERB|VV|xcomp|2 。|PUNCT|.|punct|2")
    assert construction(doc) == "serial verbs"


def test_every_parse_has_a_name():
    assert {construction(ud(text)) for text in PARSES} <= set(CONSTRUCTIONS)


@given(documents())
def test_so_has_every_other_document(doc):
    assert construction(doc) in CONSTRUCTIONS
