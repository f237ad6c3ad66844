"""The matrices of a case's data as they lie in A, B and C of a product."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.axes.observation import Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.contents import Contents, operand_of
from mmaspec.strategies.register_kernels.observations.dialect import Dialect, Integers, Place, dialect_of
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.matrices import every
from mmaspec.strategies.register_kernels.observations.patterns import (
    numbers,
    patterns,
    special,
    special_counts,
    zero_lines,
)
from mmaspec.strategies.register_kernels.observations.spread import lines_of
from mmaspec.strategies.register_kernels.observations.table import Part, Table, column

FEW = 32
"""Elements that stand apart of which the places in registers are told."""


@lru_cache(maxsize=8)
def operand_table(subject: Subject, event: Event, role: str) -> Table:
    """The matrix of every item and wave."""
    one = operand_of(subject, event, role)
    shape = one.bits.shape[:2]
    table, known = Table(subject, shape), every(one.known)
    along_k: tuple[int, ...] = {"a": (-1,), "b": (-2,), "c": ()}[role]
    apart = special(one.fmt, one.bits) & known[..., None, None]
    for axis, classes in (
        ("pattern", patterns(one.fmt, one.bits)),
        ("zero-lines", zero_lines(one.fmt, one.bits, along_k)),
        ("special-count", special_counts(apart, *_registers(subject, event, role))),
    ):
        table.put(axis, {name: here & known for name, here in classes.items()})
    row, line = (found[..., 0, 0] for found in lines_of(apart))
    nowhere = np.full(shape, -1, np.int64)
    table.number("row-position", nowhere if role == "b" else row, known)
    table.number("column-position", nowhere if role == "a" else line, known)
    table.number("k-position", {"a": line, "b": row, "c": nowhere}[role], known)
    if role != "c":
        _put_mismatch(subject, event, table)
    _put_registers(subject, event, role, one, apart, table)
    return table


def _put_mismatch(subject: Subject, event: Event, table: Table) -> None:
    """Where A has one column and B one row that is not all zero."""
    a, b = (operand_of(subject, event, role) for role in "ab")
    filled_a = (numbers(a.fmt, a.bits) != 0).any(axis=-2)
    filled_b = (numbers(b.fmt, b.bits) != 0).any(axis=-1)
    here = (filled_a.sum(axis=-1) == 1) & (filled_b.sum(axis=-1) == 1)
    here &= every(a.known) & every(b.known)
    left, right = filled_a.argmax(axis=-1), filled_b.argmax(axis=-1)
    classes = dialect_of(subject).mismatch(a.fmt.bits, filled_a.shape[-1], left, right)
    table.put("k-mismatch", {name: flags & here for name, flags in classes.items()})


def _places(subject: Subject, event: Event, role: str) -> tuple[str, dict[tuple[int, int], tuple[Place, ...]]]:
    """The fragment that is read as an operand, and where the elements of the operand are in it."""
    call, program, dialect = event.call, subject.program, dialect_of(subject)
    name: str = {"a": call.a, "b": call.b, "c": call.d if call.c is None else call.c}[role]
    fragment = program.fragment(name)
    if role != "c":
        return name, _elements(dialect, fragment, program.lanes, dialect.operand(program, call, role)[1])
    found = _elements(dialect, fragment, program.lanes, False)
    mine = range(1 + max(col for _, col in found))[dialect.columns(call)]
    return name, {(row, col - mine.start): place for (row, col), place in found.items() if col in mine}


@lru_cache(maxsize=64)
def _elements(dialect: Dialect, fragment: Any, lanes: int, turned: bool) -> dict[tuple[int, int], tuple[Place, ...]]:
    rows, cols = dialect.extent(fragment, lanes)
    where = dialect.places(fragment, lanes)
    found = {(row, col): where(row, col) for row in range(rows) for col in range(cols)}
    return {(col, row): place for (row, col), place in found.items()} if turned else found


def _registers(subject: Subject, event: Event, role: str) -> tuple[Integers, Integers]:
    """Lane and component of each element, of its first copy; each ``(rows, cols)``."""
    _, where = _places(subject, event, role)
    shape = tuple(1 + max(at) for at in zip(*where, strict=True))
    lanes, components = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for at, places in where.items():
        lanes[at], components[at] = places[0].lane, places[0].component
    return lanes, components


def _put_registers(subject: Subject, event: Event, role: str, one: Contents, apart: Flags, table: Table) -> None:
    """Where the elements that stand apart are in the registers, if they are few; of A and B in every copy."""
    dialect = dialect_of(subject)
    name, where = _places(subject, event, role)
    width = dialect.component_bits(subject.program.fragment(name))
    count = apart.sum(axis=(-2, -1), keepdims=True)
    marks: dict[tuple[str, str], Flags] = {}
    for item, wave, i, j in np.argwhere(apart & (count <= FEW)).tolist():
        for place in where[i, j]:
            named = [
                *(("lane-position", name) for name in table.named("lane-position", place.lane)),
                *((dialect.component_axis, name) for name in table.named(dialect.component_axis, place.component)),
                ("part-of-word", dialect.part(one.fmt.bits, width, place.bit)),
            ]
            for mark in named:
                marks.setdefault(mark, np.zeros(table.shape, np.bool_))[item, wave] = True
    for (axis, name), flags in marks.items():
        table.put(axis, {name: flags})


def things(subject: Subject) -> Iterator[Thing]:
    """Of every product's operands a few that have all of their classes; a C that is a literal is no matrix."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.products):
        for role in event.reads:
            table = operand_table(subject, event, role)
            for row in table.shown():
                yield Thing("operand", Part(event, table, row, role), event.place)


LOOKS: dict[str, Look] = {
    "matrix": lambda _, thing: str(thing.of.role),
    **{
        axis: column(axis)
        for axis in (
            "pattern", "zero-lines", "special-count", "row-position", "column-position", "k-position", "k-mismatch",
            "lane-position", "part-of-word",
        )
    },
}  # fmt: skip
