"""Scenes: a few instructions about one thing that tensor accesses of other arrays do not have."""
