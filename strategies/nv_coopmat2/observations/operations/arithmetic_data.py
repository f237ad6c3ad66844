"""The axes about what happens in elementwise operations: sums, products, quotients and negations of components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.nv_coopmat2.operands import scalars
from mmaspec.programs.nv_coopmat2.program import Arithmetic, Convert, EachComponent, MulAdd, Negate
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.operand_data import scalar_bits
from mmaspec.strategies.nv_coopmat2.observations.values import Bits, Lies, Scale, certain

MOST = 1 << 12
"""Different pairs of components of one operation that are looked at."""
OPS = {"add": "+", "multiply": "*", "negate": "-"}
F32 = format_named("f32")


@dataclass(frozen=True, slots=True)
class Pairs:
    """The components that an operation combines: the bits of left and right, each pair once."""

    fmt: Format
    op: str
    pairs: tuple[tuple[int, int], ...]


@lru_cache(maxsize=16)
def pairs_of(subject: Subject, thing: Thing) -> Pairs | None:
    """The pairs of an operator or a loop over components; None where they are not known."""
    known, one = facts(subject), thing.of
    assert thing.place is not None
    name = one.left if isinstance(one, Arithmetic) else one.matrix
    fmt = format_named(known.matrix(name).component)
    left = subject.held(name, thing.place)
    if left is None or isinstance(one, Negate):
        return None
    op = one.op if isinstance(one, Arithmetic) else OPS[one.function]
    right: Legal | Bits | None
    if isinstance(one, Arithmetic) and isinstance(one.right, str):
        right = subject.held(one.right, thing.place)
    else:
        scalar = next((given for _, given in scalars(one)), None)
        right = None if scalar is None else scalar_bits(subject, scalar, fmt)
    if right is None:
        return None
    return Pairs(fmt, op, tuple(_joined(left, right)))


def _joined(left: Legal, right: Legal | Bits) -> Iterator[tuple[int, int]]:
    bits, sure = left.certain_bits()
    if isinstance(right, Legal):
        other, known = right.certain_bits()
        mask = sure & known
        both = np.unique(np.stack([bits[mask], np.broadcast_to(other, bits.shape)[mask]]), axis=1)
        both = both[:, :: max(1, both.shape[1] // MOST)]
        for a, b in zip(both[0].tolist(), both[1].tolist(), strict=True):
            yield a, b
        return
    mine = np.unique(bits[sure])
    for b in right.tolist():
        for a in mine[:: max(1, mine.size * len(right) // MOST)].tolist():
            yield a, b


def float_data(subject: Subject, thing: Thing) -> Answer:
    """What happens in a float operation."""
    found = pairs_of(subject, thing)
    if found is None or not found.fmt.is_float or found.op == "/":
        return None
    names = {name for a, b in found.pairs for name in _float_pair(found.fmt, found.op, a, b)}
    return names | set(_chains(subject, thing, found, names))


def _chains(subject: Subject, thing: Thing, found: Pairs, names: set[str]) -> tuple[str, ...]:
    """A product before a sum, and f16 chains."""
    known = facts(subject)
    assert thing.place is not None
    used = (thing.of.left, thing.of.right) if isinstance(thing.of, Arithmetic) else (thing.of.matrix,)
    makers = [at.instruction for name in used if isinstance(name, str) for at in known.makers(name, thing.place)]
    times = any(
        (isinstance(one, Arithmetic) and one.op == "*") or getattr(one, "function", "") == "multiply" for one in makers
    )
    chained = any(isinstance(one, Arithmetic | EachComponent) for one in makers)
    users = known.users(thing.of.result if isinstance(thing.of, Arithmetic) else thing.of.matrix, thing.place)
    goes_on = chained or any(isinstance(user.instruction, Arithmetic | EachComponent) for user in users)
    return every(
        ("contraction", times and found.op in "+-"),
        ("narrow-computed-wide", found.fmt.name == "f16" and goes_on and "overflow" in names),
    )


def _float_pair(fmt: Format, op: str, a: int, b: int) -> tuple[str, ...]:
    unit = 2 * fmt.qmin - 2
    scale = Scale(fmt.qmin)
    x, y = scale.of(fmt, a), scale.of(fmt, b)
    zeros = {a, b} <= {0, fmt.sign_bit}
    sign_b = b ^ fmt.sign_bit if op == "-" else b
    if x is None or y is None:
        return _special_pair(fmt, op, a, sign_b, x, y)
    shift = -fmt.qmin + 2
    exact = (x * y) << 2 if op == "*" else (x + y if op == "+" else x - y) << shift
    lies = Lies(fmt, exact, unit)
    mine, other = abs(x) << shift, abs(y) << shift
    low, high = sorted((mine, other))
    mask = (1 << fmt.fraction_bits) - 1
    narrow = fmt.name == "f64" and not Lies(F32, exact, unit).exact and lies.exact
    sums = op != "*"
    return every(
        ("exact", lies.exact),
        ("tie", lies.tie),
        ("near-tie", lies.near_tie),
        ("inexact", lies.rest and not lies.overflow),
        ("cancellation", sums and exact and abs(exact) << 8 <= high and lies.exact),
        ("equal-difference", sums and not exact and x),
        ("overflow", lies.overflow),
        ("subnormal-result", lies.subnormal and not lies.below_least),
        ("underflow", lies.below_least),
        ("tiny-added", sums and low and 2 * low < Lies(fmt, high, unit).quantum),
        ("full-significands", a & mask == mask and b & mask == mask),
        ("minus-zero-sum", sums and zeros and fmt.sign_bit in (a, sign_b)),
        ("f64-beyond-single", narrow),
    )


def _special_pair(fmt: Format, op: str, a: int, b: int, x: int | None, y: int | None) -> tuple[str, ...]:
    top = fmt.infinity_magnitude
    infinite = [bits & (fmt.sign_bit - 1) == top for bits in (a, b)]
    nan = [bits & (fmt.sign_bit - 1) > top for bits in (a, b)]
    return every(
        ("nan-operand", any(nan)),
        ("infinity-minus-infinity", op != "*" and all(infinite) and a != b),
        ("infinity-by-zero", op == "*" and any(infinite) and 0 in (x, y)),
    )


def integer_data(subject: Subject, thing: Thing) -> Answer:
    """What happens in an integer operation."""
    one, known = thing.of, facts(subject)
    assert thing.place is not None
    negates = isinstance(one, Negate) or (isinstance(one, EachComponent) and one.function == "negate")
    if negates:
        held = subject.held(one.matrix, thing.place)
        if held is None or held.fmt.is_float:
            return None
        names = {name for bits in certain(held).tolist() for name in _negated(held.fmt, bits)}
        wraps = bool(names & {"negate-least", "negate-unsigned"})
        return names | set(every(("narrow-then-widened", wraps and _widened(known, thing, held.fmt))))
    found = pairs_of(subject, thing)
    if found is None or found.fmt.is_float or found.op == "/":
        return None
    names = {name for a, b in found.pairs for name in _integer_pair(found.fmt, found.op, a, b)}
    wraps = bool(names & {"wraps-above", "wraps-below", "wide-product"})
    return names | set(every(("narrow-then-widened", wraps and _widened(known, thing, found.fmt))))


def _widened(known: Facts, thing: Thing, fmt: Format) -> bool:
    """Whether what an operation on narrow integers leaves is converted to a wider type."""
    one = thing.of
    assert thing.place is not None
    users = known.users(one.matrix if isinstance(one, EachComponent) else one.result, thing.place)
    wider = [user.instruction for user in users if isinstance(user.instruction, Convert)]
    return fmt.bits < 32 and any(format_named(known.matrix(each.result).component).bits > fmt.bits for each in wider)


def value(fmt: Format, bits: int) -> int:
    """The number of an integer's bits."""
    return bits - (1 << fmt.bits) if bits & fmt.sign_bit else bits


