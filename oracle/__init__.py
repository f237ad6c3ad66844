"""What the specifications demand: clauses, cases, memory, exact arithmetic, expectations and the judge."""
