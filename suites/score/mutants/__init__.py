"""Mutants of the reference device: small changes of its syntax tree, drawn blindly, that a case list should notice."""
