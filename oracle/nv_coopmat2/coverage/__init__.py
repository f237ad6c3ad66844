"""Which clauses act in an instruction, and in what circumstance."""
