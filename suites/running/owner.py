"""A run folder belongs to one run at a time: a lock of the operating system, which ends with the process that has it.

What stands beside the lock, about who has it, is for the message only.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from mmaspec.programs.errors import BadInput, unwritable
from mmaspec.programs.input_file import read_plain
from mmaspec.suites.planning.manifest import within, write_whole

LOCK = "work/run.lock"
OWNER = "work/owner.json"
HELD = frozenset({LOCK, OWNER})
"""Files that stay when a folder is cleared: a lock that is removed can be had twice."""
WAIT = 1.0
"""Seconds until a lock counts as held: `refuse_at_work` has it for a moment."""
_MOST = 1 << 16
_mine: set[Path] = set()
"""The folders that this process has."""


class Owner(Struct, frozen=True):
    """The process that has a run folder."""

    pid: int
    host: str
    since: str
    """In UTC, as ISO 8601 has it."""


@contextmanager
def owning(folder: Path) -> Iterator[None]:
    """Keep every other run out of ``folder``, which is made if there is none, until the block or this process ends.

    Raises ``BadInput`` that names the process which has it, or says why it cannot be locked.
    """
    lock = _locked(folder)
    _mine.add(folder.resolve())
    try:
        me = Owner(os.getpid(), platform.node(), datetime.now(UTC).isoformat(timespec="seconds"))
        with suppress(OSError):
            write_whole(folder / OWNER, msgspec.json.encode(me) + b"\n")
        yield
    finally:
        with suppress(OSError):
            (folder / OWNER).unlink(missing_ok=True)
        _mine.discard(folder.resolve())
        lock.release()


def locked_before(folder: Path) -> bool:
    """Whether some run had this folder, so that to lock it leaves nothing new there; not where nobody may look."""
    try:
        return (folder / LOCK).is_file()
    except OSError:
        return False  # whatever is done with the folder next says why it cannot be


def refuse_at_work(folder: Path) -> None:
    """Raise ``BadInput`` if another process has this folder now. Nothing is written; a folder may be read-only."""
    within(folder, LOCK)
    if not locked_before(folder) or folder.resolve() in _mine:
        return
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise _held(folder) from None
    except (OSError, NotImplementedError):
        return  # it is somebody else's, and nobody can lock it here
    lock.release()


def _locked(folder: Path) -> FileLock:
    path = folder / LOCK
    within(folder, LOCK)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and (not path.is_file() or path.stat().st_nlink > 1):
            raise BadInput(f"{path}: not a file of its own; a run locks it")
        lock = FileLock(path)
        lock.acquire(timeout=WAIT, poll_interval=WAIT / 20)
    except Timeout:
        raise _held(folder) from None
    except OSError as error:
        told = unwritable(folder, error)
        raise type(told)(f"{told}; choose another folder") from error
    except NotImplementedError as error:  # a file system without locks
        raise BadInput(f"{path}: cannot be locked: {error}") from error
    return lock


def _held(folder: Path) -> BadInput:
    try:
        owner = msgspec.json.decode(read_plain(folder / OWNER, _MOST, links=False), type=Owner)
        who = f"process {owner.pid} on {owner.host} has it since {owner.since}"
    except (BadInput, msgspec.MsgspecError, ValueError, RecursionError):
        who = "another process has it"
    return BadInput(f"{folder}: a run is going on there: {who}; wait for its end, or choose another folder")
