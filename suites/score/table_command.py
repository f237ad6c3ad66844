"""The command of stored tables: write those that are stale or named, say which are stale, or compare them anew."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of stored table; every specification has one."""

    says: str
    """What is stored, as a sentence for ``--help``."""
    file: str
    """The file of a specification, with ``{}`` for its name."""
    command: str
    """What writes it, as the user types it."""
    entries: str
    """What it has entries of."""
    is_stale: Callable[[str], bool]
    write: Callable[[str, int], int]
    """(specification, processes) -> entries written."""
    differing: Callable[[str, int], list[str]] | None = None
    """(specification, processes) -> cases that are not as stored, of what is not stale; None: nothing is compared."""


def run_command(table: Table, arguments: Sequence[str] | None = None) -> int:
    """Carry the command out; returns the exit code. Raises ``BadInput`` for a specification that is none."""
    parser = argparse.ArgumentParser(description=table.says)
    parser.add_argument("spec", nargs="*", help="specifications; those whose file is stale if none is named")
    parser.add_argument("--check", action="store_true", help="only say which files are stale; 1 if any is")
    if table.differing is not None:
        parser.add_argument("--compare", action="store_true", help="compute again and compare; 1 if it differs")
    wanted = parser.parse_args(arguments)
    for spec in wanted.spec:
        spec_named(spec)
    workers = max(1, min(os.cpu_count() or 1, 8))
    if table.differing is not None and wanted.compare:
        wrong = [case for spec in wanted.spec or ours() for case in table.differing(spec, workers)]
        sys.stdout.write(f"different: {' '.join(wrong) or 'none'}\n")
        return 1 if wrong else 0
    stale = [spec for spec in ours() if table.is_stale(spec)]
    if wanted.check:
        for spec in stale:
            sys.stdout.write(
                f"{table.file.format(spec)} is of other code: it is ignored; write it with {table.command} {spec}\n"
            )
        if not stale:
            sys.stdout.write(f"{table.file.format('*')} are of this code\n")
        return 1 if stale else 0
    for spec in wanted.spec or stale:
        sys.stdout.write(f"{spec}: {table.write(spec, workers)} {table.entries}\n")
    return 0
