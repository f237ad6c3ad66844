"""A backend in a child process, so that a crash or hang does not affect the worker."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import msgspec

from mmaspec.backends.failures import BadReply, Death, Died, Raised, Unasked, error_line
from mmaspec.backends.processes.isolated import START_LIMIT, IsolatedBackend
from mmaspec.backends.processes.pipes import Child, End, Flood, start
from mmaspec.backends.processes.wire import (
    Answer,
    AskCaps,
    BadAnswer,
    CapsAre,
    Describe,
    Described,
    Garbage,
    NotLoaded,
    RaisedAnswer,
    Ran,
    Ready,
    Refusal,
    Request,
    RunRequest,
    answer_of,
    caps_of,
    extents_of,
    framed,
    images_of,
    read_frame,
)
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.programs.errors import BadInput

__all__ = ["ChildBackend", "Died"]


class ChildBackend(IsolatedBackend):
    """The backend named ``backend_text``, run by a child process. Raises ``BadInput`` if it cannot be loaded."""

    def __init__(self, backend_text: str, *, timeout_s: float = 60.0, start_timeout_s: float = START_LIMIT) -> None:
        super().__init__(timeout_s=timeout_s, start_timeout_s=start_timeout_s)
        self._text = backend_text
        self._child: Child[tuple[bytes, bytes]] | None = None
        self._ready = False

    def describe(self) -> Description:
        """The description of the backend."""
        answer, _ = self._ask(Describe())
        if not isinstance(answer, Described):
            self._unexpected(answer)
        return answer.description

    def caps(self, spec: str) -> Any | None:
        """The caps it reports, decoded strictly; ``BadReply`` where they do not decode."""
        answer, _ = self._ask(AskCaps(spec))
        if not isinstance(answer, CapsAre):
            self._unexpected(answer)
        return caps_of(spec, answer.caps, msgspec.msgpack.decode)

    def run(self, spec: str, program: Any, inputs: Images) -> Images:
        """Have the child execute the program."""
        batch = next((image.shape[0] for image in inputs.values()), 1)
        head = RunRequest(spec, msgspec.Raw(msgspec.msgpack.encode(program)), batch, extents_of(inputs))
        answer, body = self._ask(head, inputs)
        if not isinstance(answer, Ran):
            self._unexpected(answer)
        try:
            return images_of(answer.images, body)
        except Garbage as error:
            self._died("garbage", error_line(error))

    def close(self) -> None:
        """Let the child go; a later request starts another."""
        if self._child is not None:
            self._child.close()
            self._child = None

    def command(self) -> list[str]:
        """The command line of the child."""
        # Without -P a file in the current folder could stand in for a module of ours.
        return [sys.executable, "-P", "-m", "mmaspec.backends.child", self._text]

    def begin(self) -> None:
        """Start the child, if there is none; what is wrong with it shows at the next request."""
        if self._child is None:
            try:
                self._child = Child(start(self.command()), read_frame)
            except (OSError, ValueError) as error:
                raise Unasked(f"{self._text}: cannot be started: {error_line(error)}") from error
            self._ready = False

    def _started(self) -> Child[tuple[bytes, bytes]]:
        self.begin()
        assert self._child is not None
        if not self._ready:
            answer, _ = self._answer("start", self._start_timeout)
            if isinstance(answer, NotLoaded):
                self.close()
                raise BadInput(answer.text)
            if not isinstance(answer, Ready):
                self._unexpected(answer)
            self._ready = True
        return self._child

    def _ask(self, head: Request, images: Images | None = None) -> tuple[Answer, bytes]:
        self._started().send(framed(head, images))
        return self._answer(type(head).__struct_config__.tag, self._timeout)

    def _answer(self, what: object, limit: float) -> tuple[Answer, bytes]:
        assert self._child is not None
        arrived = self._child.receive(limit)
        if arrived is None:
            self._died("hang", f"no answer to {what} in {limit:g} s")
        if arrived is End.PIPE:
            self._died("crash", f"over {what}")
        if isinstance(arrived, Garbage):
            self._died("flood" if isinstance(arrived, Flood) else "garbage", error_line(arrived))
        head, body = arrived
        try:
            return answer_of(head), body
        except Garbage as error:
            self._died("garbage", error_line(error))

    def _died(self, kind: Death, detail: str) -> NoReturn:
        """Make sure that the child is gone; returns how it ended."""
        child, self._child = self._child, None
        assert child is not None
        how = child.bury(wait=kind == "crash")
        raise Died(kind, f"{how} {detail}" if kind == "crash" else detail, child.last_words())

    def _unexpected(self, answer: Answer) -> NoReturn:
        """Raise the error for an answer of another kind than expected."""
        match answer:
            case Refusal(reason, clauses):
                raise Refused(reason, clauses)
            case RaisedAnswer(text):
                raise Raised(text)
            case BadAnswer(text):
                raise BadReply(text)
        self._died("garbage", f"answered {type(answer).__struct_config__.tag!r} to something else")
