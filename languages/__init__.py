"""Language packs: one folder per language, the only place where a language is spelled out."""
