"""The rows of the caps on which a program relies, and the waves that run it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.wave_sizes import any_lanes, listing, of_factors, wave_size
from mmaspec.programs.hlsl_wave_matrix.caps import (
    DATATYPES,
    DIMENSIONS,
    PRECISION_16,
    PRECISION_32,
    WaveMmaCaps,
    WaveMmaSupport,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing

SIZES = {4: "four", 8: "eight", 16: "sixteen", 32: "thirty-two", 64: "sixty-four", 128: "one-hundred-twenty-eight"}


@lru_cache(maxsize=4)
def rows_used(subject: Subject) -> tuple[WaveMmaSupport, ...]:
    """The rows of a program's Left and Right matrices; where it has none, those that list its other matrices."""
    found = of_factors(subject.program, subject.caps) or tuple(
        row for matrix in subject.program.matrices for row in listing(matrix, subject.caps)
    )
    return tuple(dict.fromkeys(found))


def _precision(_: Subject, thing: Thing) -> Answer:
    return {PRECISION_16: "only-16", PRECISION_32: "only-32"}.get(thing.of.accum_precision, "both")


def _required(subject: Subject, thing: Thing) -> Answer:
    low, *_, high = (*sorted(any_lanes(subject.caps)), max(any_lanes(subject.caps)))
    size = thing.of.required_wave_size
    if low == high:
        return "the-only" if size else "any-one-size-range"
    return {0: "any-wide-range", low: "lowest", high: "highest"}.get(size, "inside")


def _support(subject: Subject, _: Thing) -> Answer:
    caps: WaveMmaCaps = subject.caps
    refused = [row for row in caps.support if not row.supported]
    garbage = [row for row in refused if row.k or row.accum_precision or row.required_wave_size]
    if refused:
        return {"false-with-garbage"} if garbage else {"some-false"}
    said = {(row.datatype, row.m, row.n) for row in caps.support}
    every = {(datatype, m, n) for datatype in DATATYPES.values() for m in DIMENSIONS for n in DIMENSIONS}
    return "all-rows" if every <= said else "some-missing"


def _k_across(subject: Subject, _: Thing) -> Answer:
    by_type: dict[str, dict[tuple[int, int], int]] = defaultdict(dict)
    for row in subject.caps.support:
        if row.supported:
            by_type[row.datatype][row.m, row.n] = row.k
    if len({k for shapes in by_type.values() for k in shapes.values()}) == 1:
        return "same-everywhere"
    if all(len(set(shapes.values())) == 1 for shapes in by_type.values()):
        return "by-datatype"
    oblong = [(shapes.get((16, 64)), shapes.get((64, 16))) for shapes in by_type.values()]
    differ = any(wide is not None and tall is not None and wide != tall for wide, tall in oblong)
    return "m-n-differ" if differ else "by-shape"


def _rows_used(subject: Subject, _: Thing) -> Answer:
    rows = rows_used(subject)
    if len(rows) < 2:
        return "one" if rows else None
    if len({bool(row.required_wave_size) for row in rows}) > 1:
        return "required-sizes-mixed"
    datatypes, shapes = {row.datatype for row in rows}, {(row.m, row.n) for row in rows}
    if len(datatypes) == 1:
        return "one-datatype"
    return "one-shape" if len(shapes) == 1 else "mixed"


def _wave_size(subject: Subject, _: Thing) -> Answer:
    size = subject.program.wave_size
    return SIZES.get(size) if size else "unsaid"


def _choice(subject: Subject, _: Thing) -> Answer:
    required = {bool(row.required_wave_size) for row in rows_used(subject)}
    if required == {True}:
        return "forced"
    if len(required) == 2:
        return "forced-beside-free"
    sizes = sorted(any_lanes(subject.caps))
    lanes = wave_size(subject.program, subject.caps)
    return "lowest" if lanes == sizes[0] else "highest" if lanes == sizes[-1] else "inside"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "datatype": lambda _, thing: thing.of.datatype,
        "row-shape": lambda _, thing: f"m{thing.of.m}-n{thing.of.n}",
        "accum-precision": _precision,
        "required-wave-size": _required,
        "support": _support,
        "k-across-rows": _k_across,
        "rows-used": _rows_used,
        "wave-size": _wave_size,
        "wave-size-choice": _choice,
        "waves": lambda subject, _: subject.program.waves,
        "threads": lambda subject, _: subject.program.threads,
    }
)
"""Axis -> how it is seen in a row of the caps, or in a program and its device."""
