"""Telling the supervisor that nothing can be recorded any more.

A worker that meets a full disk cannot write that it did. But it can remove a file, on a full disk too.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import NoReturn

from mmaspec.programs.errors import Halted
from mmaspec.suites.planning.manifest import write_whole

RECORDING = "work/recording"
"""Is there for as long as every worker can record."""
_PROBED = 1 << 16
"""Bytes that are tried: more than a row or a case file has, as a rule."""


def open_room(folder: Path) -> None:
    """Say that there is room, before workers start. Raises ``OSError``."""
    write_whole(folder / RECORDING, b"")


def give_up(folder: Path, error: OSError) -> NoReturn:
    """End this worker, which could not record; without a supervisor raise the error that it met."""
    try:
        (folder / RECORDING).unlink()
    except OSError:
        raise error from None
    os._exit(1)  # whatever pytest still wants to write, it could not


def check_room(folder: Path, *, ended: bool = False) -> None:
    """Raise ``Halted`` if a worker could not record, or if nothing can be written here now that they have ``ended``."""
    lost = not (folder / RECORDING).exists()
    if not lost and not ended:
        return
    probe = folder / f"work/.probe.{secrets.token_hex(4)}"  # a new one: what is there may be a link
    why = ""
    try:
        with probe.open("xb", buffering=0) as file:
            left = _PROBED
            while left > 0:  # the first write may end where there is no more room, and only the next one says so
                left -= file.write(bytes(left))
    except OSError as error:
        why = error.strerror or str(error)
    finally:
        try:
            probe.unlink(missing_ok=True)
        except OSError as error:
            why = why or error.strerror or str(error)
    if lost or why:
        raise full(folder, why or "a row could not be written whole")


def full(folder: Path, why: str) -> Halted:
    """The error to raise where a run cannot be recorded."""
    return Halted(f"{folder}: answers cannot be recorded: {why}; make room, then repeat the command with --resume")
