"""Starting a program that exchanges messages over two extra file descriptors.

Drivers print to the standard output, so nothing of the protocol travels there. The environment names the two
descriptors; on Windows, which hands down handles and no descriptors, the two handles.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from io import BufferedReader

from mmaspec.backends.processes.groups import own_group
from mmaspec.backends.processes.pipes import Started, start

IN, OUT = "MMASPEC_IN", "MMASPEC_OUT"
"""Environment variables: where the program reads requests, and where it writes replies."""

_LARGE_PIPE = 1 << 20


def start_with_descriptors(words: list[str] | str) -> Started:
    """Start a program; its standard output is drained like its error stream, its standard input is empty.

    Raises ``OSError`` or ``ValueError`` where it cannot start.
    """
    requests, ours_out = os.pipe()
    ours_in, replies = os.pipe()
    kept: list[int] = []
    try:
        group = own_group()
        process = _popen(words, requests, replies, group)
        kept = [ours_in, ours_out]
    finally:
        for descriptor in {requests, replies, ours_in, ours_out} - set(kept):
            os.close(descriptor)
    assert isinstance(process.stdout, BufferedReader)
    for descriptor in kept:
        _enlarge(descriptor)
    answers = os.fdopen(ours_in, "rb", 1 << 16)
    assert isinstance(answers, BufferedReader)
    return Started(process, os.fdopen(ours_out, "wb"), answers, process.stdout, leads=group is not None)


def start_with_streams(words: list[str] | str) -> Started:
    """Start a small program that exchanges messages on its standard input and output."""
    environment = {name: value for name, value in os.environ.items() if name not in (IN, OUT)}
    return start(words, environment)


if sys.platform == "win32":
    import msvcrt

    def _popen(words: list[str] | str, requests: int, replies: int, _: int | None) -> subprocess.Popen[bytes]:
        handles = [msvcrt.get_osfhandle(descriptor) for descriptor in (requests, replies)]
        for handle in handles:
            os.set_handle_inheritable(handle, True)
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, IN: str(handles[0]), OUT: str(handles[1])},
            startupinfo=subprocess.STARTUPINFO(lpAttributeList={"handle_list": handles}),
        )

else:

    def _popen(words: list[str] | str, requests: int, replies: int, group: int | None) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, IN: str(requests), OUT: str(replies)},
            pass_fds=(requests, replies),
            process_group=group,
        )


def _enlarge(descriptor: int) -> None:
    """Linux lets a pipe hold more than 64 KiB, which saves switches between the processes."""
    if sys.platform == "linux":
        import fcntl

        with suppress(OSError):
            fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _LARGE_PIPE)
