"""The matrices of a case's data as they lie in A, B and C of a product."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from mmaspec.oracle.amd_rdna3_wmma.addresses import places
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.amd_rdna3_wmma.observations.contents import Contents, operand_of
from mmaspec.strategies.amd_rdna3_wmma.observations.flow import Event, flow_of
from mmaspec.strategies.amd_rdna3_wmma.observations.matrices import every
from mmaspec.strategies.amd_rdna3_wmma.observations.patterns import (
    numbers,
    patterns,
    special,
    special_counts,
    zero_lines,
)
from mmaspec.strategies.amd_rdna3_wmma.observations.spread import lines_of
from mmaspec.strategies.amd_rdna3_wmma.observations.table import Part, Table, column
from mmaspec.strategies.axes.observation import Look, Subject, Thing

FEW = 32
"""Elements that stand apart of which the places in registers are told."""

_PARTS = {32: ("whole-word",), 16: ("low-half", "high-half"), 8: ("byte-0", "byte-1", "byte-2", "byte-3")}
"""Bits of an element -> the parts of a VGPR that one has, from its low end."""


@lru_cache(maxsize=8)
def operand_table(subject: Subject, event: Event, role: str) -> Table:
    """The matrix of every item and wave."""
    one = operand_of(subject, event, role)
    shape = one.bits.shape[:2]
    table, known = Table(shape), every(one.known)
    per_vgpr = subject.program.wave_size // 16 if role == "c" else 32 // one.fmt.bits
    along_k: tuple[int, ...] = {"a": (-1,), "b": (-2,), "c": ()}[role]
    apart = special(one.fmt, one.bits) & known[..., None, None]
    for axis, classes in (
        ("pattern", patterns(one.fmt, one.bits)),
        ("zero-lines", zero_lines(one.fmt, one.bits, along_k)),
        ("special-count", special_counts(apart, per_vgpr, role)),
    ):
        table.put(axis, {name: here & known for name, here in classes.items()})
    row, line = (found[..., 0, 0] for found in lines_of(apart))
    nowhere = np.full(shape, -1, np.int64)
    table.number("row-position", nowhere if role == "b" else row, known)
    table.number("column-position", nowhere if role == "a" else line, known)
    table.number("k-position", {"a": line, "b": row, "c": nowhere}[role], known)
    if role != "c":
        _put_mismatch(subject, event, table, per_vgpr)
    _put_registers(subject, event, role, one, apart, table)
    return table


def _put_mismatch(subject: Subject, event: Event, table: Table, per_vgpr: int) -> None:
    """Where A has one column and B one row that is not all zero."""
    a, b = (operand_of(subject, event, role) for role in "ab")
    filled_a = (numbers(a.fmt, a.bits) != 0).any(axis=-2)
    filled_b = (numbers(b.fmt, b.bits) != 0).any(axis=-1)
    here = (filled_a.sum(axis=-1) == 1) & (filled_b.sum(axis=-1) == 1)
    here &= every(a.known) & every(b.known)
    left, right = filled_a.argmax(axis=-1), filled_b.argmax(axis=-1)
    classes = {
        "equal": left == right,
        "same-word": (left != right) & (left // per_vgpr == right // per_vgpr),
        "next-word": right == left + per_vgpr,
        "reversed": right == 15 - left,
        "plus-eight": np.abs(left - right) == 8,
    }
    table.put("k-mismatch", {name: flags & here for name, flags in classes.items()})


def _put_registers(subject: Subject, event: Event, role: str, one: Contents, apart: Flags, table: Table) -> None:
    """Where the elements that stand apart are in the registers, if they are few; of A and B in every copy."""
    wmma, program = event.wmma, subject.program
    name = {"a": wmma.a, "b": wmma.b, "c": wmma.d if wmma.c is None else wmma.c}[role]
    fragment = program.fragment(name)
    where, turned = places(fragment, program.wave_size), role != "c" and fragment.use != role
    count = apart.sum(axis=(-2, -1), keepdims=True)
    batch, waves, rows, columns = np.nonzero(apart & (count <= FEW))
    parts = _PARTS[one.fmt.bits]
    for item, wave, i, j in zip(batch, waves, rows, columns, strict=True):
        here = np.zeros(table.shape, np.bool_)
        here[item, wave] = True
        for register in where(int(j), int(i)) if turned else where(int(i), int(j)):
            table.number("lane-position", np.full(table.shape, register.lane, np.int64), here)
            table.number("vgpr-position", np.full(table.shape, register.vgpr, np.int64), here)
            table.put("part-of-word", {parts[register.bit // one.fmt.bits]: here})


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
            "lane-position", "vgpr-position", "part-of-word",
        )
    },
}  # fmt: skip
