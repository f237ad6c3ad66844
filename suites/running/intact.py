"""Whether a run folder is as the run left it, so that the run can go on from there."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from mmaspec.oracle.case import MAX_FILE
from mmaspec.programs.errors import BadInput
from mmaspec.programs.input_file import plain_size, read_plain
from mmaspec.suites.planning.manifest import MANIFEST, verify
from mmaspec.suites.running.rows import Recorded
from mmaspec.suites.running.run_folder import EXAMPLES, ROWS, SHARDS, WORK, WRITTEN, RunFolder

_FOLDERS = frozenset({WORK, EXAMPLES, ROWS, SHARDS})


def check_intact(folder: RunFolder) -> None:
    """Raise ``BadInput`` that names a file unless the run in ``folder`` can go on: all it would build on is as written.

    The plan and the case list are compared with their hashes, every row with its mark, the case files with the hashes
    in the rows. A sealed shard must also be what its manifest says. Nothing in the folder is a link.
    """
    _check_kinds(folder.path)
    _ = folder.cases  # which reads the plan too
    if folder.plan.recorded is not None:
        raise BadInput(f"{folder}: holds answers that were recorded elsewhere; judge them again with vectors verify")
    if folder.plan.shard and (folder.path / MANIFEST).exists():
        verify(folder.path, folder.files())
    _check_examples(folder, folder.recorded())


def _check_kinds(folder: Path) -> None:
    """Links and pipes lead elsewhere, and so does nothing that a run wrote."""
    for name in WRITTEN:
        _check_kind(folder, folder / name)
    for name in (WORK, EXAMPLES):
        for place, folders, files in os.walk(folder / name):  # which follows no link to a folder
            for inside in (*folders, *files):
                _check_kind(folder, Path(place) / inside)


def _check_kind(folder: Path, path: Path) -> None:
    name = path.relative_to(folder).as_posix()
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise BadInput(f"{path}: cannot be read: {error.strerror}") from error
    if stat.S_ISLNK(mode):
        raise BadInput(f"{path}: is a link; a run folder has none")
    folders = name in _FOLDERS or (name.startswith(f"{SHARDS}/") and stat.S_ISDIR(mode))
    if not (stat.S_ISDIR(mode) if folders else stat.S_ISREG(mode)):
        raise BadInput(f"{path}: not a plain {'folder' if folders else 'file'}")


def _check_examples(folder: RunFolder, recorded: Recorded) -> None:
    for case, result in recorded.results.items():
        if not result.example:
            continue
        path = folder.path / EXAMPLES / result.example
        if result.example != f"{case}.json" or result.example not in recorded.examples:
            raise BadInput(f"{path}: no row says that it was written")
        rows = next(iter(folder.rows.that_wrote(result.example)))
        if plain_size(path, links=False) is None:
            raise BadInput(f"{path}: is missing; {rows} lists it: remove that file, and its cases are run again")
        data = read_plain(path, MAX_FILE, links=False)
        if hashlib.sha256(data).hexdigest() not in recorded.examples[result.example]:
            raise BadInput(
                f"{path}: was edited: its hash is not the one in {rows}: remove that file, and its cases are run again"
            )
