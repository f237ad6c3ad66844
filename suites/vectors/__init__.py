"""Case lists as files, for machines without Python, and judging what comes back from there."""
