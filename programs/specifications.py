"""Finding the parts of a specification from its name.

A specification of ours is a folder of the oracle with a ``clauses.toml``; its other parts are in folders of the same
name. A third party's is an entry point of the group ``mmaspec.specs``: its name is that of the specification, its value
the package that holds the parts. Modules are imported when a part is asked for, and by name only, so that every layer
may ask. Entry points are read when the name is none of ours, or when all names are wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Literal, TypeVar, overload

from mmaspec.programs.errors import BadInput, text_of

GROUP = "mmaspec.specs"
"""The group of entry points by which installed packages add specifications."""

Room = Literal["oracle", "strategies", "device", "faults"]
"""The parts of a specification that are code; its examples are data."""

OURS: Mapping[Room, str] = MappingProxyType(
    {
        "oracle": "mmaspec.oracle",
        "strategies": "mmaspec.strategies",
        "device": "mmaspec.backends.numpy",
        "faults": "mmaspec.backends.faults",
    }
)
"""The packages that have a folder for each specification of ours."""

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class Specification:
    """The modules and folders with the parts of one specification."""

    name: str
    package: str = ""
    """The third party's package; empty for ours."""
    origin: str = ""
    """Whose it is, for messages about a third party's: ``package toy_mac of toy-mac 1.0``."""

    @property
    def folder(self) -> str:
        """The name as that of a folder: ``hlsl_wave_matrix``."""
        return self.name.replace("-", "_")

    def module(self, room: Room) -> str:
        """The module that offers a part: ``mmaspec.oracle.hlsl_wave_matrix``, ``toy_mac.oracle``."""
        return f"{self.package}.{room}" if self.package else f"{OURS[room]}.{self.folder}"

    @property
    def examples(self) -> tuple[str, str]:
        """The package with the golden examples, and their folder in it; ours are in one folder."""
        return (self.package, "examples/clauses") if self.package else ("mmaspec.examples", "clauses")

    @property
    def caps_examples(self) -> tuple[str, str]:
        """The same for golden examples of what a device reports."""
        return (self.package, "examples/caps") if self.package else ("mmaspec.examples", "caps")


@cache
def ours() -> tuple[str, ...]:
    """The names of our own specifications, sorted."""
    places = _found("mmaspec.oracle").submodule_search_locations or ()
    return tuple(
        sorted(file.parent.name.replace("_", "-") for place in places for file in Path(place).glob("*/clauses.toml"))
    )


@cache
def _others() -> Mapping[str, tuple[EntryPoint, ...]]:
    """Name -> the third parties' entry points of that name; ours are not among them."""
    found: dict[str, tuple[EntryPoint, ...]] = {}
    for entry in entry_points(group=GROUP):
        if entry.name not in ours():
            found[entry.name] = (*found.get(entry.name, ()), entry)
    return found


class _Names(Sequence[str]):
    """The sorted names of all specifications, read on first use."""

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return _names()[index]

    def __len__(self) -> int:
        return len(_names())

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __contains__(self, name: object) -> bool:
        return name in ours() or name in _others()


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted((*ours(), *_others())))


SPECS: Sequence[str] = _Names()
"""Names of every specification, ours and installed third parties', sorted."""


@cache
def specification(name: str) -> Specification:
    """The places of the parts of a specification; ``BadInput`` for an unknown name or one that two packages claim."""
    if name in ours():
        return Specification(name)
    entries = _others().get(name, ())
    if not entries:
        raise BadInput(f"no specification named {name!r}; there are {', '.join(SPECS)}")
    origins = [_origin(entry) for entry in entries]
    if len({entry.value for entry in entries}) > 1:
        raise BadInput(f"specification {name!r} is claimed by {' and by '.join(sorted(origins))}")
    return Specification(name, entries[0].value, origins[0])


def _origin(entry: EntryPoint) -> str:
    return f"package {entry.value}" + (f" of {entry.dist.name} {entry.dist.version}" if entry.dist else "")


