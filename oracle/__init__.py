"""What the specifications say: formats, clauses, programs, memory, expectations and the judge."""
