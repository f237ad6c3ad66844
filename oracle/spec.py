"""The interface of a specification to the modules above it, and how it is found by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, wraps
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.caps_report import Answer, CapsReport
from mmaspec.oracle.clauses import Catalogue
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.source import Source
from mmaspec.programs.base import Place, Program
from mmaspec.programs.call_shapes import takes
from mmaspec.programs.errors import BadInput
from mmaspec.programs.profile import Profile
from mmaspec.programs.specifications import SPECS, blaming, broken, ours, part, specification

__all__ = ["SPECS", "Ablation", "AnySpec", "Instrumented", "InvalidUnder", "Row", "Spec", "spec_named", "specs_at_hand"]

P = TypeVar("P", bound=Program)
"""The programs of a specification."""
C = TypeVar("C")
"""The caps of a specification."""
E_co = TypeVar("E_co", covariant=True)
"""What a row stands for: an entry of the caps."""


@dataclass(frozen=True, slots=True)
class Row(Generic[E_co]):
    """One line of a device's caps: the unit of coverage beside the clause.

    ``datatype`` groups rows into tests; ``tags`` say which clauses have a meaning here; ``entry`` is what the caps say
    of it, for the specification's own grammar: nobody takes the name apart again.
    """

    name: str
    datatype: str
    tags: frozenset[str]
    entry: E_co


DataEdit = Literal[
    "", "k alike in twos", "k alike in fours", "k alike in eights", "halves of k alike", "quarters of k alike",
    "first quarter of k", "no product", "no addend", "A alone", "B alone",
]  # fmt: skip
"""What is made of the data of a product: A and B the same for k in groups of two, four or eight; the second half of k
as the first, or all four quarters alike; zeros but in the first quarter of k; A all zeros; C all zeros; the unit matrix
in place of B, and no addend, so that the result is A; the same for B."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """A program with one circumstance of one instruction removed: if the failure goes away, ``clause`` is to blame."""

    clause: str
    program: Program
    place: Place | None = None
    """Where the instruction now stands, if that is somewhere else."""
    data: DataEdit = ""
    """A circumstance of the data that is removed as well."""
    clears: bool = True
    """Whether a failure that stays is not this clause's. False where only a part of what it says is removed, such as
    the addend of a product."""
    others: bool = False
    """Whether only other instructions were changed: what goes away is what one of them left on."""
    says: str = ""
    """What was changed, in words, where the two texts do not show it well: ``one setTensorViewClipNV left out``."""
    tells: Literal["", "addends", "nan"] = ""
    """What alone it tells something of. addends: nothing but the addend of a product was changed, to one with room for
    every sum. nan: operands are the same number everywhere, so that less NaN is due."""


PLAIN = 0x3C3C3C3C
"""Bits of a constant that stands for whatever a matrix held: in f16, bf16 and f32 a normal number."""


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A program with a store after every instruction, and the buffer with the state after each place."""

    program: Program
    shows: Mapping[str, Place]


@dataclass(frozen=True, slots=True)
class InvalidUnder:
    """One reading of an ambiguity under which a program breaks a validity clause: a backend may refuse it."""

    ambiguity: str
    reading: str
    clause: str


