"""The smoke lists of the devices in the catalogue, stored so that a new installation need not draw them.

There is one file a specification, compressed. As the stored sensitivities do, it counts only for exactly the code that
can change it (`code_path`): after a change there it is stale, ignored, and the lists are drawn as ever. To write the
files of some specifications or those that are stale, or to be told of these::

    python -m mmaspec.suites.score.stored_lists [SPEC ...]
    python -m mmaspec.suites.score.stored_lists --check
"""

from __future__ import annotations

import argparse
import lzma
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.strategies.enumerate import DEFAULT_SEED, case_list
from mmaspec.suites.planning.lists import LARGEST, identity_of, text_of
from mmaspec.suites.score.code_path import kept_path_hash, path_hash
from mmaspec.suites.score.stored import stored_in

COMMAND = "python -m mmaspec.suites.score.stored_lists"


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first line of a file."""

    code: str
    """Hash of the code that drew the lists."""
    lists: tuple[tuple[str, int], ...]
    """Identity of each list, and its bytes, in the order in which they follow."""


def folder() -> Path:
    """The folder of these files in this installation."""
    return stored_in("mmaspec.suites.score", "drawn")


def stored_text(spec: str, identity: str, where: Path | None = None) -> bytes:
    """The text of a stored list, as it is kept; empty where there is none, or none of this code."""
    if spec not in ours():
        return b""
    header, text = _read(spec, where)
    start = 0
    for name, length in header.lists:
        if name == identity:
            return text[start : start + length] if header.code == kept_path_hash(spec) else b""
        start += length
    return b""


def is_stale(spec: str, where: Path | None = None) -> bool:
    """Whether the file was made by other code, or is not there."""
    return _read(spec, where)[0].code != kept_path_hash(spec)


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
    header = Header(code, tuple((identity, len(text)) for identity, text in texts.items()))
    target = where or folder()
    target.mkdir(exist_ok=True)
    whole = b"\n".join((msgspec.json.encode(header), b"".join(texts.values())))
    (target / f"{spec}.xz").write_bytes(lzma.compress(whole, preset=9))


def _read(spec: str, where: Path | None) -> tuple[Header, bytes]:
    try:
        reader = lzma.LZMADecompressor()
        whole = reader.decompress(((where or folder()) / f"{spec}.xz").read_bytes(), LARGEST)
        head, _, text = whole.partition(b"\n")
        return msgspec.json.decode(head, type=Header), text
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError, msgspec.MsgspecError):
        return Header("", ()), b""


def main() -> int:
    """Write files, or list stale ones; returns the exit code."""
    parser = argparse.ArgumentParser(description="The stored smoke lists.")
    parser.add_argument("spec", nargs="*", help="specifications; those whose file is stale if none is named")
    parser.add_argument("--check", action="store_true", help="only say which files are stale; 1 if any is")
    wanted = parser.parse_args()
    for spec in wanted.spec:
        spec_named(spec)
    stale = [spec for spec in ours() if is_stale(spec)]
    if wanted.check:
        for spec in stale:
            sys.stdout.write(f"drawn/{spec}.xz is of other code: it is ignored; write it with {COMMAND} {spec}\n")
        return 1 if stale else 0
    for spec in wanted.spec or stale:
        sys.stdout.write(f"{spec}: {write(spec)} cases\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
