"""Classes of data: bits that are moved, numbers that are converted, factors, and results."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.oracle.numerics.ordinals import Bits
from mmaspec.programs.base import Literal
from mmaspec.programs.formats import FORMATS, Format
from mmaspec.programs.hlsl_linalg.components import SCALARS
from mmaspec.programs.hlsl_linalg.program import (
    Cast,
    Convert,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Splat,
    Store,
    VectorLoad,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.numbers import (
    bits_of,
    conversion_of,
    factor_of,
    known_codes,
    result_of,
)


def _moved(subject: Subject, thing: Thing) -> Answer:
    one, place = thing.of.instruction, thing.of.place
    if isinstance(one, Store | ReadElements):
        legal = subject.held(one.matrix, place)
    elif isinstance(one, Load | VectorLoad) or not hasattr(one, "vector"):
        step = subject.left_by(place)
        legal = None if step is None else step.legal
    else:
        legal = subject.held(one.vector, place)
    return None if legal is None else bits_of(legal.fmt, known_codes(legal))


def formats_converted(program: LinalgProgram, one: Any) -> tuple[Format, Format]:
    """The formats of source and target of a Cast, Splat or Convert."""
    if isinstance(one, Splat):
        return FORMATS[SCALARS[one.scalar]], format_of(program.matrix(one.matrix).component)
    if isinstance(one, Cast):
        return tuple(format_of(program.matrix(name).component) for name in (one.source, one.matrix))  # type: ignore[return-value]
    assert isinstance(one, Convert)
    return tuple(format_of(program.vector(name).component) for name in (one.source, one.vector))  # type: ignore[return-value]


def _converted(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    source, target = formats_converted(subject.program, one)
    if source == target:
        return None
    if not isinstance(one, Splat):
        return conversion_of(source, target, known_codes(subject.held(one.source, thing.of.place)))
    if isinstance(one.value, Literal):
        return conversion_of(source, target, _array(one.value.bits))
    values = subject.case.values.get(one.value.data or "")
    return None if values is None else conversion_of(source, target, values.ravel())


def _array(bits: int) -> Bits:
    return np.array([bits], np.uint64)


def _factors(one: Any) -> tuple[str, ...]:
    match one:
        case Multiply(a=a, b=b) | MultiplyAccumulate(a=a, b=b):
            return a, b
        case MultiplyVector(matrix=matrix, source=source):
            return matrix, source
        case OuterProduct(column=column, row=row):
            return column, row
        case _:
            return ()


def _product_data(subject: Subject, thing: Thing) -> Answer:
    found: set[str] = set()
    for name in _factors(thing.of.instruction):
        held = subject.held(name, thing.of.place)
        if held is not None:
            found |= factor_of(held.fmt, known_codes(held))
    return found or None


def _sum_result(subject: Subject, thing: Thing) -> Answer:
    step = subject.left_by(thing.of.place)
    return None if step is None else result_of(step.legal)


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "moved-bits": _moved,
        "conversion-data": _converted,
        "product-data": _product_data,
        "sum-result": _sum_result,
    }
)
"""Axis -> how it is seen in the data."""
