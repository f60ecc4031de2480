"""Dependency parsers for language packs: reading treebanks, teaching, training, and measuring."""
