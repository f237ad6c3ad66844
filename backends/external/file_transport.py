"""Asking an adapter through files: one run of the program for every request.

For farms that cannot hold a pipe. ``cmd:sim {request} {reply}`` is started with the names of two files; it reads the
one, writes the other, and ends. What is in them is what would have travelled on the pipes.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from threading import Event, Thread
from typing import NoReturn

from mmaspec.backends.external.command import REPLY, REQUEST, Command
from mmaspec.backends.external.lines import CutShort, Message, TooLong, line_of, read_message
from mmaspec.backends.external.messages import Request
from mmaspec.backends.failures import BadReply, Death, Died, one_line
from mmaspec.backends.pipes import FLOOD, ending, last_line
from mmaspec.backends.wire import Garbage
from mmaspec.oracle.errors import BadInput

_TAIL = 8192
_PATIENCE = 3.0
"""Seconds for the output to end after the program did; a process that it started may hold it open."""


class FileTransport:
    """A program that is started for every request."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._asked = False
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    @property
    def introduced(self) -> bool:
        """See ``Transport``: the program says hello once."""
        return self._asked

    def ask(self, request: Request, body: Iterable[memoryview], most: int, limit: float) -> Message:
        """See ``Transport``."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="mmaspec-", ignore_cleanup_errors=True)
        asked, answered = (Path(self._folder.name) / name for name in ("request", "reply"))
        answered.unlink(missing_ok=True)
        with asked.open("wb") as file:
            file.writelines([line_of(request), *body])
        what = request.__struct_config__.tag
        said = self._run({REQUEST: str(asked), REPLY: str(answered)}, what, limit)
        message = self._read(answered, what, most, said)
        self._asked = True
        return message

    def close(self) -> None:
        """Remove the files."""
        folder, self._folder = self._folder, None
        self._asked = False
        if folder is not None:
            folder.cleanup()

    def _run(self, places: dict[str, str], what: object, limit: float) -> str:
        """Let the program run to its end; the last line that it printed."""
        try:
            process = subprocess.Popen(
                self._command.words(places),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
            )
        except (OSError, ValueError) as error:
            raise BadInput(f"{self._command}: cannot be started: {one_line(error)}") from error
        assert isinstance(process.stdout, BufferedReader)
        listener = _Listener(process.stdout, process)
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
            process.kill()
            process.wait()
        listener.thread.join(_PATIENCE)
        if listener.flooded.is_set():
            _died("flood", f"over {FLOOD >> 20} MiB of output over {what}", listener.said)
        if code is None:
            _died("hang", f"no end of {what} in {limit:g} s", listener.said)
        if code:
            _died("crash", f"{ending(code)} over {what}", listener.said)
        return listener.said

    def _read(self, place: Path, what: object, most: int, said: str) -> Message:
        try:
            with place.open("rb") as file:
                message = read_message(file, lambda: most)
                surplus = message is not None and file.read(1)
        except FileNotFoundError:
            _died("partial reply", f"no reply to {what} was left", said)
        except OSError as error:
            _died("garbage", f"the reply to {what} cannot be read: {error.strerror}", said)
        except TooLong as error:
            raise BadReply(f"the reply to {what} is too long: {one_line(error)}") from error
        except CutShort as error:
            _died("partial reply", f"{one_line(error)}, over {what}", said)
        except Garbage as error:
            _died("garbage", one_line(error), said)
        if message is None:
            _died("partial reply", f"the reply to {what} is empty", said)
        if surplus:
            raise BadReply(f"the reply to {what} is followed by more bytes than it announced")
        return message


class _Listener:
    """Takes what a program prints, keeps its end, and kills the program if there is too much."""

    def __init__(self, pipe: BufferedReader, process: subprocess.Popen[bytes]) -> None:
        self.flooded = Event()
        self._tail = b""
        self.thread = Thread(target=self._listen, args=(pipe, process), daemon=True)
        self.thread.start()

    @property
    def said(self) -> str:
        """The last line."""
        return last_line(self._tail)

    def _listen(self, pipe: BufferedReader, process: subprocess.Popen[bytes]) -> None:
        heard = 0
        with pipe:
            while chunk := pipe.read1(1 << 16):
                self._tail = (self._tail + chunk)[-_TAIL:]
                heard += len(chunk)
                if heard > FLOOD and not self.flooded.is_set():
                    self.flooded.set()
                    with suppress(OSError):
                        process.kill()


def _died(kind: Death, detail: str, said: str) -> NoReturn:
    raise Died(kind, f"{detail}; it last said: {said}" if said else detail)
