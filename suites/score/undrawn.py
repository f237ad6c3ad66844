"""What no case of the default smoke lists has: the classes of the parameter spaces that are still to be drawn, stored.

A change that loses a class shows as a line of these files, and in a test. They are worked out by hand, since looking
through all lists takes minutes; each has the hash of the code that it was computed with::

    python -m mmaspec.suites.score.undrawn
    python -m mmaspec.suites.score.undrawn --check
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import msgspec

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.axes.measure import Reach, measured
from mmaspec.suites.pool import processes
from mmaspec.suites.score.code_path import path_hash

COMMAND = "python -m mmaspec.suites.score.undrawn"


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One group of a parameter space: how much of it the smoke list has."""

    classes: tuple[int, int]
    """How many classes some case has, and how many a program can express."""
    pairs: tuple[int, int]
    """The same of pairs that no rule excludes."""
    undrawn: tuple[str, ...]
    """The classes that no case has, as ``axis=class``."""


class Undrawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The contents of one file."""

    code: str
    """Hash of the code that it was computed with."""
    groups: Mapping[str, Group]


def folder() -> Path:
    """The folder of these files in this installation."""
    return Path(str(resources.files("mmaspec.suites.score"))) / "undrawn"


def read(spec: str) -> Undrawn:
    """The file of a specification; an empty one if it is missing or damaged."""
    try:
        return msgspec.json.decode((folder() / f"{spec}.json").read_bytes(), type=Undrawn)
    except (OSError, UnicodeDecodeError, msgspec.MsgspecError):
        return Undrawn("", {})


def is_stale(spec: str) -> bool:
    """Whether the file was computed with other code, or is not there."""
    return read(spec).code != path_hash(spec)


def told(reach: Reach, code: str) -> Undrawn:
    """The contents of the file for what a list reaches."""
    return Undrawn(
        code,
        {
            group.group: Group(
                (group.seen, group.expressible),
                (group.pairs_seen, group.pairs),
                tuple("=".join(one) for one in group.missing),
            )
            for group in reach.groups
        },
    )


def text(undrawn: Undrawn) -> bytes:
    """The text of a file: a line for each class, so that changes can be read."""
    return msgspec.json.format(msgspec.json.encode(undrawn), indent=1) + b"\n"


def _computed(spec: str) -> tuple[str, Undrawn]:
    return spec, told(measured(spec, "smoke"), path_hash(spec))


def check() -> int:
    """Print which files are stale and how to write them; returns 1 if any is."""
    stale = [spec for spec in ours() if is_stale(spec)]
    for spec in stale:
        sys.stdout.write(
            f"undrawn/{spec}.json was computed with other code than there is now; write it with {COMMAND}\n"
        )
    return 1 if stale else 0


def main() -> int:
    """Write stale files, or list them; returns the exit code."""
    parser = argparse.ArgumentParser(description="The classes that the default smoke lists never have.")
    parser.add_argument("spec", nargs="*", help="specifications; those whose file is stale if none is named")
    parser.add_argument("--check", action="store_true", help="only say which files are stale; 1 if any is")
    wanted = parser.parse_args()
    for spec in wanted.spec:
        spec_named(spec)
    if wanted.check:
        return check()
    specs = wanted.spec or [spec for spec in ours() if is_stale(spec)]
    folder().mkdir(exist_ok=True)
    with processes(min(os.cpu_count() or 1, len(specs) or 1)) as run:
        for spec, found in run(_computed, specs, lambda *_: None):
            (folder() / f"{spec}.json").write_bytes(text(found))
            left = sum(len(group.undrawn) for group in found.groups.values())
            sys.stdout.write(f"{spec}: {left} classes are never drawn\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
