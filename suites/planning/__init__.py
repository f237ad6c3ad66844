"""Planning a run: which cases must be answered."""
