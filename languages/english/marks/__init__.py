"""The places where English takes a mark: behind a clause, around or behind a subject, at the end of the sentence."""
