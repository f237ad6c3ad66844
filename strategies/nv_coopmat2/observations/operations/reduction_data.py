"""The axis of reductions about the values that are combined."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.formats import Format
from mmaspec.programs.nv_coopmat2.program import Reduce
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import every
from mmaspec.strategies.nv_coopmat2.observations.operations.reductions import groups
from mmaspec.strategies.nv_coopmat2.observations.values import Lies, Scale

SUMS = ("add", "add-one")
"""Combine functions that add."""
MOST = 1 << 12
"""Groups of elements of one reduction that are looked at."""


def data(subject: Subject, thing: Thing) -> Answer:
    """Values that are reduced."""
    assert thing.place is not None
    reduce: Reduce = thing.of
    held = subject.held(reduce.matrix, thing.place)
    if held is None or not 1 <= reduce.mask <= 4:
        return None
    bits, sure = held.certain_bits()
    found: set[str] = set()
    single: dict[int, set[int]] = {}
    looked = 0
    for matrix, known in zip(bits.reshape(-1, *bits.shape[-2:]), sure.reshape(-1, *sure.shape[-2:]), strict=True):
        taken = groups(matrix, reduce.mask)
        if not known.all() or looked > MOST:
            continue
        looked += len(taken)
        totals: set[object] = set()
        for one in taken:
            names, total = _group(held.fmt, reduce.combine.name, one)
            found |= set(names)
            totals.add(total)
            at = np.flatnonzero(one)
            if at.size == 1:
                single.setdefault(len(one), set()).add(int(at[0]))
        found |= set(every(("rows-differ", len(taken) > 1 and len(totals) == len(taken))))
    if any(len(places) == size for size, places in single.items()):
        found.add("one-non-zero")
    return found


def _group(fmt: Format, name: str, words: NDArray[np.uint64]) -> tuple[tuple[str, ...], object]:
    low = fmt.qmin if fmt.is_float else 0
    scale = Scale(low)
    patterns = [int(word) for word in words]
    numbers = [scale.of(fmt, word) for word in patterns]
    finite = [number for number in numbers if number is not None]
    unit = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
    total: object = sum(finite) if name in SUMS else tuple(sorted(finite)[:: 1 if name == "min" else -1][:1])
    plain = len(finite) == len(numbers)
    ones = patterns.count(unit)
    magnitudes = [abs(number) for number in finite]
    powers = all(number & (number - 1) == 0 and number for number in magnitudes)
    best = (max(finite) if name == "max" else min(finite)) if finite and name in ("min", "max") else None
    corner = best is not None and best in (numbers[0], numbers[-1]) and finite.count(best) == 1
    found = every(
        ("one-zero-among-ones", ones == len(patterns) - 1 and patterns.count(0) == 1),
        ("all-ones", ones == len(patterns)),
        ("distinct-powers", plain and powers and len(set(magnitudes)) == len(magnitudes)),
        ("all-negative", plain and max(finite, default=0) < 0),
        ("all-positive", plain and min(finite, default=0) > 0),
        ("extreme-at-corner", plain and corner),
    )
    if not fmt.is_float:
        return (*found, *_integers(fmt, name, finite)), total
    return (*found, *_floats(fmt, name, patterns, numbers), *_sums(fmt, name, finite, plain)), total


def _integers(fmt: Format, name: str, numbers: list[int]) -> tuple[str, ...]:
    inside = fmt.min_value <= sum(numbers) <= fmt.max_value
    return every(("integers-wrap", name in SUMS and not inside), ("all-exact", name in SUMS and inside))


def _floats(fmt: Format, name: str, patterns: list[int], numbers: list[int | None]) -> tuple[str, ...]:
    sign, top = fmt.sign_bit, fmt.infinity_magnitude
    nans = sum(word & (sign - 1) > top for word in patterns)
    return every(
        ("infinities-opposed", {top, top | sign} <= set(patterns)),
        ("nan-one", nans == 1 and name in ("min", "max")),
        ("zeros-of-both-signs", {0, sign} <= set(patterns)),
        ("all-minus-zero", set(patterns) == {sign}),
        ("subnormals", any(number and abs(number) < 1 << fmt.fraction_bits for number in numbers)),
    )


def _sums(fmt: Format, name: str, numbers: list[int], plain: bool) -> tuple[str, ...]:
    if name not in (*SUMS, "subtract") or not plain:
        return every(("all-exact", plain))
    used = [abs(number) for number in numbers if number]
    if not used:
        return ("all-exact",)
    largest = Lies(fmt, 0, fmt.qmin).largest
    least = min((number & -number).bit_length() - 1 for number in used)
    exact = sum(used).bit_length() - least <= fmt.precision and sum(used) <= largest
    above = sum(number for number in numbers if number > 0)
    below = -sum(number for number in numbers if number < 0)
    lies = Lies(fmt, sum(numbers), fmt.qmin)
    wide = fmt.name == "f16" and sum(used).bit_length() - least <= 24
    return every(
        ("all-exact", exact),
        ("inexact", not exact and not lies.overflow),
        ("overflow", lies.overflow),
        ("overflow-some-orders", max(above, below) > largest and not lies.overflow),
        ("f16-accumulates-wide", wide and not exact),
    )


LOOKS: dict[str, Look] = {"reduce-data": data}
"""Axis -> how its classes are seen."""
