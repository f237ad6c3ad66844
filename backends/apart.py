"""A backend in a process of its own, whatever kind it is."""

from __future__ import annotations

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.process import ChildBackend

Apart = ChildBackend | ExternalBackend


def apart(backend_text: str, *, timeout_s: float = 60.0) -> Apart:
    """The backend of that name behind a process that may die; a program of its own is that process."""
    family, colon, command = backend_text.partition(":")
    if colon and family == "cmd":
        return ExternalBackend(command, timeout_s=timeout_s)
    return ChildBackend(backend_text, timeout_s=timeout_s)
