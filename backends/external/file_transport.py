"""Asking an adapter through files: one run of the program for every request.

For farms that cannot hold a pipe. ``cmd:sim {request} {reply}`` is started with the names of two files; it reads the
one, writes the other, and ends. What is in them is what would have travelled on the pipes.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from io import BufferedReader
from pathlib import Path

from mmaspec.backends.external.command import REPLY, REQUEST, Command
from mmaspec.backends.external.lines import CutShort, Message, TooLong, line_of, read_message
from mmaspec.backends.external.messages import Request
from mmaspec.backends.failures import BadReply, Died, one_line
from mmaspec.backends.pipes import FLOOD, Listener, ending
from mmaspec.backends.wire import Garbage
from mmaspec.oracle.errors import BadInput


class FileTransport:
    """A program that is started for every request, and says hello once."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self.introduced = False
        """See ``Transport``."""

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
        self.introduced = True
        return message

    def close(self) -> None:
        """Remove the files."""
        folder, self._folder = self._folder, None
        self.introduced = False
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
        listener = Listener(process.stdout, process.kill)
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
            process.kill()
            process.wait()
        listener.join()
        said = listener.last_words()
        if listener.flooded:
            raise Died("flood", f"over {FLOOD >> 20} MiB of output over {what}", said)
        if code is None:
            raise Died("hang", f"no end of {what} in {limit:g} s", said)
        if code:
            raise Died("crash", f"{ending(code)} over {what}", said)
        return said

    def _read(self, place: Path, what: object, most: int, said: str) -> Message:
        try:
            with place.open("rb") as file:
                message = read_message(file, lambda: most)
                surplus = message is not None and file.read(1)
        except FileNotFoundError:
            raise Died("partial reply", f"no reply to {what} was left", said) from None
        except OSError as error:
            raise Died("garbage", f"the reply to {what} cannot be read: {error.strerror}", said) from error
        except TooLong as error:
            raise BadReply(f"the reply to {what} is too long: {one_line(error)}") from error
        except CutShort as error:
            raise Died("partial reply", f"{one_line(error)}, over {what}", said) from error
        except Garbage as error:
            raise Died("garbage", one_line(error), said) from error
        if message is None:
            raise Died("partial reply", f"the reply to {what} is empty", said)
        if surplus:
            raise BadReply(f"the reply to {what} is followed by more bytes than it announced")
        return message
