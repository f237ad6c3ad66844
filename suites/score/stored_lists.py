"""The smoke lists of the devices in the catalogue, stored so that a new installation need not draw them.

There is one file a specification, compressed. As the stored sensitivities do, it counts only for exactly the code that
can change it (`code_path`): after a change there it is stale, ignored, and the lists are drawn as ever. To write the
files of some specifications or those that are stale, or to be told of these::

    python -m mmaspec.suites.score.stored_lists [SPEC ...]
    python -m mmaspec.suites.score.stored_lists --check
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.suites.planning.lists import identity_of, text_of
from mmaspec.suites.score.code_path import kept_path_hash, path_hash
from mmaspec.suites.score.packed import read_packed, write_packed
from mmaspec.suites.score.stored import stored_in
from mmaspec.suites.score.table_command import Table, run_command

COMMAND = "python -m mmaspec.suites.score.stored_lists"


def folder() -> Path:
    """The folder of these files in this installation."""
    return stored_in("mmaspec.suites.score", "drawn")


def stored_text(spec: str, identity: str, where: Path | None = None) -> bytes:
    """The text of a stored list, as it is kept; empty where there is none, or none of this code."""
    if spec not in ours():
        return b""
    code, texts = read_packed(_file(spec, where))
    text = texts.get(identity, b"")
    return text if text and code == kept_path_hash(spec) else b""


def is_stale(spec: str, where: Path | None = None) -> bool:
    """Whether the file was made by other code, or is not there."""
    return read_packed(_file(spec, where))[0] != kept_path_hash(spec)


def write(spec: str, where: Path | None = None) -> int:
    """Draw the lists of a specification and store them; returns their number of cases."""
    drawn = {
        identity_of(spec, caps, "smoke", DEFAULT_SEED): case_list(spec, caps, "smoke", DEFAULT_SEED)
        for caps in spec_named(spec).devices
    }
    store(spec, path_hash(spec), {identity: text_of(recipes) for identity, recipes in drawn.items()}, where)
    return sum(map(len, drawn.values()))


def store(spec: str, code: str, texts: Mapping[str, bytes], where: Path | None = None) -> None:
    """Write the file of a specification: identity of each list -> its text."""
    write_packed(_file(spec, where), code, texts)


def _file(spec: str, where: Path | None) -> Path:
    return (where or folder()) / f"{spec}.xz"


TABLE = Table(
    says="The stored smoke lists.",
    file="drawn/{}.xz",
    command=COMMAND,
    entries="cases",
    is_stale=is_stale,
    write=lambda spec, _: write(spec),
)
"""What the command works on."""

if __name__ == "__main__":
    raise SystemExit(run_command(TABLE))
