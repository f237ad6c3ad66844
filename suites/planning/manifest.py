"""The manifest of a run folder: a hash of each file that later commands use, so that an edit is noticed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
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
    """Write down the files of ``folder`` in ``names``, those of them that are there."""
    found = {name: file_hash(folder / name) for name in sorted(set(names)) if (folder / name).is_file()}
    write_whole(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(Manifest(SCHEMA, found)), indent=1) + b"\n")


def verify(folder: Path, names: Iterable[str]) -> None:
    """Raise ``BadInput`` that names a file unless those of ``names`` are just as they were written.

    A file may be missing only if it was missing then. Files that are not in ``names`` are not looked at.
    """
    path = folder / MANIFEST
    if plain_size(path) is None:
        raise BadInput(f"{path}: no such file; the run has not ended, or its manifest was removed")
    with strictly(str(path), "a manifest"):
        manifest = msgspec.json.decode(read_plain(path, MAX_MANIFEST), type=Manifest)
    check_schema(manifest.schema, SCHEMA, str(path))
    for name in sorted(set(names)):
        file, written = folder / name, manifest.sha256.get(name)
        try:
            found = file_hash(file) if file.is_file() else None
        except OSError as error:
            raise unreadable(file, error) from error
        if found == written:
            continue
        if written is None:
            raise BadInput(f"{file}: was added after the run; {MANIFEST} does not list it")
        if found is None:
            raise BadInput(f"{file}: is missing; {MANIFEST} lists it")
        raise BadInput(f"{file}: was edited: its hash is not the one in {MANIFEST}")


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_CHUNK):
            digest.update(part)
    return digest.hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Replace ``path`` in one step, so that a kill leaves the old file or the new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
