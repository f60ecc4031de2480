"""Modality: a modal verb in a clause that has none, a stronger phrase where there is one already."""
