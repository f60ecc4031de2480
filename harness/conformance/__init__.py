"""Does a plug-in keep its contract? Batteries that our own methods and packs pass, and that authors run on theirs.

`harness.conformance.method.check_method` and `harness.conformance.language.check_language_pack` yield named checks, each a
callable that raises AssertionError with what was expected, or Skipped with a reason. Use them with
`pytest.mark.parametrize`, or on the command line: `augbench check method NAME`, `augbench check language NAME`.
"""

from __future__ import annotations

from collections.abc import Callable

Check = tuple[str, Callable[[], None]]
