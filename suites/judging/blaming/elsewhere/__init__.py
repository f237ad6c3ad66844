"""What is wrong elsewhere than in the step that shows it: other items, passes, stores, buffers, run-time values."""
