"""The cache of sensitivities. They depend on case list and code, so a file is named by a hash of both.

Each file begins with a hash of what it says: a sensitivity that was lost would take a proof away unnoticed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from pathlib import Path

import msgspec
import platformdirs

from mmaspec.programs.specifications import folders

_PARTS = ("programs", "oracle", "strategies", "backends", "suites")


@cache
def own_hash() -> str:
    """Hash of our own part of what decides which cases there are and what is legal."""
    return _hash(Path(str(resources.files(f"mmaspec.{part}"))) for part in _PARTS)


@cache
def code_hash() -> str:
    """Hash of everything that decides which cases there are and what is legal: our sources and third parties'."""
    others = folders()
    return f"{own_hash()}-{_hash(others)}" if others else own_hash()


def _hash(roots: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for root in roots:
        top = str(root)
        for parts in sorted(_sources(top)):
            name = "/".join(parts)
            with open(f"{top}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - paths take longer
                digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()[:16]


def _sources(top: str) -> Iterator[tuple[str, ...]]:
    """Every source below a folder, as the parts of its path; text, since every process of a run looks at them all."""
    for folder, _, names in os.walk(top):
        above = folder[len(top) :].replace(os.sep, "/").split("/")[1:]
        yield from ((*above, name) for name in names if name.endswith((".py", ".toml")))


def sensitivity_path(ids: Iterable[str]) -> Path:
    """The user's cache file for the sensitivity of one specification's case list."""
    identity = hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()[:16]
    return user_file(f"sensitivity-{identity}-{code_hash()}.json")


def user_file(name: str) -> Path:
    """A file of that name in the user's cache."""
    return Path(platformdirs.user_cache_dir("mmaspec", appauthor=False)) / name


def read_sensitivity(path: Path) -> dict[str, tuple[str, ...]]:
    """Case ID -> names of counterfactuals; empty if the file is missing or damaged (it is only a cache)."""
    try:
        return msgspec.json.decode(kept(path), type=dict[str, tuple[str, ...]])
    except (UnicodeDecodeError, msgspec.MsgspecError):
        return {}


def write_sensitivity(path: Path, found: Mapping[str, tuple[str, ...]]) -> None:
    """Keep the sensitivity of a whole case list; failing to is no error."""
    keep(path, msgspec.json.encode(dict(sorted(found.items()))))


def kept(path: Path) -> bytes:
    """What was kept in a file of the cache; empty if it is missing or damaged."""
    try:
        digest, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return b""
    return text if digest == _seal(path, text) else b""


def is_damaged(path: Path) -> bool:
    """Whether there is such a file, but not as it was kept."""
    return path.exists() and not kept(path)


def _seal(path: Path, text: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + text).hexdigest().encode()


def keep(path: Path, text: bytes) -> None:
    """Write a file of the cache; failing to is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.part")  # another run may be writing the same
        draft.write_bytes(_seal(path, text) + b"\n" + text)
        draft.replace(path)
    except OSError:
        return
