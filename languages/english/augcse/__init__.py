"""AugCSE's rule-based augmentations for English, one family per file; the word lists are in `lexicon/augcse/`."""
