"""The calls that a compiler refuses: the document's functions as its tables list them, and calls against these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mmaspec.programs.intel_subgroup_mma.program import Mad, MadProgram, Repeat

_TABLES = """
    i8_i8_k32      int     short    int    int
    i8_u8_k32      int     short    uint   int
    u8_i8_k32      uint    ushort   int    int
    u8_u8_k32      uint    ushort   uint   int
    i4_i4_k64      int     short    int    int
    i4_u4_k64      int     short    uint   int
    u4_i4_k64      uint    ushort   int    int
    u4_u4_k64      uint    ushort   uint   int
    bf16_bf16_k16  int     short    int    float
    f16_f16_k16    int     short    int    float
    bf16_bf16_k16  -       short    int    short
    f16_f16_k16    -       short    int    half
"""
"""Name, A in sub-groups of 8, A in those of 16, B, and what is added and returned: one line for four functions."""

_ROWS = (1, 2, 4, 8)
_NAME = re.compile(r"(?P<a>[a-z]+[0-9]{1,9})_(?P<b>[a-z]+[0-9]{1,9})_matrix_mad_k(?P<k>[0-9]{1,9})")
_INTEGERS = {"i8": 8, "u8": 8, "i4": 4, "u4": 4}
_WIDTHS = {**_INTEGERS, "f16": 16, "bf16": 16}


class Line(NamedTuple):
    """The components of one line of the tables for one sub-group size, for any number of rows."""

    size: int
    a: str
    b: str
    acc: str


def _read() -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for row in _TABLES.split("\n")[1:-1]:
        name, eight, sixteen, b, acc = row.split()
        factors, k = name.rsplit("_", 1)
        lines = found.setdefault(f"{factors}_matrix_mad_{k}", [])
        lines += [Line(size, a, b, acc) for size, a in ((8, eight), (16, sixteen)) if a != "-"]
    return found


FUNCTIONS = _read()
"""Name -> its lines, for both sub-group sizes."""


class Vector(NamedTuple):
    """An argument, or what is returned."""

    component: str
    length: int

    def passes_for(self, component: str) -> bool:
        """Whether it can be had as so many components of that kind: scalars change their sign without notice."""
        if self.length == 1:
            return self.component.removeprefix("u") == component.removeprefix("u")
        return self.component == component


def broken(program: MadProgram, unchecked: frozenset[str] = frozenset()) -> set[str]:
    """The clauses that any call of the program breaks, without the ``unchecked`` ones.

    What breaks a narrower clause fits no function either: where that one is not looked at, nor is the table.
    """
    found: set[str] = set()
    for instruction in program.body:
        for step in instruction.body if isinstance(instruction, Repeat) else (instruction,):
            if isinstance(step, Mad):
                clauses = {*_name(step.function), *_arguments(step, program)}
                found |= clauses - unchecked - {"ISGMMA-FUNCS"} if clauses & unchecked else clauses
    return found


def _name(function: str) -> Iterator[str]:
    """What a name says of its own."""
    parts = _NAME.fullmatch(function)
    if parts is None:
        return
    a, b = parts["a"], parts["b"]
    if a in _WIDTHS and int(parts["k"]) != 256 // _WIDTHS[a]:
        yield "ISGMMA-K-BY-TYPE"
    if a in _INTEGERS and b in _INTEGERS and _INTEGERS[a] != _INTEGERS[b]:
        yield "ISGMMA-INT-COMBOS"


def _arguments(call: Mad, program: MadProgram) -> Iterator[str]:
    """Which arguments none of the functions of that name takes."""
    declared = {fragment.name: Vector(fragment.component, fragment.count) for fragment in program.fragments}
    lines = FUNCTIONS.get(call.function)
    if lines is None:
        yield "ISGMMA-FUNCS"
        return
    a, b, result = declared[call.a], declared[call.b], declared[call.d]
    added = result if call.c is None else declared[call.c]
    rows = a.length == added.length == result.length and result.length in _ROWS
    fitting = [line for line in lines if b == (line.b, 8) and a.component == line.a and added.component != "ushort"]
    # A ushort to be added could become a short or a float, so it is neither.
    if rows and any(added.passes_for(line.acc) and result.passes_for(line.acc) for line in fitting):
        return
    yield "ISGMMA-FUNCS"
    if not rows:
        yield "ISGMMA-M"
    if all(b != (line.b, 8) for line in lines):
        yield "ISGMMA-ARG-B"
    if all(a.component != line.a for line in lines):
        yield "ISGMMA-ARG-A16" if a.component in ("short", "ushort", "half") else "ISGMMA-ARG-A8"
    # The rows are another rule's matter: sums of any number have the kind of one of the device's functions.
    kinds = {added.component, result.component}
    if lines[0].acc != "int" and not any(kinds == {line.acc} for line in lines if line.size == program.sub_group_size):
        yield "ISGMMA-FP-ACC"
