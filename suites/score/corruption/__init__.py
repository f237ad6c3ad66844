"""Whether anything judged depends on an instruction: its result is corrupted, and the case judged."""
