"""What the text of 2025-09-19 has: operators, vectors of threads, sums of square matrices, arrays that convert."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import array_format, format_of
from mmaspec.oracle.numerics.ordinals import is_inf, is_nan, is_subnormal, magnitudes
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, Load, Matrix, MultiplyVector
from mmaspec.programs.hlsl_linalg.removed import (
    FromThreadVectors,
    GetThreadVector,
    Operate,
    SumAccumulate,
    Unary,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.declared import SCOPES, USES, oblong, short
from mmaspec.strategies.hlsl_linalg.observations.flow import destination, flow_of, origin
from mmaspec.strategies.hlsl_linalg.observations.memories import array_class
from mmaspec.strategies.hlsl_linalg.observations.numbers import factor_of, known_codes, number
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier


def _matrix(subject: Subject, thing: Thing) -> Matrix:
    found: Matrix = subject.program.matrix(thing.of.instruction.matrix)
    return found


def _scalar_kind(subject: Subject, thing: Thing) -> Answer:
    one: Operate = thing.of.instruction
    fmt = FORMATS[SCALARS[one.scalar]]
    if isinstance(one.value, Literal):
        codes = np.array([one.value.bits], np.uint64)
    else:
        values = subject.case.values.get(one.value.data or "")
        if values is None:
            return None
        codes = np.unique(values.ravel())
    found: set[str] = set()
    marks = {}
    if fmt.is_float:
        marks = {"nan": is_nan(fmt, codes), "infinity": is_inf(fmt, codes), "subnormal": is_subnormal(fmt, codes)}
        marks["largest"] = magnitudes(fmt, codes) == fmt.largest_magnitude
        found |= {name for name, mask in marks.items() if mask.any()}
        codes = codes[~np.logical_or.reduce([*marks.values()])]
    for value in {number(fmt, int(code)) for code in codes}:
        size = abs(value)
        if not value:
            found.add("zero")
        elif size == 1:
            found.add("one" if value > 0 else "minus-one")
        elif size.numerator & (size.numerator - 1) == 0 and size.denominator & (size.denominator - 1) == 0:
            found.add("power")
        else:
            found.add("positive" if value > 0 else "negative")
    return found or None


def _operator_waves(subject: Subject, thing: Thing) -> Answer:
    one: Operate = thing.of.instruction
    return "waves" if one.wave and subject.program.waves > 1 else "alike"


def _read_from(one: object) -> str:
    """The matrix of whose elements an instruction makes others."""
    return one.source if isinstance(one, Unary) else one.matrix  # type: ignore[attr-defined]


def _changed_data(subject: Subject, thing: Thing) -> Answer:
    held = subject.held(_read_from(thing.of.instruction), thing.of.place)
    return None if held is None else factor_of(held.fmt, known_codes(held)) or None


_FROM = {"array-load": "load", "accumulate": "product", "square-sum": "sum"}


def _changed_from(subject: Subject, thing: Thing) -> Answer:
    found = origin(flow_of(subject), _read_from(thing.of.instruction), thing.of)
    return None if found is None else _FROM.get(found, found)


_GOES = {"array-store": "store", "conversion": "cast"}


def _changed_goes(subject: Subject, thing: Thing) -> Answer:
    found = destination(flow_of(subject), thing.of.instruction.matrix, thing.of)
    return _GOES.get(found, found)


def _unary_place(subject: Subject, thing: Thing) -> Answer:
    one: Unary = thing.of.instruction
    if one.matrix == one.source:
        return "same"
    return "fresh" if flow_of(subject).gave(one.matrix, thing.of) is None else "other"


def _square_again(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    turns = [event.turn for event in (flow.gave(name, thing.of) for name in (one.a, one.b)) if event is not None]
    since = flow.events[max(turns, default=0) : thing.of.turn]
    return sum(isinstance(each.instruction, SumAccumulate) and bool(each.instruction.a == one.a) for each in since)


def _vectors(matrix: Matrix) -> int:
    return matrix.n if matrix.use == "A" else matrix.m


def _vector_length(subject: Subject, thing: Thing) -> Answer:
    matrix = _matrix(subject, thing)
    return matrix.m if matrix.use == "A" else matrix.n


def _surplus(subject: Subject, thing: Thing) -> Answer:
    matrix, program = _matrix(subject, thing), subject.program
    threads, taken = program.wave_size if matrix.scope == "Wave" else program.group, _vectors(matrix)
    if threads == taken:
        return "none"
    return "some" if threads < 2 * taken else "half" if threads == 2 * taken else "most"


def _vectors_there(subject: Subject, thing: Thing) -> Answer:
    one: GetThreadVector = thing.of.instruction
    start, lanes = one.index * subject.program.wave_size, subject.program.wave_size
    left = _vectors(_matrix(subject, thing)) - start
    if left <= 0:
        return "none"
    return ("later-" if one.index else "") + ("all" if left >= lanes else "some")


def _vector_from(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    found = origin(flow_of(subject), one.source if isinstance(one, FromThreadVectors) else one.matrix, thing.of)
    if found is None:
        return None
    return {"load": "load", "array-load": "load", "vectors": "vectors", "product": "product"}.get(found, "other")


_VECTOR_GOES = {"store": "store", "array-store": "store", "conversion": "cast", "factor": "factor",
                "vectors": "vectors", "operator": "changed", "unary": "changed", "overwritten": "overwritten",
                "nothing": "nothing"}  # fmt: skip


def _vector_goes(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    name = one.matrix if isinstance(one, FromThreadVectors) else one.vector
    return _VECTOR_GOES.get(destination(flow_of(subject), name, thing.of), "other")


def _row_from(subject: Subject, thing: Thing) -> Answer:
    found = origin(flow_of(subject), thing.of.instruction.matrix, thing.of)
    if found in ("operator", "unary"):
        return "changed"
    return found if found in ("load", "array-load", "splat", "cast", "vectors") else None


def _orientation(subject: Subject, thing: Thing) -> Answer:
    one: MultiplyVector = thing.of.instruction
    return "column" if subject.program.matrix(one.matrix).use == "A" else "row"


def _depth_kind(_: Subject, thing: Thing) -> Answer:
    matrix: Matrix = thing.of
    if matrix.use == "Accumulator":
        return "none"
    k = matrix.n if matrix.use == "A" else matrix.m
    return "other" if k & (k - 1) else "power"


def _array_converts(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    array = subject.program.array(one.memory)
    assert array is not None
    if subject.caps.revision == "later" and not isinstance(one, InterlockedAccumulate):
        return "no"
    held, own = array_format(array), format_of(_matrix(subject, thing).component)
    if held == own or not COMPONENTS[_matrix(subject, thing).component].native:
        return "no"
    source, target = (held, own) if isinstance(one, Load) else (own, held)
    words = {True: "float", False: "int"}
    return f"{words[source.is_float]}-to-{words[target.is_float]}"


def _outside(subject: Subject, thing: Thing) -> Answer:
    touch = flow_of(subject).of(thing.of)[0]
    size = next(one.size for one in subject.program.buffers if one.name == touch.memory)
    outside = touch.starts + touch.size > size
    found = set()
    for some in outside:
        count = int(some.sum())
        left = some.size - count
        if not count:
            found.add("inside")
        elif not left:
            found.add("outside")
        else:
            found.add("one-element" if count == 1 else "one-inside" if left == 1 else "some")
    return found or None


def _promise(subject: Subject, thing: Thing) -> Answer:
    if not is_earlier(subject.caps):
        return None
    align: int = thing.of.instruction.align
    if not align:
        return "default"
    return "to-four" if align <= 4 else "to-15" if align < 16 else "sixteen" if align < 128 else "more"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "operator": lambda _, thing: thing.of.instruction.op,
        "unary-operation": lambda _, thing: thing.of.instruction.op,
        "changed-component": lambda subject, thing: short(_matrix(subject, thing).component),
        "changed-use": lambda subject, thing: USES[_matrix(subject, thing).use],
        "changed-scope": lambda subject, thing: SCOPES[_matrix(subject, thing).scope],
        "changed-shape": lambda subject, thing: oblong(_matrix(subject, thing).m, _matrix(subject, thing).n),
        "operator-scalar": lambda _, thing: array_class(thing.of.instruction.scalar),
        "operator-value": lambda _, thing: "literal" if isinstance(thing.of.instruction.value, Literal) else "memory",
        "operator-scalar-kind": _scalar_kind,
        "operator-waves": _operator_waves,
        "changed-data": _changed_data,
        "changed-from": _changed_from,
        "changed-goes": _changed_goes,
        "unary-place": _unary_place,
        "square-side": lambda subject, thing: _matrix(subject, thing).m,
        "square-again": _square_again,
        "thread-vector-component": lambda subject, thing: short(_matrix(subject, thing).component),
        "thread-vector-use": lambda subject, thing: USES[_matrix(subject, thing).use],
        "thread-vector-scope": lambda subject, thing: SCOPES[_matrix(subject, thing).scope],
        "thread-vector-length": _vector_length,
        "surplus-threads": _surplus,
        "vector-index": lambda _, thing: thing.of.instruction.index,
        "vectors-there": _vectors_there,
        "thread-vector-from": _vector_from,
        "thread-vector-goes": _vector_goes,
        "row-scope": lambda subject, thing: SCOPES[_matrix(subject, thing).scope],
        "row-orientation": _orientation,
        "row-matrix-from": _row_from,
        "depth-kind": _depth_kind,
        "array-converts": _array_converts,
        "whole-or-none": _outside,
        "alignment-promise": _promise,
    }
)
"""Axis -> how it is seen in an operation of that text."""
