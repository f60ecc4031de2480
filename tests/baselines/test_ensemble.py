"""The ensemble draws one operator per sentence, and is known by its members."""

from __future__ import annotations

import random
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from baselines.ensemble import Ensemble, member_specs
from harness.cache import cache_dir
from harness.errors import Skipped, UsageError
from harness.languages import open_pack
from harness.operators import resolve
from harness.protocols import Change, Edit, Operator, OperatorTools, TokenOperator
from harness.provenance import code_digest
from harness.views import build_views

TEXTS = [f"sentence number {n} is a short one" for n in range(300)]


class Mark(Operator):
    """Write a random mark behind the sentence; `stubborn` sentences stay."""

    name = "mark"
    mark = "?"

    def apply(self, doc, rng):
        if "stubborn" in doc.text and self.mark == "dn":
            return None
        return Edit.of(doc, [Change("insert", len(doc), len(doc), f" {self.spec}{rng.randrange(10**6)}")])

    def fingerprint(self):
        return {"operator": self.spec, "mark": self.mark}


class Pi(Mark):
    name = mark = "pi"


class Mv(Mark):
    name = mark = "mv"


class Dn(Mark):
    name = mark = "dn"


class Lacking(Operator):
    name = "lacking"

    def __init__(self, variant=None, tools=None):
        raise Skipped("no lexicon here")

    def apply(self, doc, rng):
        return None


@pytest.fixture
def pack(monkeypatch):
    pack = open_pack("english")
    pieces = TokenOperator("pieces", lambda ids, rng: None)
    own = {"pi": Pi, "mv": Mv, "dn": Dn, "lacking": Lacking, "pieces": lambda variant, tools: pieces}
    monkeypatch.setattr(pack, "operators", lambda: own, raising=False)
    return pack


def ensemble(pack, variant=None) -> Ensemble:
    (operator,) = resolve(["ensemble" if variant is None else f"ensemble@{variant}"], pack)
    assert isinstance(operator, Ensemble)
    return operator


def drawn(edit: Edit | None, text: str) -> str:
    return "" if edit is None else edit.text.removeprefix(f"{text} ").rstrip("0123456789")


@pytest.mark.parametrize(
    ("variant", "members"),
    [
        (None, ["pi", "mv", "dn"]),
        ("paper", ["pi@paper", "mv@paper", "dn@paper"]),
        ("mv+pi@paper", ["mv", "pi@paper"]),
        ("pi+crop@20", ["pi", "crop@20"]),
    ],
)
def test_variants_name_the_members(pack, variant, members):
    made = ensemble(pack, variant)
    assert [member.spec for member in made.members] == members == member_specs(variant)
    assert made.spec == ("ensemble" if variant is None else f"ensemble@{variant}")


@pytest.mark.parametrize("variant", ["pi", "pi+", "+", "pi+pi", "pi+mv+pi"])
def test_too_few_or_repeated_members_are_refused(pack, variant):
    with pytest.raises(UsageError, match="two or more different operators"):
        ensemble(pack, variant)


def test_what_a_member_lacks_is_said_as_for_the_member_itself(pack):
    with pytest.raises(UsageError, match=r"english has no operator 'pj'\. Did you mean 'pi'"):
        ensemble(pack, "pj+mv")
    with pytest.raises(UsageError, match="pieces works on word pieces"):
        ensemble(pack, "pi+pieces")
    with pytest.raises(Skipped, match="no lexicon here"):
        ensemble(pack, "pi+lacking")
    with pytest.raises(ValueError, match="language pack"):
        Ensemble(None, OperatorTools())


def test_every_member_gets_a_third_of_the_sentences(pack):
    view = build_views(TEXTS, [ensemble(pack)], pack=pack, seed=3)["ensemble"]
    shares = Counter(text.removeprefix(f"{TEXTS[i]} ").rstrip("0123456789") for i, text in enumerate(view.texts))
    assert set(shares) == {"pi", "mv", "dn"}
    # 5 standard deviations of a binomial with n = 300, p = 1/3
    assert all(abs(count - 100) < 41 for count in shares.values())


def test_the_draw_belongs_to_the_sentence_and_the_seed(pack):
    operator = ensemble(pack)
    whole = build_views(TEXTS, [operator], pack=pack, seed=0)["ensemble"].texts
    backwards = build_views(TEXTS[::-1], [operator], pack=pack, seed=0)["ensemble"].texts
    assert backwards[::-1] == whole
    assert build_views(TEXTS, [operator], pack=pack, seed=1)["ensemble"].texts != whole


def test_batches_and_single_sentences_agree(pack):
    operator = ensemble(pack)
    texts = [*TEXTS[:40], *(f"stubborn {text}" for text in TEXTS[:40])]
    docs = list(pack.parse(texts))
    single = [operator.apply(doc, random.Random(i)) for i, doc in enumerate(docs)]
    assert operator.apply_batch(docs, [random.Random(i) for i in range(len(docs))]) == single
    assert len({drawn(edit, text) for edit, text in zip(single, texts, strict=True)}) == 4  # the three, and none


def test_there_is_no_second_draw_where_a_rule_does_not_apply(pack):
    """A third of the sentences meets the rule that refuses them, and stays as it is."""
    operator = ensemble(pack)
    (doc,) = pack.parse(["a stubborn sentence"])
    edits = [operator.apply(doc, random.Random(seed)) for seed in range(600)]
    assert 130 < edits.count(None) < 270


def test_the_fingerprint_holds_those_of_the_members(pack):
    made = ensemble(pack, "pi+mv@paper").fingerprint()
    assert made == {
        "operator": "ensemble@pi+mv@paper",
        "members": [{"operator": "pi", "mark": "pi"}, {"operator": "mv@paper", "mark": "mv"}],
    }


RULE = """
from harness.protocols import Change, Edit, Operator

class Rule(Operator):
    name = "rule"

    def apply(self, doc, rng):
        return Edit.of(doc, [Change("insert", 0, 0, "MARK ")])
"""


def rule_of(mark: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> type[Operator]:
    """A rule whose module is written to a file, as provenance reads it."""
    path = folder / mark / "ensemble_rule.py"
    path.parent.mkdir()
    path.write_text(RULE.replace("MARK", mark))
    module = ModuleType("ensemble_rule")
    module.__file__ = str(path)
    exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, "ensemble_rule", module)
    return module.Rule


def test_another_code_of_a_member_is_another_ensemble(pack, tmp_path, monkeypatch):
    digests, views = [], []
    for mark in ("well", "indeed"):
        rule = rule_of(mark, tmp_path, monkeypatch)
        monkeypatch.setattr(pack, "operators", lambda rule=rule: {"rule": rule, "pi": rule}, raising=False)
        operator = ensemble(pack, "rule+pi")
        digests.append(code_digest(operator))
        assert code_digest(operator) == digests[-1] != code_digest(Ensemble)
        made = build_views(["a sentence"], [operator], pack=pack, seed=0, cache=cache_dir() / "views")
        views.append(made[operator.spec].texts)
    assert digests[0] != digests[1]
    assert views == [["well a sentence"], ["indeed a sentence"]]  # not the first one from the cache
