"""A backend that dies, raises or talks nonsense when it is asked what it is."""

from __future__ import annotations

from mmaspec.backends.failures import BadReply, Died, Raised, error_line
from mmaspec.backends.protocol import Refused
from mmaspec.programs.errors import BadInput

SPEAKS = "; expected a program that answers on its standard output as docs/external.md says"


def never_said(backend: str, error: Died | Raised | BadReply | Refused) -> BadInput:
    """The error to raise for a backend that did not say what it is."""
    hint = SPEAKS if backend.startswith("cmd:") else ""
    if isinstance(error, Died):
        return BadInput(f"backend {backend}: died before the first case: {error}{hint}")
    return BadInput(f"backend {backend}: could not say what it is or supports: {error_line(error)}{hint}")
