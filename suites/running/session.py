"""A session of pytest over a run folder, which may be started before the plan in it is drawn.

Starting it takes about as long as drawing a smoke list, so both are done at once. Its workers import what they need,
and then wait to be told that the plan is written (``held.py``). It needs no folder until then, so that a mistake which
ends the command while it plans leaves nothing behind.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType

from mmaspec.backends.processes.groups import GROUPED, end_group
from mmaspec.suites.running.watch import SUPERVISED, end_tree

_SETTINGS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""No plugin of the user's reorders or reseeds a run, and workers do not fight for cores."""

_WITHOUT = ("no:cacheprovider", "no:logging", "no:threadexception", "no:unraisableexception")
"""Plugins of pytest that are left out: what they keep nobody looks at, and each takes its time at every test or end."""

_NEW_GROUP = 0x200
"""CREATE_NEW_PROCESS_GROUP, which only Windows has."""


class Session:
    """A started session: its process waits until ``go``, and is ended with the block at the latest.

    It is for the plan of this ``run`` in ``folder``, and for no other. Raises ``OSError`` if it cannot be started.
    """

    def __init__(self, folder: Path, run: str, workers: int, *, isolate: bool = False) -> None:
        self.run: str = run
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the session
        settings = {**os.environ, **_SETTINGS, SUPERVISED: "1", GROUPED: "1"}
        for ours in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):  # options of the user's would leave cases out
            settings.pop(ours, None)
        try:
            self._process = subprocess.Popen(
                command(folder, run, workers, isolate=isolate),
                bufsize=0,
                stdin=subprocess.PIPE,  # which ends with this process
                stdout=self._said,
                stderr=subprocess.STDOUT,
                env=settings,
                start_new_session=os.name == "posix",
                creationflags=0 if os.name == "posix" else _NEW_GROUP,
            )
        except BaseException:
            self._said.close()
            raise

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def go(self) -> None:
        """Say that the plan is written, and that there is room to record answers."""
        assert self._process.stdin is not None
        with suppress(OSError):  # it is gone, which `over` tells
            self._process.stdin.write(b"\n")

    def over(self, seconds: float) -> bool:
        """Whether its process has ended, or does within so many seconds."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        return self._process.poll() is not None

    def stop(self) -> None:
        """End its process and everything that it started."""
        if self._process.poll() is None:
            end_tree(self._process.pid)
            self._process.wait()

    def end(self, log: Path | None = None) -> int:
        """Stop it, end what a backend has started and left behind, and append what was printed to ``log``.

        Returns the exit status. What was ended once is not ended again: another process may have its number by then.
        """
        if not self._said.closed:
            self.stop()
            end_group(self._process.pid)
            assert self._process.stdin is not None
            self._process.stdin.close()
            with self._said, suppress(OSError):  # a full disk is told where answers cannot be recorded
                if log is not None:
                    self._said.seek(0)
                    with log.open("ab") as file:
                        shutil.copyfileobj(self._said, file)
        return self._process.returncode


@contextmanager
def begun_early(folder: Path, workers: int) -> Iterator[Session | None]:
    """A session for a run in ``folder`` whose plan is still to be drawn; it ends with the block.

    None where it cannot be started: whoever starts it later says why.
    """
    try:
        session = Session(folder, secrets.token_hex(8), workers)
    except OSError:
        yield None
        return
    with session:
        yield session


def command(folder: Path, run: str, workers: int, *, isolate: bool) -> list[str]:
    """The words that start pytest."""
    here = Path(__file__).parent
    suites = here.parent
    return [
        sys.executable,
        "-m",
        "pytest",
        str(suites / "test_conformance.py"),
        f"--rootdir={suites}",
        f"--config-file={here / 'session.ini'}",
        "--import-mode=importlib",
        *(word for name in ("xdist", "mmaspec", *_WITHOUT) for word in ("-p", name)),
        "-q",
        "--tb=line",
        "--assert=plain",  # verdicts are rows in a file; rewriting every assertion takes seconds in each process
        "--noconftest",  # that of a checkout, which is for tests of our own code, where it is installed in place
        f"-n{workers}",
        f"--mmaspec-plan={folder.resolve()}",
        f"--mmaspec-run={run}",
        *(["--mmaspec-isolate"] if isolate else []),
    ]
