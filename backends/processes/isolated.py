"""A backend in a process of its own, whatever kind it is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any, Self

import msgspec

from mmaspec.backends.failures import BadReply, one_line
from mmaspec.backends.protocol import Backend, Images

START_LIMIT = 120.0
"""Seconds a process may take to start and load its backend."""


class Apart(Backend, ABC):
    """A backend behind a process that may die. Not for several threads at once.

    A request that gets no answer in ``timeout_s`` seconds, or after which the process is gone, raises ``Died``; the
    next request starts a new process. Other misbehaviour arrives as ``Refused``, ``Raised`` or ``BadReply``, and
    ``BadInput`` where there is nothing to work with.
    """

    def __init__(self, *, timeout_s: float = 60.0, start_timeout_s: float = START_LIMIT) -> None:
        self._timeout = timeout_s
        self._start_timeout = start_timeout_s

    @abstractmethod
    def close(self) -> None:
        """Let the process go; a later request starts another."""

    def ahead(self, runs: Iterable[tuple[str, Any, Images]]) -> None:
        """Ask for some of the first of these runs at once, if that saves anything, and keep the answers for ``run``.

        Arguments are those of ``run``. Each answer is good for one call; what is not taken from ``runs`` is not asked.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def apart(backend_text: str, *, timeout_s: float = 60.0) -> Apart:
    """The backend of that name behind a process that may die; a program of its own is that process."""
    family, colon, command = backend_text.partition(":")
    if colon and family == "cmd":
        from mmaspec.backends.external.backend import ExternalBackend

        return ExternalBackend(command, timeout_s=timeout_s)
    from mmaspec.backends.processes.child_backend import ChildBackend

    return ChildBackend(backend_text, timeout_s=timeout_s)


def caps_of(spec: str, encoded: msgspec.Raw, decode: Callable[..., Any]) -> Any | None:
    """The caps that came over a pipe, decoded strictly; ``BadReply`` where they do not decode."""
    from mmaspec.oracle.spec import spec_named

    try:
        return decode(encoded, type=spec_named(spec).caps_type | None)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadReply(f"caps for {spec} are not valid: {one_line(error)}") from error
