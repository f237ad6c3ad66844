"""Running a plan: the supervisor, its workers, what they record, and merging it."""
