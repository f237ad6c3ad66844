"""The pipe transport: one reply to each request within a time limit, or an error that says what went wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from mmaspec.backends.external.command import STDIO, Command
from mmaspec.backends.external.descriptors import start_with_descriptors, start_with_streams
from mmaspec.backends.external.lines import CutShort, Message, TooLong, line_of, read_message
from mmaspec.backends.external.messages import Request
from mmaspec.backends.failures import BadReply, Death, Died, Unasked, error_line
from mmaspec.backends.processes.pipes import Child, End, Flood
from mmaspec.backends.processes.wire import Garbage


class Transport(Protocol):
    """A way to ask a program and to get its reply."""

    @property
    def introduced(self) -> bool:
        """Whether the process that gets the next request has answered ``hello``."""
        ...

    def ask(self, request: Request, body: Iterable[memoryview], most: int, limit: float) -> Message:
        """The reply, whose body has at most ``most`` bytes.

        Raises ``Died`` where there is none in ``limit`` seconds or it cannot be read, ``BadReply`` where it is
        too long, ``Unasked`` where the program cannot be started.
        """
        ...

    def close(self) -> None:
        """Let the program go; a later request starts it again."""
        ...


class PipeTransport:
    """A program that stays and answers one request after the other; started anew after it died."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._child: Child[Message] | None = None
        self._most = 0

    @property
    def introduced(self) -> bool:
        """See ``Transport``."""
        return self._child is not None

    def ask(self, request: Request, body: Iterable[memoryview], most: int, limit: float) -> Message:
        """See ``Transport``."""
        if self._child is None:
            self._child = self._started()
        what = request.__struct_config__.tag
        self._most = most
        self._child.send([line_of(request), *body])
        arrived = self._child.receive(limit)
        if isinstance(arrived, Message):
            return arrived
        raise self._failure(arrived, what, limit)

    def _failure(self, arrived: Garbage | End | None, what: object, limit: float) -> Exception:
        """The error to raise for something that is not a reply."""
        match arrived:
            case None:
                return self._died("hang", f"no answer to {what} in {limit:g} s")
            case End.PIPE:
                return self._died("crash", f"over {what}")
            case TooLong():
                self._bury("garbage")
                return BadReply(f"the reply to {what} is too long: {error_line(arrived)}")
            case CutShort():
                return self._died("partial reply", f"{error_line(arrived)}, over {what}")
            case Flood():
                return self._died("flood", f"{error_line(arrived)} over {what}")
            case _:
                return self._died("garbage", error_line(arrived))

    def close(self) -> None:
        """See ``Transport``."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def _started(self) -> Child[Message]:
        start = start_with_descriptors if self._command.transport == "pipes" else start_with_streams
        try:
            return Child(start(self._command.words({})), lambda pipe: read_message(pipe, lambda: self._most))
        except (OSError, ValueError) as error:
            raise Unasked(f"{self._command}: cannot be started: {error_line(error)}") from error

    def _bury(self, kind: Death) -> tuple[str, str]:
        """How the program ended, and the last line that it printed."""
        child, self._child = self._child, None
        assert child is not None
        how = child.bury(wait=kind in {"crash", "partial reply"})
        return how, child.last_words()

    def _died(self, kind: Death, detail: str) -> Died:
        how, said = self._bury(kind)
        told = {"crash": f"{how} {detail}", "partial reply": f"{detail}; it {how}"}.get(kind, detail)
        # A tiny program that was not told to speak through its standard streams did so all the same.
        hint = f"; write {STDIO} behind the command of one that speaks there" if said.startswith("{") else ""
        return Died(kind, told, said + hint)
