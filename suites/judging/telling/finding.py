"""Wording a finding: the worst element with its bits and legal set, the likely cause, and a sentence for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import Wrong
from mmaspec.oracle.numerics.ordinals import from_ordinal
from mmaspec.programs.formats import FORMATS
from mmaspec.suites.judging.ask import Held
from mmaspec.suites.judging.blaming.blamed import SLIGHT, UNOBSERVED, Blame
from mmaspec.suites.judging.blaming.elsewhere.between_items import BETWEEN, STATE
from mmaspec.suites.judging.record import Element, Finding
from mmaspec.suites.judging.telling.likeness import Likeness
from mmaspec.suites.judging.telling.whose import owner_of, spot
from mmaspec.suites.judging.value_text import hex_bits, value_text
from mmaspec.suites.judging.which_half import half_of

RECALLED = "recalled"
"""How blame came about that a case file says: nobody has looked after which instruction it goes wrong."""
LONGEST = 160
"""Characters of a variation that could not be run."""
UNCOUNTED = 1 << 62
"""No distance: a NaN, or where nothing but NaN is legal."""


def element(expected: Defined, wrong: Wrong, waves: int) -> Element:
    """The worst element: where it is, what it holds, what would be legal; the program has so many ``waves``."""
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
        owner=owner_of(expected.regions[wrong.region], waves),
        row=row,
        col=col,
        format=fmt.name,
        got=hex_bits(fmt, wrong.got),
        got_value=value_text(fmt, wrong.got),
        nan_allowed=bool(legal.nan),
        only_ends=bool(legal.ends | legal.flushable),
        distance=wrong.distance if legal.lo <= legal.hi and wrong.symptom == "value" else None,
        **bounds,
    )


def describe(held: Held, blamed: Blame, like: Likeness, waves: int) -> Finding:
    """The finding of a judged, blamed case of so many ``waves``, which is like what some counterfactuals leave."""
    wrong = held.judgement.wrong[0]
    worst = element(held.expected, wrong, waves)
    where = f" after instruction {blamed.place}" if blamed.place else "" if blamed.how == RECALLED else " at the end"
    if blamed.how == UNOBSERVED and blamed.place:
        where = f" where instruction {blamed.place} stores it, what led to it unseen"
    if wrong.symptom == "touched":
        says = f"a byte outside every stored element was changed, {wrong.buffer}[{wrong.address}]"
    else:
        numbers = (
            worst.low_value
            if worst.low == worst.high
            else f"{worst.low_value} {'or' if worst.only_ends else 'to'} {worst.high_value}"
        )
        legal = f"{numbers} or nan" if numbers and worst.nan_allowed else numbers or "nan"
        half = half_of(held.expected, wrong.region)
        which = f" ({half} half of its register)" if half else ""
        place = f"{spot(worst.owner, worst.wave, worst.row, worst.col)} in {wrong.buffer}{which}"
        says = f"wrong{where}: {place} is {worst.got_value}, legal is {legal}"
        if wrong.symptom == "unlike":
            other = value_text(held.expected.regions[wrong.region].legal.fmt, wrong.expected)
            says = f"wrong{where}: {place} is {worst.got_value}, another copy of the same value is {other}"
    if blamed.how == BETWEEN and not blamed.clauses:
        says = f"{STATE}, {says}"
    return Finding(
        symptom=wrong.symptom,
        blamed=blamed.clauses,
        how=blamed.how,
        says="; ".join((says, *_shape(blamed))),
        place=str(blamed.place) if blamed.place else "",
        cause=like.cause,
        candidates=like.candidates,
        otherwise=blamed.otherwise,
        element=worst,
        pattern=blamed.pattern,
        only=blamed.only,
        instead=blamed.instead,
        unrun=blamed.unrun,
        wrong=wrong.count,
        farthest=wrong.farthest if wrong.symptom == "value" and wrong.farthest < UNCOUNTED else None,
        judged=held.judgement.judged,
    )


def _shape(blamed: Blame) -> Iterator[str]:
    """What a reader looks for first: which values stand where, when it happens, what could not be tried."""
    if blamed.pattern or blamed.where:
        yield blamed.pattern or blamed.where
    if blamed.only:
        yield f"goes away with {', and with '.join(blamed.only)}"
    if blamed.instead:
        yield f"goes away with {blamed.instead}"
    if blamed.unrun:
        first = blamed.unrun[0] if len(blamed.unrun[0]) <= LONGEST else f"{blamed.unrun[0][: LONGEST - 3]}..."
        if len(blamed.unrun) > 1:
            yield f"{len(blamed.unrun)} variations could not be run, the first one {first}"
        else:
            yield f"a variation could not be run: {first}"


def grade(finding: Finding) -> str:
    """How much is wrong: "2 of 256 elements, at most 1 representable value away"; empty where nothing was counted."""
    if not finding.wrong or finding.symptom == "touched":
        return ""
    text = f"{finding.wrong} of {finding.judged} elements"
    fmt = FORMATS.get(finding.element.format) if finding.element else None
    floats = fmt is None or fmt.is_float
    if finding.gross and floats and finding.how == SLIGHT and finding.farthest:
        return f"{text}, {_away(finding.farthest)}, where no rounding is left open"
    if finding.gross and floats:
        return f"{text}, beyond any rounding"
    if finding.symptom == "unlike":
        return f"{text} differ from other copies"
    if finding.farthest and not floats:
        return f"{text}, off by at most {finding.farthest}"
    if finding.farthest:
        return f"{text}, {_away(finding.farthest)}"
    return text


def _away(farthest: int) -> str:
    return f"at most {farthest} representable value{'s' * (farthest > 1)} away"
