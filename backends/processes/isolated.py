"""The base of backends that run in another process."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from mmaspec.backends.protocol import Backend, Images

START_LIMIT = 120.0
"""Seconds a process may take to start and load its backend."""


class IsolatedBackend(Backend, ABC):
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

    def begin(self) -> None:
        """Start the process now, if there is one to start; the next request waits until it is ready."""

    def prefetch(self, runs: Iterable[tuple[str, Any, Images]]) -> None:
        """Ask for some of the first of these runs at once, if that saves anything, and keep the answers for ``run``.

        Arguments are those of ``run``. Each answer is good for one call; what is not taken from ``runs`` is not asked.
        """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
