"""Settings of the project's own tests: Hypothesis draws the same examples every time."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("project", derandomize=True, deadline=None, database=None, max_examples=50)
settings.load_profile("project")
