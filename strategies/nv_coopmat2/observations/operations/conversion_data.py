"""The axes of conversions about the values that are converted."""

from __future__ import annotations

from mmaspec.programs.formats import Format
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every, facts
from mmaspec.strategies.nv_coopmat2.observations.operations.conversions import formats
from mmaspec.strategies.nv_coopmat2.observations.values import Lies, Scale, certain, spread

MOST = 1 << 12


def to_float(subject: Subject, thing: Thing) -> Answer:
    """Values for a float result."""
    assert thing.place is not None
    old, new = formats(facts(subject), thing.of)
    held = subject.held(thing.of.matrix, thing.place)
    if held is None or not new.is_float:
        return None
    return {name for bits in spread(certain(held), MOST).tolist() for name in _to_float(old, new, bits)}


def _to_float(old: Format, new: Format, bits: int) -> tuple[str, ...]:
    magnitude = bits & (old.sign_bit - 1) if old.is_float else 0
    if old.is_float and magnitude > old.largest_magnitude:
        nan = magnitude > old.infinity_magnitude
        cut = old.fraction_bits - new.fraction_bits
        payload = magnitude & ((1 << old.fraction_bits) - 1)
        lost = nan and cut > 0 and payload < 1 << cut
        return every(("infinity", not nan), ("nan", nan), ("nan-payload-lost", lost))
    low = min(new.qmin, old.qmin if old.is_float else 0) - 2
    number = Scale(low).of(old, bits)
    assert number is not None
    lies = Lies(new, number, low)
    size, down = abs(number), abs(number) // lies.quantum
    up = lies.rest * 2 >= lies.quantum
    largest, inside = lies.largest, not lies.overflow
    last = 1 << max((old.qmin if old.is_float else 0) - low, 0)
    beside = lies.rest and 0 < abs(2 * lies.rest - lies.quantum) <= 2 * last
    carry = up and lies.rest and (down + 1) & down == 0 and size <= largest and size >= lies.least_normal
    wide = not old.is_float and size and (size // (size & -size)).bit_length() > new.precision
    return every(
        ("exact", lies.exact),
        ("between", lies.rest and size <= largest),
        ("tie-even-below", lies.tie and down % 2 == 0),
        ("tie-even-above", lies.tie and down % 2),
        ("near-tie", beside and inside),
        ("carry-to-next-power", carry),
        ("largest-held", size == largest),
        ("above-largest", largest < size and inside),
        ("far-above", lies.overflow),
        ("least-normal-below", lies.least_normal - lies.quantum <= size < lies.least_normal and lies.rest),
        ("subnormal", lies.subnormal and not lies.below_least),
        ("below-least-subnormal", lies.below_least),
        ("source-subnormal", old.is_float and 0 < magnitude < 1 << old.fraction_bits and not lies.subnormal),
        ("minus-zero", old.is_float and bits == old.sign_bit),
        ("integer-beyond-significand", wide),
        ("integer-top-bit", not old.is_float and not old.signed and bits >> (old.bits - 1)),
        ("integer-least", not old.is_float and old.signed and bits == old.sign_bit),
    )


def to_integer(subject: Subject, thing: Thing) -> Answer:
    """Values for an integer result."""
    assert thing.place is not None
    old, new = formats(facts(subject), thing.of)
    held = subject.held(thing.of.matrix, thing.place)
    if held is None or new.is_float:
        return None
    found = {name for bits in spread(certain(held), MOST).tolist() for name in _to_integer(old, new, bits)}
    lost = bool(found & {"one-beyond", "far-beyond", "negative-to-unsigned", "infinity", "nan"})
    fine = bool(found & {"whole", "fraction-positive", "fraction-negative", "below-one"})
    return found | set(every(("beside-undefined", lost and fine)))


def _to_integer(old: Format, new: Format, bits: int) -> tuple[str, ...]:
    return _from_float(old, new, bits) if old.is_float else _from_integer(old, new, bits)


def _from_integer(old: Format, new: Format, bits: int) -> tuple[str, ...]:
    number = Scale(0).of(old, bits)
    assert number is not None
    wider = new.bits > old.bits
    return every(
        ("whole", new.min_value <= number <= new.max_value),
        ("wide-bits", new.bits < old.bits and not new.min_value <= number <= new.max_value),
        ("sign-extended", wider and number < 0),
        ("zero-extended", wider and not old.signed and bits >> (old.bits - 1)),
    )


def _from_float(old: Format, new: Format, bits: int) -> tuple[str, ...]:
    magnitude = bits & (old.sign_bit - 1)
    number = Scale(old.qmin).of(old, bits)
    if number is None:
        nan = magnitude > old.infinity_magnitude
        return every(("infinity", not nan), ("nan", nan))
    one = 1 << -old.qmin
    size, rest = abs(number), abs(number) % one
    whole = size // one if number >= 0 else -(size // one)
    inside = new.min_value <= whole <= new.max_value
    first = _first_beyond(old, new.max_value)
    below = _first_beyond(old, -new.min_value)
    beyond = (number > 0 and magnitude == first) or (number < 0 and new.signed and magnitude == below)
    negative = number <= -one and not new.signed
    return every(
        ("whole", inside and not rest),
        ("fraction-positive", inside and rest and number > one),
        ("fraction-negative", inside and rest and number < -one),
        ("half", inside and 2 * rest == one),
        ("below-one", 0 < size < one),
        ("minus-fraction-unsigned", not new.signed and -one < number < 0),
        ("minus-zero", bits == old.sign_bit),
        ("subnormal", 0 < magnitude < 1 << old.fraction_bits),
        ("largest-in-range", number > 0 and inside and magnitude == first - 1),
        ("least-in-range", new.signed and number == new.min_value * one),
        ("one-beyond", not inside and beyond),
        ("far-beyond", not inside and not beyond and not negative),
        ("negative-to-unsigned", negative),
        ("unsigned-above-signed-range", new.name == "u32" and 1 << 31 <= whole < 1 << 32),
    )


def _first_beyond(fmt: Format, limit: int) -> int:
    """The magnitude of the least float whose whole part lies beyond a limit; of no finite one: that of infinity."""
    low, high = 0, fmt.infinity_magnitude
    scale, one = Scale(fmt.qmin), 1 << -fmt.qmin
    while low < high:
        middle = (low + high) // 2
        number = scale.of(fmt, middle)
        if number is not None and number // one <= limit:
            low = middle + 1
        else:
            high = middle
    return low


LOOKS: dict[str, Look] = {"conversion-float-value": to_float, "conversion-integer-value": to_integer}
"""Axis -> how its classes are seen."""
