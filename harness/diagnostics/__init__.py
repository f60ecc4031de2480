"""What is behind a score? Parts of its items, the geometry of the vectors, and what an encoder makes of negation."""