def _negated(fmt: Format, bits: int) -> tuple[str, ...]:
    return every(
        ("negate-least", fmt.signed and bits == fmt.sign_bit),
        ("negate-unsigned", not fmt.signed and bits),
        ("negate-zero", not bits),
        ("small", fmt.signed and 0 < abs(value(fmt, bits)) < 1 << 6),
        ("at-end", fmt.signed and bits in (fmt.sign_bit + 1, fmt.sign_bit - 1)),
    )


def _integer_pair(fmt: Format, op: str, a: int, b: int) -> tuple[str, ...]:
    x, y = value(fmt, a), value(fmt, b)
    exact = x + y if op == "+" else x - y if op == "-" else x * y
    low, high = fmt.min_value, fmt.max_value
    wide = op == "*" and not -(high << 2) < exact < high << 2
    return every(
        ("small", low < exact < high),
        ("at-end", exact == high or (fmt.signed and exact == low)),
        ("wraps-above", exact > high),
        ("wraps-below", exact < low),
        ("wide-product", wide),
    )


def outcomes(subject: Subject, thing: Thing) -> set[str]:
    """Everything that happens in the operation of a thing."""
    answers = (float_data(subject, thing), integer_data(subject, thing))
    return {str(name) for answer in answers if isinstance(answer, set) for name in answer}


def negation(subject: Subject, thing: Thing) -> Answer:
    """Floats that are negated."""
    one, known = thing.of, facts(subject)
    assert thing.place is not None
    if isinstance(one, EachComponent) and one.function != "negate":
        return None
    held = subject.held(one.matrix, thing.place)
    if held is None or not held.fmt.is_float:
        return None
    fmt, bits = held.fmt, certain(held)
    magnitude = bits & np.uint64(fmt.sign_bit - 1)
    top = fmt.infinity_magnitude
    least = 1 << fmt.fraction_bits
    makers = [at.instruction for at in known.makers(one.matrix, thing.place)]
    return every(
        ("number", ((magnitude >= least) & (magnitude < top)).any()),
        ("zero", (bits == 0).any()),
        ("minus-zero", (bits == fmt.sign_bit).any()),
        ("infinity", (magnitude == top).any()),
        ("nan", (magnitude > top).any()),
        ("subnormal", ((magnitude > 0) & (magnitude < least)).any()),
        ("twice", any(isinstance(each, Negate) or getattr(each, "function", "") == "negate" for each in makers)),
    )


def neighbours(subject: Subject, thing: Thing) -> Answer:
    """Components that are not judged beside those that are."""
    assert thing.place is not None
    step = subject.left_by(thing.place)
    if step is None or step.legal is None or isinstance(thing.of, MulAdd):
        return None
    lost = np.asarray(step.legal.why) > 0
    packs = max(2, 4 // max(1, step.legal.fmt.nbytes))
    found: set[str] = set()
    for matrix in lost.reshape(-1, lost.shape[-2], lost.shape[-1]):
        count, size = int(matrix.sum()), matrix.size
        flat = matrix.ravel()[: size - size % packs].reshape(-1, packs)
        found |= set(
            every(
                ("none", not count),
                ("one", count == 1),
                ("packed", count and size > packs and (flat.sum(axis=1) == 1).all()),
                ("most", size > 2 and count == size - 1),
            )
        )
    return found


LOOKS: dict[str, Look] = {
    "arithmetic-float-data": float_data,
    "arithmetic-integer-data": integer_data,
    "negation-data": negation,
    "conversion-undefined-neighbours": neighbours,
}
"""Axis -> how its classes are seen."""
