"""Whom to blame for wrong bytes: the first wrong step, its circumstances, and the pattern of what is wrong."""
