"""The verdict of a run: from results to clauses, the run model, comparing two runs."""
