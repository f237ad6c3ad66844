"""Reading a vector folder back: the hash of every file is checked before it is used."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import expect_folder, plain_size, read_plain, strictly, unreadable
from mmaspec.programs.profile import Profile
from mmaspec.suites.vectors.layout import MANIFEST_FILE, SCHEMA_FILE, VECTORS, Manifest, render
from mmaspec.suites.vectors.write import signed

MAX_MANIFEST = 64 << 20
"""Largest ``vectors.json`` that is read, in bytes."""


def read_manifest(folder: Path) -> Manifest:
    """``vectors.json``, compared with its own digest. Raises ``BadInput``."""
    path = folder / MANIFEST_FILE
    expect_folder(folder, "one that mmaspec vectors wrote")
    data = read_plain(path, MAX_MANIFEST, links=False)
    with strictly(str(path), f"a list of vectors ({VECTORS})"):
        manifest = msgspec.json.decode(data, type=Manifest)
        msgspec.json.decode(manifest.profile, type=Profile)
    if signed(manifest).digest != manifest.digest or render(manifest) != data:
        raise BadInput(f"{path}: was edited: it differs from its own digest")
    return manifest


def check_files(folder: Path, manifest: Manifest) -> None:
    """Compare every file with its hash. Raises ``BadInput`` with the first that is missing or was edited."""
    expected = {SCHEMA_FILE}
    for case in manifest.cases:
        expected |= {f"cases/{case.id}.json", f"cases/{case.id}.bin"}
    if odd := expected.symmetric_difference(manifest.files):
        raise BadInput(f"{folder / MANIFEST_FILE}: its files are not those of its cases: {min(odd)}")
    if (folder / "cases").is_symlink():
        raise BadInput(f"{folder / 'cases'}: not a plain folder")
    for name, entry in manifest.files.items():
        path = folder / name
        size = plain_size(path, links=False)
        if size is None:
            raise BadInput(f"{path}: is missing")
        if size != entry.bytes:
            raise BadInput(f"{path}: was edited: {size} bytes; {MANIFEST_FILE} says {entry.bytes}")
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise unreadable(path, error) from error
        if found != entry.sha256:
            raise BadInput(f"{path}: was edited: its SHA-256 is not that in {MANIFEST_FILE}")
