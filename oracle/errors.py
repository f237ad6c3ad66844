"""Errors that are a user's to mend: one line that says what, where and what was expected."""

from __future__ import annotations


class BadInput(ValueError):
    """Input that cannot be used; the message is one complete line. The command line exits with 2."""
