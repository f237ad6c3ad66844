"""The sum behind a wrong element, worked out by hand: which products and which addend make it up, and what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined, Region, Step
from mmaspec.oracle.numerics.codec import Special, decode
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs import tree
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.profile import PRACTICE, Profile
from mmaspec.suites.judging.record import Element
from mmaspec.suites.judging.which_half import Half, half_of

MOST_TERMS = 6
"""Products that are told one by one."""
MOST_INSTRUCTIONS = 200
"""Executed in a program that is looked at; a reduced one has a handful."""

_LEFT, _RIGHT, _RESULT = ("a", "left"), ("b", "right"), ("d", "result", "matrix")
"""How instructions that multiply name the factors and what they write."""


def worked_out(case: Case, element: Element, place: str, profile: Profile = PRACTICE) -> str:
    """The products, addend and exact sum at an element, and what the device has there; empty where it is no such sum.

    ``place`` is the first wrong instruction, as a finding names it. Told is a sum of which all that goes into it is
    known to the bit, and which is legal at the element: so whatever else an instruction does, such as changing signs,
    is not told wrongly.
    """
    if not place or element.format not in FORMATS or sum(1 for _ in tree.unrolled(case.program)) > MOST_INSTRUCTIONS:
        return ""
    one = case.item(element.item)
    try:
        expected, program = expect(one, profile), resolve(one.program, one.words)
    except BadInput:
        return ""
    if not isinstance(expected, Defined):
        return ""
    found = next(_made_by(expected, program, element, place), None)
    if found is None:
        return ""
    number, legal, half = found
    instruction: Any = tree.at(program, expected.steps[number].place)
    if half != _summed(instruction, half):
        return ""  # what stands beside a sum is none
    for sum_ in _sums(expected.steps, number, instruction, element, half):
        if _is_legal(legal, sum_.total):
            return sum_.says(element)
    return ""


@dataclass(frozen=True, slots=True)
class _Sum:
    """A row of one factor, a column of the other, and an addend, exactly."""

    row: Sequence[Fraction]
    column: Sequence[Fraction]
    addend: Fraction | None

    @property
    def total(self) -> Fraction:
        return sum((a * b for a, b in zip(self.row, self.column, strict=True)), self.addend or Fraction(0))

    def says(self, element: Element) -> str:
        """In one line."""
        pairs = [(k, a, b) for k, (a, b) in enumerate(zip(self.row, self.column, strict=True)) if a and b]
        terms = [f"{_number(a)} x {_number(b)} (k = {k})" for k, a, b in pairs[:MOST_TERMS]]
        terms += [f"{len(pairs) - MOST_TERMS} more products"] * (len(pairs) > MOST_TERMS)
        products = (
            ", ".join(terms) or f"no product but 0, as A has {_others(self.row)} there and B {_others(self.column)}"
        )
        addend = "" if self.addend is None else f"; C {_number(self.addend)}"
        return (
            f"row {element.row} of A by column {element.col} of B: {products}{addend}; "
            f"exact sum {_number(self.total)}, the device has {element.got_value}"
        )


def _summed(instruction: Any, half: Half) -> Half:
    """The half of registers that an instruction sums; ``half`` where it does not say, or they hold one matrix."""
    flag = getattr(instruction, "opsel", None)
    return half if flag is None or not half else "high" if flag else "low"


def _made_by(expected: Defined, program: Any, element: Element, place: str) -> Iterator[tuple[int, Legal, Half]]:
    """The number of the first wrong step, where the element is its result as it is; what is legal there; its half."""
    for here, region in enumerate(expected.regions):
        spot = (element.wave, element.row, element.col)
        if region.buffer != element.buffer or not _has(region, spot, element.address):
            continue
        stored: Any = tree.at(program, expected.steps[region.step].place)
        names = {getattr(stored, field) for field in stored.__struct_fields__ if field != "buffer"}
        writers = [
            number
            for number, step in enumerate(expected.steps[: region.step])
            if step.legal is not None and step.writes in names
        ]
        if writers and str(expected.steps[writers[-1]].place) == place:
            yield writers[-1], region.legal.index((0, *spot)), half_of(expected, here)


def _has(region: Region, spot: tuple[int, int, int], address: int) -> bool:
    inside = all(index < extent for index, extent in zip(spot, region.addresses.shape, strict=True))
    return (
        inside
        and int(region.addresses[spot]) == address
        and bool(np.broadcast_to(region.live, region.legal.shape).any())
    )


def _sums(steps: Sequence[Step], number: int, instruction: Any, element: Element, half: Half) -> Iterator[_Sum]:
    """What may be summed there: integers read as signed or not, with the addend or what the result was before."""
    left, right, result = (_field(instruction, fields) for fields in (_LEFT, _RIGHT, _RESULT))
    if left is None or right is None or result is None:
        return
    a, b = _state(steps, number, left, element.wave), _state(steps, number, right, element.wave)
    if a is None or b is None or a.shape[-1] != b.shape[-2] or a.shape[-2] <= element.row or b.shape[-1] <= element.col:
        return
    row, column = a.index(element.row), b.index((slice(None), element.col))
    named = getattr(instruction, "c", None)
    addends = [named] if hasattr(instruction, "c") else [None, result]
    for left_fmt, right_fmt, name in product(_read_as(a.fmt), _read_as(b.fmt), addends):
        factors = _numbers(row, left_fmt), _numbers(column, right_fmt)
        c = None if name is None else _state(steps, number, name, element.wave)
        # Two matrices in the halves of the same registers stand side by side.
        col = element.col if c is None or half != "high" else element.col + c.shape[-1] // 2
        if name is not None and (c is None or c.shape[-2] <= element.row or c.shape[-1] <= col):
            continue
        added = None if c is None else _numbers(c.index((slice(element.row, element.row + 1), col)), c.fmt)
        if factors[0] is not None and factors[1] is not None and (c is None or added is not None):
            yield _Sum(factors[0], factors[1], None if added is None else added[0])


def _field(instruction: Any, names: Sequence[str]) -> str | None:
    found = (getattr(instruction, name, None) for name in names)
    return next((name for name in found if isinstance(name, str)), None)


def _state(steps: Sequence[Step], number: int, name: str, wave: int) -> Legal | None:
    """What a matrix holds in a wave before a step; None where no step has written it."""
    written = [step.legal for step in steps[:number] if step.writes == name and step.legal is not None]
    if not written or len(written[-1].shape) != 4:
        return None
    return written[-1].index((0, min(wave, written[-1].shape[1] - 1)))


def _read_as(fmt: Format) -> Iterator[Format]:
    """The formats in which the bits of one may be read: an instruction may say which sign they have."""
    yield fmt
    if not fmt.is_float:
        other = ("u" if fmt.signed else "s") + fmt.name[1:]
        if other in FORMATS:
            yield FORMATS[other]


def _numbers(legal: Legal, fmt: Format) -> list[Fraction] | None:
    """Exact values of which nothing else is legal; None where some is not known so, or is no number."""
    if legal.why.any() or legal.nan.any() or (legal.lo != legal.hi).any():
        return None
    bits = np.where(legal.moved, legal.bits, from_ordinal(legal.fmt, legal.lo)) & np.uint64(fmt.mask)
    values = [_value(fmt, int(one)) for one in np.atleast_1d(bits)]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def _value(fmt: Format, bits: int) -> Fraction | None:
    found = decode(fmt, bits)
    if isinstance(found, Special):
        return None
    return (-1 if found.sign else 1) * found.significand * Fraction(2) ** found.exponent


def _is_legal(legal: Legal, total: Fraction) -> bool:
    """Whether a sum lies between the bounds of what is legal, or is what remains of it in as many bits."""
    if legal.lo > legal.hi:
        return False
    fmt = legal.fmt
    low, high = (_value(fmt, int(from_ordinal(fmt, np.asarray(bound))[()])) for bound in (legal.lo, legal.hi))
    if low is None or high is None:
        return False
    wrapped = total
    if not fmt.is_float:
        wrapped = (total - fmt.min_value) % (1 << fmt.bits) + fmt.min_value
    return low <= total <= high or low <= wrapped <= high


def _others(line: Sequence[Fraction]) -> str:
    """What a row or column has that is not 0."""
    told = [f"{_number(value)} (k = {k})" for k, value in enumerate(line) if value]
    more = [f"{len(told) - MOST_TERMS} more"] * (len(told) > MOST_TERMS)
    return ", ".join([*told[:MOST_TERMS], *more]) or "zeros alone"


def _number(value: Fraction) -> str:
    """A value in decimal: all digits of whole numbers, few of others."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.9g}"
