"""The verdict of a run: from results to clauses, the run model, two runs compared."""