def part(
    name: str, room: Room, attribute: str, kind: type[Part], flaws: Callable[[Part], Iterable[str]] | None = None
) -> Part:
    """A part of a specification: ``attribute`` of its module for ``room``, of type ``kind``.

    ``flaws`` finds what is wrong with it, each in words that go on from its name. A third party's part has to pass it;
    our own parts are held to it by tests, and cost no time here. Raises ``BadInput`` for an unknown specification, and
    one line that names the package where a third party's module cannot be imported, or its part is not there or wrong.
    """
    place = specification(name)
    found = getattr(_module(place, room), attribute, None)
    if not isinstance(found, kind):
        about = f"{place.module(room)} has no {kind.__name__} called {attribute}"
        assert place.package, about
        raise broken(name, about)
    if place.package and flaws is not None:
        part_name = f"{place.module(room)}.{attribute}"
        with blaming(name, part_name):
            for flaw in flaws(found):
                raise broken(name, f"{part_name}{flaw}")
    return found


def broken(name: str, about: str) -> BadInput:
    """The error to raise for what is wrong with a specification: one line that names its package."""
    return BadInput(f"specification {name!r} ({specification(name).origin}): {about}")


@contextmanager
def blaming(name: str, where: str) -> Iterator[None]:
    """Turn what the code of a third party raises in this block into ``BadInput`` that names its package.

    For our own specifications it does nothing: what they raise is a mistake of mmaspec, and wants its traceback.
    """
    try:
        yield
    except BadInput:
        raise
    except (Exception, SystemExit) as error:
        if not specification(name).package:
            raise
        raise broken(name, f"{where} raised {type(error).__name__}: {text_of(error)}") from error


def clauses_of(name: str) -> frozenset[str]:
    """The IDs of all clauses in the catalogue of a specification, for layers that may not know the oracle."""
    oracle: Any = part(name, "oracle", "SPEC", object)
    return frozenset(oracle.catalogue.clause)


def left_out(*loads: Callable[[str], object]) -> str:
    """The end of a message that something was not found: which third parties' specifications could not be searched.

    ``loads`` read the parts that were searched. Empty if all could be read.
    """
    names = []
    for name in _others():
        try:
            for load in loads:
                load(name)
        except BadInput:
            packages = sorted({entry.value for entry in _others()[name]})
            names.append(f"specification {name!r} of package {' and of package '.join(packages)}")
    return f"; could not be loaded: {', '.join(sorted(names))}" if names else ""


def has(name: str, room: Room, attribute: str = "") -> bool:
    """Whether a specification has a module for that part at all, and ``attribute`` in it. Raises what `part` raises."""
    place = specification(name)
    try:
        if find_spec(place.module(room)) is None:
            return False
    except (Exception, SystemExit) as error:
        raise _unimportable(place, room, error) from error
    return not attribute or hasattr(_module(place, room), attribute)


def _module(place: Specification, room: Room) -> ModuleType:
    if not place.package:
        return import_module(place.module(room))
    try:
        return import_module(place.module(room))
    except (Exception, SystemExit) as error:
        raise _unimportable(place, room, error) from error


def _unimportable(place: Specification, room: Room, error: BaseException) -> BadInput:
    about = f"{place.module(room)} cannot be imported: {type(error).__name__}: {error}"
    return broken(place.name, about)


def folders() -> tuple[Path, ...]:
    """The folders of all third parties' top packages, sorted, without those of packages that cannot be found."""
    tops = {entry.value.partition(".")[0] for entries in _others().values() for entry in entries}
    packages = [find_spec(top) for top in tops]  # imports nothing, as none of them is inside another
    return tuple(sorted(Path(at) for package in packages if package for at in package.submodule_search_locations or ()))


def _found(module: str) -> ModuleSpec:
    found = find_spec(module)
    assert found is not None, f"{module} is not installed"
    return found
