"""What a specification offers to everything above it, and how it is found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.source import Source
from mmaspec.programs.base import Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a device's caps: the unit of coverage beside the clause.

    ``datatype`` groups rows into tests; ``tags`` say which clauses have a meaning here.
    """

    name: str
    datatype: str
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class Toggle:
    """One circumstance of one instruction removed: if the failure goes away, ``clause`` is to blame."""

    clause: str
    program: Any
    place: Place | None = None
    """Where the instruction now stands, if that is somewhere else."""


@dataclass(frozen=True, slots=True)
class Observed:
    """A program with a store after every instruction, and which buffer shows the state after which place."""

    program: Any
    shows: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class Spec:
    """One specification. Every callable takes a *resolved* program (no ``RunTime`` argument is left)."""

    catalogue: Catalogue
    program_type: type
    caps_type: type
    default_caps: Any
    rows: Callable[[Any], tuple[Row, ...]]
    """caps -> rows, in a fixed order."""
    rejected: Callable[[Any, Any], frozenset[str]]
    """(program, caps) -> every validity clause it breaks."""
    undefined: Callable[[Any, Any], frozenset[str]]
    """(valid program, caps) -> every boundary of the defined that it crosses."""
    sources: Callable[[Any], tuple[Source, ...]]
    """program -> the data of its loads, in program order, each name once."""
    execute: Callable[[Any, Memory, Profile, Readings], tuple[Step, ...]]
    """(program, memory, profile, readings) -> steps; stores go to the memory."""
    text: Callable[[Any, Any], str]
    """(program as written, caps) -> the program in the specification's own syntax."""
    observe: Callable[[Any], Observed]
    """program -> the same with every intermediate state stored."""
    toggles: Callable[[Any, Place], tuple[Toggle, ...]]
    """(program, place) -> the circumstances of that instruction, most telling first."""
    untouched: str
    """The clause that a changed byte outside every stored element breaks."""
    recorded: Callable[[bytes, str], Any | None] | None = None
    """(file, its name) -> the caps in a record of what a driver reports; None for a file of another kind.

    None where nobody records such files."""

    @property
    def name(self) -> str:
        """As on the command line: ``hlsl-wave-matrix``."""
        return self.catalogue.spec

    def row(self, caps: Any, name: str) -> Row:
        """The row of that name; ``BadInput`` if the caps have none."""
        for row in self.rows(caps):
            if row.name == name:
                return row
        raise BadInput(f"{self.name}: no caps row named {name!r}")


_PACKAGES = {
    "amd-rdna3-wmma": "mmaspec.oracle.amd_rdna3_wmma",
    "hlsl-wave-matrix": "mmaspec.oracle.hlsl_wave_matrix",
    "nv-coopmat2": "mmaspec.oracle.nv_coopmat2",
}

SPECS = tuple(sorted(_PACKAGES))
"""Names of every specification, sorted."""


@cache
def spec_named(name: str) -> Spec:
    """The specification called ``name``; ``BadInput`` for an unknown one.

    Found by import at run time: this layer may not depend on the specifications above it.
    """
    if name not in _PACKAGES:
        raise BadInput(f"no specification named {name!r}; there are {', '.join(SPECS)}")
    found = import_module(_PACKAGES[name]).SPEC
    assert isinstance(found, Spec)
    return found
