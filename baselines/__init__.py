"""The methods that are compared, one file each, and the language-independent text edits they use."""
