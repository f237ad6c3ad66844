"""Planning a run: the cases that must be answered."""
