"""The axes of scalar operands, and of the operators that take them."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.nv_coopmat2.validity.operations import type_of
from mmaspec.programs.base import Literal, Scalar
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import scalars
from mmaspec.programs.nv_coopmat2.program import EachComponent, Splat
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.operand_data import nonzero, scalar_bits
from mmaspec.strategies.nv_coopmat2.observations.operations.arithmetic_data import outcomes
from mmaspec.strategies.nv_coopmat2.observations.things import Operand

OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "divide"}


def component_value(subject: Subject, thing: Thing) -> Answer:
    """The scalar of a loop over components or of an operator, and what it does to components."""
    given = list(scalars(thing.of))
    if not given:
        return None
    name, scalar = given[0]
    fmt = format_named(facts(subject).matrix(name).component)
    bits = scalar_bits(subject, scalar, fmt)
    if bits is None:
        return None
    multiplies = thing.of.function == "multiply" if isinstance(thing.of, EachComponent) else thing.of.op == "*"
    one = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
    zeros = ~nonzero(fmt, bits)
    minus = one | fmt.sign_bit if fmt.is_float else fmt.mask
    special = fmt.is_float and bool(((bits & (fmt.sign_bit - 1)) > fmt.largest_magnitude).any())
    limit = (fmt.bias + 8) << fmt.fraction_bits if fmt.is_float else 128
    magnitude = bits & (fmt.sign_bit - 1) if fmt.is_float else bits
    return every(
        ("neutral", (bits == one).any() if multiplies else zeros.any()),
        ("small", ((magnitude < limit) & ~zeros & (bits != minus)).any()),
        ("special", special),
        ("zero-times", multiplies and zeros.any()),
        ("minus-one", (bits == minus).any()),
        ("wraps", _wraps(subject, thing)),
    )


def _wraps(subject: Subject, thing: Thing) -> bool:
    names = outcomes(subject, thing)
    return bool(names & {"overflow", "wraps-above", "wraps-below", "wide-product"})


def form(subject: Subject, thing: Thing) -> Answer:
    """Where scalar operands come from."""
    known = facts(subject)
    mine = [thing.of.value] if isinstance(thing.of, Operand) else [value for _, value in scalars(thing.of)]
    whole = [value for one in known.text for _, value in scalars(one.instruction)]
    return {name for value in mine for name in _form(known, value, whole)}


def _form(known: Facts, value: Scalar, whole: list[Scalar]) -> tuple[str, ...]:
    if isinstance(value, Literal):
        return ("literal",)
    stores = {one.buffer for one in known.stores}
    return every(
        ("from-buffer", value.offset % 4 == 0),
        ("from-buffer-unaligned", value.offset % 4),
        ("from-stored", value.data is None and value.buffer in stores),
        ("shared-scalar", whole.count(value) > 1),
    )


def splat(subject: Subject, thing: Thing) -> Answer:
    """The value that every component takes."""
    one: Splat = thing.of
    fmt = format_named(facts(subject).matrix(one.matrix).component)
    bits = scalar_bits(subject, one.value, fmt)
    if bits is None:
        return None
    top = fmt.sign_bit if fmt.is_float else 0
    unit = fmt.bias << fmt.fraction_bits if fmt.is_float else 1
    magnitude = bits & np.uint64(fmt.sign_bit - 1) if fmt.is_float else bits
    least = 1 << fmt.fraction_bits
    largest = fmt.largest_magnitude if fmt.is_float else fmt.max_value
    minus = unit | top if fmt.is_float else fmt.mask
    infinity = fmt.infinity_magnitude if fmt.is_float else fmt.mask + 1
    each = [set(int(word).to_bytes(fmt.nbytes, "little")) for word in bits]
    return every(
        ("zero", (bits == 0).any()),
        ("minus-zero", fmt.is_float and (bits == top).any()),
        ("one", (bits == unit).any()),
        ("minus-one", (bits == minus).any() and fmt.signed),
        ("least", fmt.signed and not fmt.is_float and (bits == fmt.sign_bit).any()),
        ("largest", (magnitude == largest).any()),
        ("subnormal", fmt.is_float and ((magnitude > 0) & (magnitude < least)).any()),
        ("infinity", (magnitude == infinity).any()),
        ("nan", (magnitude > infinity).any()),
        ("all-bytes-differ", fmt.nbytes > 1 and any(len(one) == fmt.nbytes for one in each)),
        ("high-bit", not fmt.signed and (bits >> (fmt.bits - 1) > 0).any()),
    )


def right(subject: Subject, thing: Thing) -> Answer:
    """What the right operand of an operator is."""
    known, one = facts(subject), thing.of
    assert thing.place is not None
    if not isinstance(one.right, str):
        return every(
            ("scalar-not-times", one.op != "*"),
            ("scalar-before", one.op == "*" and one.scalar_first),
            ("scalar-after", one.op == "*" and not one.scalar_first),
        )
    splats = any(isinstance(at.instruction, Splat) for at in known.makers(one.right, thing.place))
    names = (one.left, one.right, one.result)
    return every(
        ("itself", one.right == one.left),
        ("splat", splats),
        ("other-type", len({type_of(known.matrix(name)) for name in names}) > 1),
        ("matrix", one.right != one.left and not splats),
    )


LOOKS: dict[str, Look] = {
    "scalar-form": form,
    "splat-value": splat,
    "each-component-value": component_value,
    "each-component-function": lambda _, thing: str(thing.of.function),
    "operator": lambda _, thing: OPERATORS[thing.of.op],
    "right-operand": right,
}
"""Axis -> how its class is seen."""
