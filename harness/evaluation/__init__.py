"""From an embedder to scores."""
