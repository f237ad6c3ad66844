"""The file transport: the program is started once for one request, or for several.

For farms that cannot keep a pipe open. ``cmd:sim {request} {reply}`` is started with the names of two files; it reads
the one, writes the other, and ends. Their contents are what the pipe transport would send and receive.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BufferedReader
from itertools import count
from pathlib import Path

from mmaspec.backends.external.command import REPLY, REQUEST, Command
from mmaspec.backends.external.lines import CutShort, Message, TooLong, line_of, read_message
from mmaspec.backends.external.messages import Request
from mmaspec.backends.failures import BadReply, Died, Unasked, error_line
from mmaspec.backends.processes.groups import end_group, own_group
from mmaspec.backends.processes.pipes import FLOOD, Listener, ending
from mmaspec.backends.processes.wire import Garbage


@dataclass(frozen=True, slots=True)
class Asked:
    """A request, its body, and the most bytes that the body of the reply may have."""

    request: Request
    body: Sequence[memoryview]
    most: int


class FileTransport:
    """A program that is started for every file of requests, and says hello once."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._starts = count(1)
        self._places: tuple[Path, ...] = ()
        self.introduced: bool = False
        """See ``Transport``."""

    def ask(self, request: Request, body: Iterable[memoryview], most: int, limit: float) -> Message:
        """See ``Transport``."""
        (answer,) = self.ask_each([Asked(request, list(body), most)], limit)
        if isinstance(answer, Message):
            return answer
        raise answer

    def ask_each(self, asked: Sequence[Asked], limit: float) -> list[Message | Died | BadReply]:
        """The replies to the first of these requests, all of them in one file.

        The last one may be an error instead of a reply; the requests behind it have no answer.
        """
        try:
            requests, replies = self._written(asked)
        except OSError as error:  # a full disk, or somebody tidied up: the next one gets a new folder
            self.close()
            raise Unasked(f"{self._command}: the request cannot be written: {error_line(error)}") from error
        what = str(asked[0].request.__struct_config__.tag)
        said, death = self._run({REQUEST: str(requests), REPLY: str(replies)}, what, limit)
        answers = list(self._read(replies, what, asked if death is None else asked[:-1], said, death))
        self.introduced |= death is None and isinstance(answers[0], Message)
        return answers

    def _written(self, asked: Sequence[Asked]) -> tuple[Path, Path]:
        """The file with these requests, and that of their replies, which is not there yet."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="mmaspec-", ignore_cleanup_errors=True)
        for place in self._places:
            with suppress(OSError):  # what an earlier program left running may hold it open, or write it again
                place.unlink()
        number = next(self._starts)  # so that it cannot write into the reply of a later one
        requests, replies = self._places = tuple(
            Path(self._folder.name) / f"{n}-{number}" for n in ("request", "reply")
        )
        with requests.open("wb") as file:
            for one in asked:
                file.writelines([line_of(one.request), *one.body])
        return requests, replies

    def close(self) -> None:
        """Remove the files."""
        folder, self._folder = self._folder, None
        self.introduced = False
        if folder is not None:
            folder.cleanup()

    def _run(self, places: dict[str, str], what: str, limit: float) -> tuple[str, Died | None]:
        """Run the program to its end; returns the last line that it printed, and how it died if it did."""
        group = own_group()
        try:
            process = subprocess.Popen(
                self._command.words(places),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                process_group=group,
            )
        except (OSError, ValueError) as error:
            raise Unasked(f"{self._command}: cannot be started: {error_line(error)}") from error
        assert isinstance(process.stdout, BufferedReader)
        listener = Listener(process.stdout, process.kill)
        try:
            code: int | None = process.wait(limit)
        except subprocess.TimeoutExpired:
            code = None
            process.kill()
            process.wait()
        if group is not None:
            end_group(process.pid)
        listener.join()
        said = listener.last_words()
        if listener.flooded:
            return said, Died("flood", f"over {FLOOD >> 20} MiB of output over {what}", said)
        if code is None:
            return said, Died("hang", f"no end of {what} in {limit:g} s", said)
        return said, Died("crash", f"{ending(code)} over {what}", said) if code else None

    def _read(
        self, place: Path, what: str, asked: Sequence[Asked], said: str, death: Died | None
    ) -> Iterator[Message | Died | BadReply]:
        """The replies, then ``death``; what is wrong with a reply in its place, and none behind it."""
        try:
            with place.open("rb") as file:
                for one in asked:
                    message = read_message(file, lambda most=one.most: most)  # type: ignore[misc]
                    if message is None:
                        yield death or Died("partial reply", f"the reply to {what} is empty", said)
                        return
                    if death is None and one is asked[-1] and file.read(1):
                        yield BadReply(f"the reply to {what} is followed by more bytes than it announced")
                        return
                    yield message
        except FileNotFoundError:
            yield death or Died("partial reply", f"no reply to {what} was left", said)
        except (IsADirectoryError, PermissionError) as error:  # what Windows says of a folder is the latter
            yield death or Died("garbage", f"the reply to {what} is no file to be read: {error.strerror}", said)
        except OSError as error:  # a disk that fails is not the program's doing
            raise Unasked(f"{self._command}: the reply cannot be read: {error_line(error)}") from error
        except TooLong as error:
            yield BadReply(f"the reply to {what} is too long: {error_line(error)}")
        except CutShort as error:
            yield death or Died("partial reply", f"{error_line(error)}, over {what}", said)
        except Garbage as error:
            yield death or Died("garbage", error_line(error), said)
        else:
            if death is not None:
                yield death
