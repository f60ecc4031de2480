from __future__ import annotations

import functools
import hashlib
import importlib
import linecache
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness import provenance
from harness.errors import UsageError
from harness.protocols import TokenOperator
from harness.provenance import strip as clean

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)


@settings(max_examples=40)
@given(st.dictionaries(st.text(), JSON))
def test_digest_ignores_the_order_of_keys_only(value: dict[str, Any]) -> None:
    turned = dict(reversed(list(value.items())))
    assert provenance.digest(value) == provenance.digest(turned)
    assert provenance.digest(value) != provenance.digest({**value, "one more": 1})


def test_digest_is_the_sha256_of_canonical_json() -> None:
    # the name of every stored run hangs on this spelling
    expected = hashlib.sha256('{"a":"ü","b":[1,2.5,null]}'.encode()).hexdigest()
    assert provenance.digest({"b": [1, 2.5, None], "a": "ü"}) == expected


@pytest.mark.parametrize("value", [Path("a/x"), {"a": Path("x")}, {1, 2}, object()])
def test_digest_refuses_what_is_not_json(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot enter a hash"):
        provenance.digest(value)


@pytest.mark.parametrize("value", [float("nan"), [float("inf")]])
def test_digest_refuses_nan(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        provenance.digest(value)


# -- code -------------------------------------------------------------------------------------------------------------
METHOD = '''
"""Docstring."""
from harness.protocols import Method

class Base(Method):
    """More."""
    name = "base"
    def views(self):
        """And more."""
        return [1, 2]  # a comment

def helper(a, b=3):
    return a + b
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write a module and import it anew."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def make(source: str, name: str = "coded_here") -> ModuleType:
        (tmp_path / f"{name}.py").write_text(source)
        for stale in (name, f"{name}_child"):
            sys.modules.pop(stale, None)
        importlib.invalidate_caches()
        linecache.clearcache()
        provenance._clean_source.cache_clear()
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        return importlib.import_module(name)

    yield make
    for name in [name for name in sys.modules if name.startswith("coded_")]:
        del sys.modules[name]


def test_comments_docstrings_and_formatting_do_not_count(module: Any) -> None:
    before = provenance.code_digest(module(METHOD).Base)
    other = METHOD.replace("# a comment", "# another").replace("And more", "No more").replace("a + b", "(a   +   b)")
    assert provenance.code_digest(module(other).Base) == before


@pytest.mark.parametrize(("old", "new"), [("[1, 2]", "[1, 3]"), ("b=3", "b=4"), ('"base"', '"bass"')])
def test_code_counts_also_beside_the_class(module: Any, old: str, new: str) -> None:
    before = provenance.code_digest(module(METHOD).Base)
    assert provenance.code_digest(module(METHOD.replace(old, new)).Base) != before


def test_the_modules_of_base_classes_count(module: Any) -> None:
    child = "from coded_here import Base\nclass Child(Base):\n    pass\n"

    def child_digest(base: str) -> str:
        module(base)
        return provenance.code_digest(module(child, "coded_here_child").Child)

    before = child_digest(METHOD)
    assert child_digest(METHOD.replace("# a comment", "# another")) == before
    assert child_digest(METHOD.replace("[1, 2]", "[1, 3]")) != before


def test_base_classes_of_the_product_count() -> None:
    from baselines.discrete import Discrete
    from baselines.simcse import SimCSE

    parts = {part.__name__ for part in provenance._parts(Discrete)}
    assert {"Discrete", "SimCSE"} <= parts
    assert "Method" not in parts
    assert provenance.code_digest(Discrete) != provenance.code_digest(SimCSE)


def test_instances_functions_partials_and_token_operators(module: Any) -> None:
    found = module(METHOD)
    digest = provenance.code_digest(found.helper)
    assert provenance.code_digest(functools.partial(found.helper, b=1)) == digest
    assert provenance.code_digest(TokenOperator("x", functools.partial(found.helper, 1))) == digest
    assert provenance.code_digest(found) == digest
    changed = module(METHOD.replace("a + b", "a - b"))
    assert provenance.code_digest(TokenOperator("x", changed.helper)) != digest


def test_an_operator_stands_for_its_members_too(module: Any) -> None:
    rule = (
        "from harness.protocols import Operator\n"
        "class Rule(Operator):\n    name = 'rule'\n    def apply(self, doc, rng):\n        return None\n"
    )
    both = (
        rule + "class Both(Rule):\n    parts = ()\n    @property\n    def members(self):\n        return self.parts\n"
    )
    outer, inner = module(both).Both(), module(rule, "coded_here_member").Rule()
    alone = provenance.code_digest(outer)
    assert alone == provenance.code_digest(type(outer))
    outer.parts = (inner,)
    together = provenance.code_digest(outer)
    outer.parts = (module(rule.replace("return None", "return 1"), "coded_here_member").Rule(),)
    assert len({alone, together, provenance.code_digest(outer)}) == 3


def test_code_without_source_is_refused() -> None:
    space: dict[str, Any] = {"__name__": "nowhere_to_be_found"}
    exec("class Ghost:\n    pass", space)
    with pytest.raises(UsageError, match=r"\.py file"):
        provenance.code_digest(space["Ghost"])


def test_strip_keeps_strings_that_are_not_docstrings() -> None:
    assert clean('def f():\n    "doc"\n    return "kept"') == "def f():\n    return 'kept'"
    assert clean('class A:\n    """only a docstring"""') == "class A:\n    pass"


# -- surroundings -----------------------------------------------------------------------------------------------------
def test_revision_of_a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = {"ls-files": "provenance.py", "describe": "v1.2-3-gabc+dirty"}
    monkeypatch.setattr(provenance, "_git", lambda folder, verb, *rest: answers[verb])
    provenance.code_revision.cache_clear()
    assert provenance.code_revision() == "v1.2-3-gabc+dirty"
    provenance.code_revision.cache_clear()


def test_revision_outside_a_checkout_is_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    # site-packages inside somebody else's repository: git answers, but our file is not tracked there
    monkeypatch.setattr(provenance, "_git", lambda folder, verb, *rest: None if verb == "ls-files" else "v9")
    provenance.code_revision.cache_clear()
    assert provenance.code_revision() == provenance.versions()["augbench"]
    provenance.code_revision.cache_clear()


def test_git_that_fails_or_is_missing_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert provenance._git(tmp_path, "ls-files", "--error-unmatch", "nothing") is None
    monkeypatch.setenv("PATH", str(tmp_path))
    assert provenance._git(tmp_path, "describe") is None


def test_versions_and_hardware() -> None:
    assert {"python", "torch", "numpy", "augbench"} <= provenance.versions().keys()
    found = provenance.hardware()
    assert found["cores"] >= 1
    assert found["cpu"]


def test_an_operator_stands_for_the_modules_of_its_package(tmp_path, monkeypatch):
    package = tmp_path / "spread_pack"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "deep.py").write_text("WORD = 1\n")
    (package / "helper.py").write_text("def word():\n    from spread_pack.deep import WORD\n    return WORD\n")
    (package / "rule.py").write_text(
        "from harness.protocols import Operator\nfrom spread_pack import helper\n\n\n"
        "class Rule(Operator):\n    name = 'rule'\n\n    def apply(self, doc, rng):\n        return helper.word()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def digest_now() -> str:
        for name in [n for n in sys.modules if n.startswith("spread_pack")]:
            monkeypatch.delitem(sys.modules, name)
        for cached in (provenance._clean_source, provenance._package_sources, provenance._is_module):
            cached.cache_clear()
        linecache.clearcache()
        importlib.invalidate_caches()
        return provenance.code_digest(importlib.import_module("spread_pack.rule").Rule())

    before = digest_now()
    assert digest_now() == before
    (package / "deep.py").write_text("WORD = 2  # changed two imports away\n")
    assert digest_now() != before
