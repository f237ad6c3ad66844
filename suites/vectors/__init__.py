"""Case lists as files, for machines without Python, and judging the recorded answers."""
