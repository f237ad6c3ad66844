"""Golden examples: one human-sized case per testable clause, with its derivation."""