@dataclass(frozen=True, slots=True)
class Spec(Generic[P, C]):
    """One specification. Every callable takes a *resolved* program (no ``RunTime`` argument is left)."""

    catalogue: Catalogue
    program_type: type[P]
    caps_type: type[C]
    default_caps: C
    rows: Callable[[C], tuple[Row[object], ...]]
    """caps -> rows, in a fixed order."""
    rejected: Callable[[P, C], frozenset[str]]
    """(program, caps) -> every validity clause it breaks."""
    undefined: Callable[[P, C], frozenset[str]]
    """(valid program, caps) -> every clause by which it has undefined behaviour."""
    sources: Callable[[P], tuple[Source, ...]]
    """program -> the data of its loads, in program order, each name once."""
    execute: Callable[[P, Memory, Profile, Readings], tuple[Step, ...]]
    """(program, memory, profile, readings) -> steps; stores go to the memory."""
    text: Callable[[P, C], str]
    """(program as written, caps) -> the program in the specification's own syntax."""
    instrumented: Callable[[P], Instrumented]
    """program -> the same with every intermediate state stored."""
    ablations: Callable[[P, Place], tuple[Ablation, ...]]
    """(program, place) -> the circumstances of that instruction, most telling first."""
    untouched: str
    """The clause that a changed byte outside every stored element breaks."""
    instrumented_otherwise: Callable[[P, Any], Instrumented] | None = None
    """(program, instruction) -> the same with all stores of another kind than the one after that instruction has.

    A state that one kind of store shows to be right is right. None where there is one kind only."""
    filled: Callable[[P, Place], P | None] | None = None
    """(program, place) -> the same with a constant in the matrix that this instruction writes, wherever it came from.

    A store that is wrong then too is wrong by itself. None of an instruction that writes no matrix, or a constant.
    """
    invalid_under: Callable[[P], tuple[InvalidUnder, ...]] | None = None
    """valid program -> the readings under which it is invalid after all; None where no ambiguity decides that.

    The default reading of such an ambiguity must be one under which the program is valid.
    """
    recorded: Callable[[bytes, str], C | None] | None = None
    """(file, its name) -> the caps in a record of what a driver reports; None for a file of another kind.

    None where nobody records such files."""
    caps_report: Callable[[C], CapsReport[C]] | None = None
    """caps as a device reported them -> which rows can be tested, which break a clause, which cannot be judged.

    None where every row that can be reported can be tested."""
    registers: Callable[[P, str], NDArray[np.int64]] | None = None
    """(program, matrix) -> where a wave's registers hold its elements, in bits: ``(copies, rows, cols, bits)``.

    None where a device may hold a matrix as it likes."""
    other_devices: tuple[C, ...] = ()
    """Caps with rows that no device has together with those of the default caps."""
    by_caps: Callable[[C], Spec[P, C]] | None = None
    """caps -> the specification with the functions that know what these caps decide, such as a revision of the text.

    The same caps give the same object. None where ``execute`` and what diagnosis asks for depend on no caps."""

    @property
    def devices(self) -> tuple[C, ...]:
        """Caps that together have every row of the specification, the default ones first."""
        return (self.default_caps, *self.other_devices)

    @property
    def name(self) -> str:
        """As on the command line: ``hlsl-wave-matrix``."""
        return self.catalogue.spec

    def of(self, caps: C) -> Spec[P, C]:
        """The specification as it is for a device: what runs programs, or makes others of them, is taken from here."""
        return self if self.by_caps is None else self.by_caps(caps)

    def reported(self, caps: C) -> CapsReport[C]:
        """The caps of a device, judged."""
        if self.caps_report is not None:
            return self.caps_report(caps)
        return CapsReport(caps, caps, tuple(Answer((row.name,)) for row in self.rows(caps)))

    def row(self, caps: C, name: str) -> Row[object]:
        """The row of that name; ``BadInput`` if the caps have none."""
        for row in self.rows(caps):
            if row.name == name:
                return row
        raise BadInput(f"{self.name}: no caps row named {name!r}")


AnySpec = Spec[Any, Any]
"""A specification found by its name: its programs and caps have a type that only it knows."""


@cache
def spec_named(name: str) -> AnySpec:
    """The specification called ``name``. Raises ``BadInput`` for an unknown one or a third party's that is broken.

    Found by import at run time: this layer may not depend on the specifications above it.
    """
    found: AnySpec = part(name, "oracle", "SPEC", Spec, flaws)
    if found.name != name:
        raise BadInput(f"specification {name!r}: its catalogue is that of {found.name!r}")
    if not specification(name).package:
        return found
    held: dict[str, Any] = {called: _held(name, called, getattr(found, called)) for called in _CALLED}
    for called in _MAY_BE_CALLED:
        if (function := getattr(found, called)) is not None:
            held[called] = _held(name, called, function)
    return replace(found, **held)


