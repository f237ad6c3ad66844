"""The modules that can change the sensitivities of one specification, and a hash of them.

It is what drawing its cases, expecting them and running its counterfactuals imports, told by import statements alone.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mmaspec.programs.specifications import ours
from mmaspec.suites.judging.cache import keep, kept, own_hash, user_file
from mmaspec.suites.score.tokens import Line, logical_lines

SHARED = (
    "mmaspec.strategies.enumerate",
    "mmaspec.strategies.recipe",
    "mmaspec.oracle.judge",
    "mmaspec.suites.judging.sensitivity",
)
"""Where the way through the code begins, for every specification."""
OWN = ("programs", "oracle", "strategies", "backends.numpy", "backends.faults")
"""Packages with a package of each specification's own, which is looked up by its name when it is needed."""

_PACKAGE = "mmaspec"


@cache
def path_hash(spec: str) -> str:
    """16 hexadecimal digits over the code of `modules`, comments and layout left out, and over the data beside it."""
    digest = hashlib.sha256()
    for name in modules(spec):
        digest.update(f"\0\0{name}\0".encode())
        for line in _lines(name):
            digest.update("\0".join(line).encode() + b"\0\n")
    for name, value in _data(spec):
        digest.update(f"\0\0{name}\0{json.dumps(value, sort_keys=True, default=str)}".encode())
    return digest.hexdigest()[:16]


@cache
def kept_path_hash(spec: str) -> str:
    """The same, worked out once for a user: reading all this code takes a second, in every process of a run."""
    digest = hashlib.sha256(own_hash().encode())
    for path in _beside(spec, "*.json"):  # no part of that hash
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    path = user_file(f"path-{spec}-{digest.hexdigest()[:16]}.txt")
    found = kept(path).decode(errors="replace")
    if not found:
        found = path_hash(spec)
        keep(path, found.encode())
    return found


@cache
def modules(spec: str) -> tuple[str, ...]:
    """The modules on the path of one specification, sorted. None of another specification's own is among them."""
    own = tuple(f"{_PACKAGE}.{part}.{_folder(spec)}" for part in OWN)
    waiting = [*SHARED, *(name for package in own for name in _below(package))]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in found or name == _PACKAGE or _foreign(name, spec):
            continue
        found.add(name)
        waiting.append(name.rpartition(".")[0])
        waiting.extend(_imported(name))
    return tuple(sorted(found))


def _foreign(module: str, spec: str) -> bool:
    """Whether a module belongs to another specification: shared code can import all, but uses only one."""
    return any(_folder(other) in module.split(".") for other in ours() if other != spec)


def _folder(spec: str) -> str:
    return spec.replace("-", "_")


@cache
def _file(module: str) -> Path | None:
    """The file of a module or package of ours; None where there is none."""
    _, part, *rest = module.split(".")
    top = find_spec(f"{_PACKAGE}.{part}")
    if top is None or top.origin is None:
        return None
    origin = Path(top.origin)
    if not rest:
        return origin
    place = origin.parent.joinpath(*rest)
    candidates = (place / "__init__.py", place.with_suffix(".py")) if origin.name == "__init__.py" else ()
    return next((path for path in candidates if path.is_file()), None)


def _below(package: str) -> Iterator[str]:
    """The modules of a package and of those in it."""
    init = _file(package)
    if init is None:
        return
    for path in sorted(init.parent.rglob("*.py")):
        parts = path.relative_to(init.parent).with_suffix("").parts
        yield ".".join((package, *(part for part in parts if part != "__init__")))


@cache
def _lines(module: str) -> tuple[Line, ...]:
    path = _file(module)
    assert path is not None
    return _lexed(path.read_text(encoding="utf-8"))


@cache
def _lexed(source: str) -> tuple[Line, ...]:
    return tuple(logical_lines(source))


def _imported(module: str) -> Iterator[str]:
    """The modules of ours that a module imports, at whatever time."""
    for _, first, *rest in _lines(module):
        if first not in {"from", "import"}:
            continue
        words = "".join(f" {word} " if word in {"import", "as"} else word for word in rest)
        base, _, names = words.partition(" import ") if first == "from" else ("", "", words)
        for name in names.strip("()").split(","):
            whole = name.partition(" as ")[0]
            if not whole:
                continue  # after the last comma
            for candidate in (base, f"{base}.{whole}" if first == "from" else whole):
                if candidate.startswith(f"{_PACKAGE}.") and _file(candidate) is not None:
                    yield candidate


def _beside(spec: str, pattern: str) -> Iterator[Path]:
    """Files of data in the specification's own packages."""
    for package in OWN:
        init = _file(f"{_PACKAGE}.{package}.{_folder(spec)}")
        if init is not None:
            yield from sorted(init.parent.rglob(pattern))


def _data(spec: str) -> Iterator[tuple[str, object]]:
    """Name and contents of the data in the specification's own packages: its clauses, the caps of its devices."""
    for package in OWN:
        init = _file(f"{_PACKAGE}.{package}.{_folder(spec)}")
        if init is None:
            continue
        folder = init.parent
        for path in sorted(folder.rglob("*.toml")):
            yield f"{package}/{path.relative_to(folder).as_posix()}", tomllib.loads(path.read_text(encoding="utf-8"))
        for path in sorted(folder.rglob("*.json")):
            yield f"{package}/{path.relative_to(folder).as_posix()}", json.loads(path.read_text(encoding="utf-8"))
