"""Running a case again: failing ones before anything is blamed, and a sample of those that pass."""
