"""Wording a finding: the worst element with its bits and legal set, the likely cause, and a sentence for them."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from mmaspec.backends.faults import faults_of
from mmaspec.backends.faults.fault import Fault
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.numerics.codec import Special, decode
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs.formats import Format
from mmaspec.suites.judging.ask import Answer, Held, ask
from mmaspec.suites.judging.blame import Blame
from mmaspec.suites.judging.record import Element, Finding
from mmaspec.suites.judging.sensitivity import made


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


def cause(
    case: Case,
    expected: Defined,
    answers: list[Answer],
    blamed: tuple[str, ...],
    item: int,
    borrowed: Collection[str] = (),
    unknown: Collection[str] = (),
) -> tuple[str, str]:
    """The counterfactual that reproduces the observed bytes: what it behaves as if, and its clause; or empty.

    Counterfactuals of the blamed clauses are tried first, in their order, then those of every clause that acted;
    those of borrowed clauses, and those named in ``unknown``, not at all. Batch item ``item`` alone is compared
    before the whole batch is run.
    """
    order = {clause: rank for rank, clause in enumerate(blamed)}
    acted = (expected.clauses | order.keys()).difference(borrowed)
    tried = [
        fault
        for fault in faults_of(case.spec)
        if fault.clause in acted and fault.name not in unknown and fault.misreports is None
    ]
    for fault in sorted(tried, key=lambda fault: (order.get(fault.clause, len(order)), fault.name)):
        try:
            if not _same_item(fault, case, answers[0], item):
                continue
            replies = ask(made(fault, case.caps), case, expected, runs=len(answers))
        except Exception:  # noqa: BLE001, S112 - a counterfactual may break down where the backend did not
            continue
        if all(
            all(np.array_equal(reply.after[name], answer.after[name]) for name in answer.after)
            for reply, answer in zip(replies, answers, strict=True)
        ):
            return fault.behaves_as_if, fault.clause
    return "", ""


def _same_item(fault: Fault, case: Case, answer: Answer, item: int) -> bool:
    one = slice(item, item + 1)
    reply = made(fault, case.caps).run(
        case.spec, case.program, {name: image[one] for name, image in answer.before.items()}
    )
    return all(np.array_equal(reply[name], image[one]) for name, image in answer.after.items())


def describe(held: Held, blamed: Blame, behaves_as_if: str) -> Finding:
    """The finding of a judged, blamed case."""
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
        cause=behaves_as_if,
        element=worst,
        wrong=wrong.count,
        judged=held.judgement.judged,
    )
