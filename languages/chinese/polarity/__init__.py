"""Polarity: putting a negation into a predicate (`deny`), taking one out (`affirm`), and templates that deny a whole text."""
