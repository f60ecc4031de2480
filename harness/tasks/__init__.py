"""Tasks: found by name in a data folder, scored under a named protocol."""

from harness.tasks.resolve import Family, families, families_of, resolve_tasks

__all__ = ["Family", "families", "families_of", "resolve_tasks"]
