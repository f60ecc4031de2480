"""The English grammar that rules share: labels of two schemes, clauses, inflection, casing, small edits."""
