"""What does a new language pack look like? `augbench new language CODE` writes one that passes its tests from the start."""

from harness.scaffold.language import Made, new_language

__all__ = ["Made", "new_language"]
