"""Wording a finding: the worst element with its bits and legal set, the likely cause, and a sentence for them."""

from __future__ import annotations

import math

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.numerics.codec import Special, decode
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs.formats import Format
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.at_step import Blame
from mmaspec.suites.judging.likeness import Likeness
from mmaspec.suites.judging.record import Element, Finding


def value_text(fmt: Format, bits: int) -> str:
    """A value for a reader: integers in decimal, floats in decimal and as a hexadecimal float literal."""
    found = decode(fmt, bits)
    if isinstance(found, Special):
        return f"{'-' if found.sign else ''}{found.kind}" if found.kind == "inf" else "nan"
    number = -found.significand if found.sign else found.significand
    if fmt.kind == "int":
        return str(number << found.exponent)
    exact = math.ldexp(number, found.exponent) if number or not found.sign else -0.0
    return f"{exact!r} ({exact.hex()})"


def hex_bits(fmt: Format, bits: int) -> str:
    """Bits as hexadecimal text of the format's width."""
    return f"{bits:0{(fmt.bits + 3) // 4}x}"


def element(expected: Defined, wrong: Wrong) -> Element:
    """The worst element: where it is, what it holds, what would be legal."""
    if wrong.symptom == "touched":
        got, low = f"{wrong.got:02x}", f"{wrong.expected:02x}"
        return Element(
            buffer=wrong.buffer, address=wrong.address, item=wrong.item, format="byte", got=got, low=low, high=low
        )
    legal = expected.regions[wrong.region].legal.index((wrong.item, *wrong.index))
    fmt = legal.fmt
    wave, row, col = wrong.index
    bounds = {}
    if legal.lo <= legal.hi:
        for name, ordinal in (("low", legal.lo), ("high", legal.hi)):
            bits = (
                int(legal.bits)
                if legal.moved and not legal.flushable
                else int(from_ordinal(fmt, np.asarray(ordinal))[()])
            )
            bounds[name] = hex_bits(fmt, bits)
            bounds[f"{name}_value"] = value_text(fmt, bits)
    return Element(
        buffer=wrong.buffer,
        address=wrong.address,
        item=wrong.item,
        wave=wave,
        row=row,
        col=col,
        format=fmt.name,
        got=hex_bits(fmt, wrong.got),
        got_value=value_text(fmt, wrong.got),
        nan_allowed=bool(legal.nan),
        distance=wrong.distance if legal.lo <= legal.hi and wrong.symptom == "value" else None,
        **bounds,
    )


def describe(held: Held, blamed: Blame, like: Likeness) -> Finding:
    """The finding of a judged, blamed case, which is like what some counterfactuals leave."""
    wrong = held.judgement.wrong[0]
    worst = element(held.expected, wrong)
    where = f"after instruction {blamed.place}" if blamed.place else "at the end"
    if wrong.symptom == "touched":
        says = f"a byte outside every stored element was changed, {wrong.buffer}[{wrong.address}]"
    else:
        legal = worst.low_value if worst.low == worst.high else f"{worst.low_value} to {worst.high_value}"
        legal = legal or "nan"
        place = f"element ({worst.row}, {worst.col}) of wave {worst.wave} in {wrong.buffer}"
        says = f"wrong {where}: {place} is {worst.got_value}, legal is {legal}"
        if wrong.symptom == "unlike":
            other = value_text(held.expected.regions[wrong.region].legal.fmt, wrong.expected)
            says = f"wrong {where}: {place} is {worst.got_value}, another copy of the same value is {other}"
    return Finding(
        symptom=wrong.symptom,
        blamed=blamed.clauses,
        how=blamed.how,
        says=says,
        place=str(blamed.place) if blamed.place else "",
        cause=like.cause,
        candidates=like.candidates,
        element=worst,
        pattern=blamed.pattern,
        only=blamed.only,
        unrun=blamed.unrun,
        wrong=wrong.count,
        judged=held.judgement.judged,
    )
