"""Polarity: taking a negation out of a clause (`affirm`) and putting one in (`deny`), re-inflecting what must change."""
