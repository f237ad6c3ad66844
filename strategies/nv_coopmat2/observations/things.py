"""The things with axes in a case, by group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mmaspec.programs.base import Index, Place, Scalar
from mmaspec.programs.nv_coopmat2.operands import arguments, scalars
from mmaspec.programs.nv_coopmat2.program import (
    Access,
    Arithmetic,
    Barrier,
    Branch,
    Convert,
    EachComponent,
    Layout,
    Load,
    LoadTensor,
    MulAdd,
    Negate,
    PerElement,
    Reduce,
    Repeat,
    SetBlockSize,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Simple,
    Slice,
    Splat,
    Store,
    StoreTensor,
    Transpose,
    View,
    ViewSetter,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import facts

GROUPS: dict[type, str] = {
    Splat: "splat",
    Load: "plain-load",
    Store: "plain-store",
    LoadTensor: "tensor-load",
    StoreTensor: "tensor-store",
    MulAdd: "product",
    Convert: "conversion",
    Arithmetic: "arithmetic",
    Negate: "negation",
    EachComponent: "each-component",
    Reduce: "reduction",
    PerElement: "per-element",
    Transpose: "transpose",
    Barrier: "barrier",
}
"""Instruction -> its group."""
SITES: dict[type, tuple[str, ...]] = {
    SetBlockSize: ("block-size",),
    SetDimension: ("dimension",),
    SetStride: ("stride",),
    SetViewDimensions: ("view-dimension",),
    SetViewStride: ("view-stride",),
    SetClip: ("clip-row-offset", "clip-row-span", "clip-column-offset", "clip-column-span"),
}
"""Setter -> what its arguments are; the last word stands for all further ones."""
OFFSETS: dict[type, str] = {
    Load: "plain-load-offset",
    Store: "plain-store-offset",
    LoadTensor: "tensor-load-offset",
    StoreTensor: "tensor-store-offset",
}


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument as it is written, with all arguments of its call."""

    site: str
    written: Index
    call: tuple[Index, ...]
    owner: Simple | Layout | View
    """The access, or the layout or view whose setter is called."""
    passes: int


@dataclass(frozen=True, slots=True)
class Operand:
    """A scalar operand: of which type, and whose."""

    value: Scalar
    component: str
    of: Simple


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case."""
    known = facts(subject)
    program = known.program
    yield Thing("program", program)
    yield Thing("device", subject.caps)
    if subject.case.target:
        yield Thing("invalid", program)
    yield from (Thing("matrix", matrix) for matrix in program.matrices)
    yield from (Thing("buffer", buffer) for buffer in program.buffers)
    kinds = {Repeat: "loop", Branch: "branch"}
    yield from (
        Thing(kinds[type(one)], one, Place((turn,))) for turn, one in enumerate(program.body) if type(one) in kinds
    )
    seen: set[tuple[str, str]] = set()
    for one in known.text:
        instruction = one.instruction
        yield Thing(GROUPS[type(instruction)], instruction, one.place)
        for name, scalar in scalars(instruction):
            yield Thing("scalar", Operand(scalar, known.matrix(name).component, instruction), one.place)
        if isinstance(instruction, LoadTensor | StoreTensor):
            yield from _of_tensor(instruction, one.place, seen)
    yield from (Thing("argument", argument, place) for argument, place in written_arguments(subject))


def _of_tensor(access: LoadTensor | StoreTensor, place: Place, seen: set[tuple[str, str]]) -> Iterator[Thing]:
    if ("layout", access.tensor) not in seen:
        seen.add(("layout", access.tensor))
        yield Thing("layout", access, place)
    if access.view is not None and ("view", access.view) not in seen:
        seen.add(("view", access.view))
        yield Thing("view", access, place)
    if access.decode is not None and isinstance(access, LoadTensor):
        yield Thing("decode", access, place)


def written_arguments(subject: Subject) -> Iterator[tuple[Argument, Place | None]]:
    """Every argument of setters that act and of accesses that are executed, as it is written."""
    known = facts(subject)
    program = known.as_written
    passes = max((count for _, _, count in walk(program)), default=1)
    declared: list[Layout | View] = [*program.layouts, *program.views]
    for owner in declared:
        setters: tuple[Setter | ViewSetter, ...] = owner.calls
        for call in setters:
            given = arguments(call)
            if isinstance(call, Slice):
                count = len(call.offsets)
                sites = ("slice-offset",) * count + ("slice-span",) * len(call.spans)
            else:
                names = SITES.get(type(call), ("clamp-value",))
                sites = names if len(names) > 1 else names * len(given)
            for site, written in zip(sites, given, strict=False):
                yield Argument(site, written, given, owner, passes), None
    for place, access, count in walk(program):
        if isinstance(access, Access) and place in known.turn:
            whole = (access.offset, access.stride) if isinstance(access, Load | Store) else (access.offset,)
            yield Argument(OFFSETS[type(access)], access.offset, whole, access, count), place
            if isinstance(access, Load | Store):
                site = OFFSETS[type(access)].replace("offset", "stride")
                yield Argument(site, access.stride, whole, access, count), place
