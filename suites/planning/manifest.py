"""The manifest of a run folder: a hash of each file that later commands use, so that an edit is noticed."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import check_schema, plain_size, read_plain, strictly, unreadable

MANIFEST = "manifest.json"
SCHEMA = "mmaspec.manifest/1"
MAX_MANIFEST = 16 << 20
"""Largest manifest that is read, in bytes."""
_CHUNK = 1 << 20


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """``sha256``: path relative to the run folder, with ``/`` -> hash."""

    schema: str
    sha256: dict[str, str]


def write_manifest(folder: Path, names: Iterable[str]) -> None:
    """Write down the files of ``folder`` in ``names``, those of them that are there, once they are on the disk."""
    there = [name for name in sorted(set(names)) if (folder / name).is_file()]
    for name in there:
        reach_disk(folder / name)
    found = {name: file_hash(folder / name) for name in there}
    write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(Manifest(SCHEMA, found)), indent=1) + b"\n")


def verify(folder: Path, names: Iterable[str]) -> None:
    """Raise ``BadInput`` that names a file unless those of ``names`` are just as they were written.

    A file may be missing only if it was missing then. Files that are not in ``names`` are not looked at. No link is
    followed.
    """
    path = folder / MANIFEST
    data = read_manifest(folder)
    with strictly(str(path), "a manifest"):
        manifest = msgspec.json.decode(data, type=Manifest)
    check_schema(manifest.schema, SCHEMA, str(path))
    for name in sorted(set(names)):
        file, written = folder / name, manifest.sha256.get(name)
        within(folder, name)
        try:
            found = None if plain_size(file, links=False) is None else file_hash(file)
        except OSError as error:
            raise unreadable(file, error) from error
        if found == written:
            continue
        if written is None:
            raise BadInput(f"{file}: was added after the run; {MANIFEST} does not list it")
        if found is None:
            raise BadInput(f"{file}: is missing; {MANIFEST} lists it")
        raise BadInput(f"{file}: was edited: its hash is not the one in {MANIFEST}")


def read_manifest(folder: Path) -> bytes:
    """The manifest, undecoded. Raises ``BadInput``."""
    path = folder / MANIFEST
    if plain_size(path, links=False) is None:
        raise BadInput(f"{path}: no such file; the run has not ended, or its manifest was removed")
    return read_plain(path, MAX_MANIFEST, links=False)


def within(folder: Path, name: str) -> None:
    """Raise ``BadInput`` if a link stands on the way from a run folder to its file ``name``, or is that file.

    A link may lead out of the folder, to files that no run has written. The folder itself may be one.
    """
    path = folder
    for part in name.split("/"):
        path /= part
        if path.is_symlink():
            raise BadInput(f"{path}: is a link; a run folder has none")


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            digest.update(part)
    return digest.hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` in one step, so that a kill or a power cut leaves the old file or the new one."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _names_reach_disk(path.parent)
    finally:
        part.unlink(missing_ok=True)


def reach_disk(path: Path) -> None:
    """Have what was written to a file reach the disk. Raises ``OSError``."""
    # Windows only does it for a file that may be written.
    with path.open("rb" if os.name == "posix" else "r+b") as file:
        os.fsync(file.fileno())


def _names_reach_disk(folder: Path) -> None:
    """The same for the names in a folder, where the system has that."""
    if os.name != "posix":
        return
    with suppress(OSError):  # some network file systems refuse it
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