def flaws(spec: AnySpec) -> Iterator[str]:
    """What is wrong with a specification as far as can be seen without a program."""
    known = spec.catalogue.clause
    if spec.untouched not in known:
        yield f".untouched names {spec.untouched!r}, which is no clause of its catalogue"
    for identity, clause in known.items():
        for column, names, among in (
            ("entails", clause.entails, known),
            ("refines", clause.refines, known),
            ("readings", clause.readings, spec.catalogue.ambiguity),
        ):
            if unknown := [name for name in names if name not in among]:
                yield f".catalogue: {identity} {column} {', '.join(unknown)}, which the catalogue does not have"
    for identity, entry in spec.catalogue.ambiguity.items():
        if entry.clause and entry.clause not in known:
            yield f".catalogue: {identity} names {entry.clause!r}, which is no clause of it"
    if not isinstance(spec.default_caps, spec.caps_type):
        yield ".default_caps is not of its caps_type"
    for name, (arguments, _, _) in _CALLED.items():
        if not takes(getattr(spec, name), len(arguments)):
            yield f".{name} is not a function of ({', '.join(arguments)})"
    yield from _optional(spec)
    yield from _returned(spec.rows(spec.default_caps), "rows", "(default_caps)")


_OPTIONAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "recorded": ("file", "name"),
        "invalid_under": ("program",),
        "caps_report": ("caps",),
        "by_caps": ("caps",),
        "filled": ("program", "place"),
        "registers": ("program", "matrix"),
    }
)
"""Functions that a specification need not have: their arguments."""


def _optional(spec: AnySpec) -> Iterator[str]:
    """What is wrong with the functions that a specification need not have."""
    for name, arguments in _OPTIONAL.items():
        function = getattr(spec, name)
        if function is not None and not takes(function, len(arguments)):
            yield f".{name} is not a function of ({', '.join(arguments)})"


_CALLED: Mapping[str, tuple[tuple[str, ...], type, type | None]] = MappingProxyType(
    {
        "rows": (("caps",), tuple, Row),
        "rejected": (("program", "caps"), frozenset, str),
        "undefined": (("program", "caps"), frozenset, str),
        "sources": (("program",), tuple, Source),
        "execute": (("program", "memory", "profile", "readings"), tuple, Step),
        "text": (("program", "caps"), str, None),
        "instrumented": (("program",), Instrumented, None),
        "ablations": (("program", "place"), tuple, Ablation),
    }
)
"""The functions of a specification: their arguments, what they return, and the type of its entries."""
_MAY_BE_CALLED: Mapping[str, tuple[tuple[str, ...], type, type | None]] = MappingProxyType(
    {
        "caps_report": (("caps",), CapsReport, None),
        "instrumented_otherwise": (("program", "instruction"), Instrumented, None),
        "invalid_under": (("program",), tuple, InvalidUnder),
        "registers": (("program", "matrix"), np.ndarray, None),
    }
)
"""Those that it need not have."""


def _returned(value: object, name: str, call: str = "") -> Iterator[str]:
    """What is wrong with the value that a function of a specification returned."""
    _, kind, entry = {**_CALLED, **_MAY_BE_CALLED}[name]
    wanted = kind.__name__ if entry is None else f"{kind.__name__} of {entry.__name__}"
    if not isinstance(value, kind):
        yield f".{name}{call} returned a {type(value).__name__}; expected a {wanted}"
        return
    entries = value if entry is not None and isinstance(value, (tuple, frozenset)) else ()
    if odd := [each for each in entries if not isinstance(each, entry or object)]:
        yield f".{name}{call} returned a {kind.__name__} with a {type(odd[0]).__name__}; expected a {wanted}"


def _held(spec: str, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A third party's function, which names its package where it raises or returns something else."""
    where = f"{specification(spec).module('oracle')}.SPEC"

    @wraps(function)
    def held(*arguments: object) -> Any:
        with blaming(spec, f"{where}.{name}"):
            found = function(*arguments)
            for flaw in _returned(found, name):
                raise broken(spec, f"{where}{flaw}")
            return found

    return held


def specs_at_hand() -> Iterator[AnySpec]:
    """Every specification that can be used, ours first: a third party's broken one is no trouble of the others.

    For looking something up in all of them; who asks for a specification by name is told what is wrong with it.
    """
    yield from map(spec_named, ours())
    for name in SPECS:
        if name in ours():
            continue
        try:
            yield spec_named(name)
        except BadInput:
            continue
