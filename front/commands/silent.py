"""A backend that dies, raises or talks nonsense when it is asked what it is."""

from __future__ import annotations

from mmaspec.backends.external.command import REPLY, STDIO, Command, TransportName
from mmaspec.backends.failures import BadReply, Died, Raised, error_line
from mmaspec.backends.protocol import Refused
from mmaspec.programs.errors import BadInput

_SPEAKS: dict[TransportName, str] = {
    "pipes": f"on the descriptor that MMASPEC_OUT names (with {STDIO} behind its command on standard output)",
    "standard streams": "on its standard output",
    "files": f"in the file {REPLY}",
}
"""Where a program answers, by the transport that its command selects."""


def never_said(backend: str, error: Died | Raised | BadReply | Refused) -> BadInput:
    """The error to raise for a backend that did not say what it is."""
    hint = ""
    if backend.startswith("cmd:"):
        speaks = _SPEAKS[Command(backend.removeprefix("cmd:")).transport]
        hint = f"; expected a program that answers {speaks}, as docs/external.md says"
    if isinstance(error, Died):
        return BadInput(f"backend {backend}: died before the first case: {error}{hint}")
    return BadInput(f"backend {backend}: could not say what it is or supports: {error_line(error)}{hint}")
