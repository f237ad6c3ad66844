"""What additions and operations with scalars give, element by element."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_wave_matrix.program import ScalarAdd, ScalarMultiply, ScalarSubtract
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.elements.casts import (
    cast,
    from_integer_names,
    integer_quotient_names,
    integer_result_names,
    integer_sum_names,
    to_half_names,
    to_integer_names,
    truncated,
)
from mmaspec.strategies.hlsl_wave_matrix.observations.elements.float_elements import (
    addition_names,
    nan,
    operation_names,
    quotient_names,
    whole,
)
from mmaspec.strategies.hlsl_wave_matrix.observations.elements.pairs_of_elements import pairs_of
from mmaspec.strategies.hlsl_wave_matrix.observations.exact import rounded, spot, unit
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import flow_of
from mmaspec.strategies.hlsl_wave_matrix.observations.operands import tag_of
from mmaspec.strategies.hlsl_wave_matrix.observations.scalars import own_codes

S32 = FORMATS["s32"]


def _float_sums(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    fmt, other, codes = pairs
    found: set[str] = set()
    for code, addend in codes:
        size = cast(fmt, other, addend)
        is_nan = other.is_float and nan(other, addend)
        sign = int(bool(addend & other.sign_bit))
        found.update(addition_names(fmt, code, size, sign, is_nan))
    return found


def _to_half(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    fmt, other, codes = pairs
    if (other.name, fmt.name) != ("f32", "f16"):
        return "none"
    return {name for code, addend in codes for name in to_half_names(code, addend)}


def _from_integer(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    fmt, other, codes = pairs
    if other.is_float:
        return "none"
    return {name for code, addend in codes for name in from_integer_names(fmt, code, addend)}


def _to_integer(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    _, other, codes = pairs
    if not other.is_float:
        return "none"
    return {name for _, addend in codes for name in to_integer_names(other, addend)}


def _integers(code: int) -> int:
    value = whole(S32, code)
    assert value is not None
    return value


def _integer_sums(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    _, other, codes = pairs
    sums = ((_integers(code), truncated(other, addend)) for code, addend in codes)
    return {name for element, addend in sums if addend is not None for name in integer_sum_names(element, addend)}


def _op(thing: Thing) -> str:
    return tag_of(thing.of.instruction).removeprefix("scalar-")


def _float_results(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    fmt, _, codes = pairs
    found = {name for code, scalar in codes for name in operation_names(_op(thing), fmt, code, scalar)}
    return found | set(_contracted(subject, thing))


def _contracted(subject: Subject, thing: Thing) -> Iterator[str]:
    """Whether a product and the sum that follows give another result where they are rounded once."""
    flow, one = flow_of(subject), thing.of.instruction
    after = flow.next_of(one.matrix, thing.of)
    if (
        not isinstance(one, ScalarMultiply)
        or after is None
        or not isinstance(after.instruction, ScalarAdd | ScalarSubtract)
    ):
        return
    pairs = pairs_of(subject, thing.of.place, one)
    addends = own_codes(subject, Thing("", after, after.place))
    if pairs is None:
        return
    fmt, _, codes = pairs
    exponent = 2 * unit(fmt)
    for code, scalar in codes:
        for addend in {int(each) for each in addends[:4]}:
            numbers = [whole(fmt, each) for each in (code, scalar, addend)]
            if None in numbers:
                continue
            element, value, term = (number or 0 for number in numbers)
            term <<= -unit(fmt)
            term = -term if isinstance(after.instruction, ScalarSubtract) else term
            product = element * value
            if spot(fmt, product, exponent).overflows:
                continue
            twice = rounded(fmt, rounded(fmt, product, exponent) + term, exponent)
            if twice != rounded(fmt, product + term, exponent):
                yield "contracted-differs"
                return


def _float_quotients(subject: Subject, thing: Thing) -> Answer:
    if _op(thing) != "divide":
        return "no-division"
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    return None if pairs is None else {name for code, by in pairs[2] for name in quotient_names(pairs[0], code, by)}


def _integer_results(subject: Subject, thing: Thing) -> Answer:
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    numbers = ((_integers(code), _integers(scalar)) for code, scalar in pairs[2])
    return {name for element, value in numbers for name in integer_result_names(_op(thing), element, value)}


def _integer_quotients(subject: Subject, thing: Thing) -> Answer:
    if _op(thing) != "divide":
        return "no-division"
    pairs = pairs_of(subject, thing.of.place, thing.of.instruction)
    if pairs is None:
        return None
    numbers = ((_integers(code), _integers(scalar)) for code, scalar in pairs[2])
    return {name for element, value in numbers for name in integer_quotient_names(element, value)}


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "float-add-value": _float_sums,
        "cast-float-to-half": _to_half,
        "cast-integer-to-float": _from_integer,
        "cast-float-to-integer": _to_integer,
        "integer-add-value": _integer_sums,
        "float-scalar-result": _float_results,
        "float-quotient": _float_quotients,
        "integer-scalar-result": _integer_results,
        "integer-quotient": _integer_quotients,
    }
)
"""Axis -> how it is seen in an addition or an operation with a scalar."""
