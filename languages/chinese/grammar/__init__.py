"""The Chinese grammar that rules share: script, labels of two schemes, pieces, predicates and what stands before them."""
