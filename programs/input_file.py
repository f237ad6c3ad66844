"""Reading input files: of bounded size, decoded strictly; an error is one line with the file and what is wrong."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from mmaspec.programs.errors import BadInput


def plain_size(path: Path, *, links: bool = True) -> int | None:
    """Bytes of a plain file, or None where there is nothing. Raises ``BadInput`` for anything else.

    Opening a pipe or a device might wait for ever; a link, which ``links`` allows, might lead out of a folder.
    """
    try:
        found = path.stat() if links else path.lstat()
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if not stat.S_ISREG(found.st_mode):
        raise BadInput(f"{path}: cannot be read: not a plain file")
    return found.st_size


def read_plain(path: Path, most: int, *, links: bool = True) -> bytes:
    """The contents of a plain file of at most ``most`` bytes. Raises ``BadInput``."""
    size = plain_size(path, links=links)
    if size is None:
        raise BadInput(f"{path}: cannot be read: no such file")
    try:
        with path.open("rb") as file:
            data = file.read(most + 1) if size <= most else b""
    except OSError as error:
        raise unreadable(path, error) from error
    if max(size, len(data)) > most:
        raise BadInput(f"{path}: {max(size, len(data))} bytes; expected at most {most}")
    return data


def expect_folder(path: Path, expected: str) -> None:
    """Raise ``BadInput``, which says what is ``expected``, where there is no folder or something else."""
    try:
        if not path.is_dir():
            raise BadInput(f"{path}: {'not a folder' if path.exists() else 'no such folder'}; expected {expected}")
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError | ValueError) -> BadInput:
    """The error to raise for a file that cannot be read."""
    return BadInput(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}")


@contextmanager
def strictly(where: str, what: str) -> Iterator[None]:
    """Turn decoding errors in this block into ``BadInput``: ``where`` is not ``what``, and why.

    ``BadInput`` that the block raises itself gets ``where`` in front, if it does not say so already.
    """
    try:
        yield
    except BadInput as error:
        raise error if str(error).startswith(where) else BadInput(f"{where}: {error}") from error
    except RecursionError as error:
        raise BadInput(f"{where}: not {what}: nested too deeply") from error
    except (msgspec.MsgspecError, ValueError) as error:  # of JSON, TOML, UTF-8, a number with too many digits
        raise BadInput(f"{where}: not {what}: {error}") from error


def check_keys(data: bytes) -> None:
    """Raise ``ValueError`` where an object of a valid JSON text has a key twice: one of the two would be ignored."""
    json.loads(data, object_pairs_hook=_check_pairs)


def _check_pairs(pairs: list[tuple[str, object]]) -> None:
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            raise ValueError(f"key {key!r} twice in one object")
        keys.add(key)


@contextmanager
def naming(where: str) -> Iterator[None]:
    """``BadInput`` that this block raises gets ``where`` in front, if it does not say so already."""
    try:
        yield
    except BadInput as error:
        if not where or str(error).startswith(where):
            raise
        raise BadInput(f"{where}: {error}") from error


def check_schema(found: str, read: str, where: str) -> None:
    """Raise ``BadInput`` for a file of another schema than the one that is read."""
    if found != read:
        raise BadInput(f"{where}: schema {found!r}; this version reads {read!r}")
