"""The axes of per-element functions."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.nv_coopmat2.validity.operations import type_of
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.program import PerElement
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, anywhere, every, facts, first
from mmaspec.strategies.nv_coopmat2.observations.operand_data import operand_bits
from mmaspec.strategies.nv_coopmat2.observations.values import Lies, Scale

PLACES = {"uint32_t": "uint32", "int32_t": "int32", "uint16_t": "uint16"}


def extras(subject: Subject, thing: Thing) -> Answer:
    """The extras of the call."""
    known, call = facts(subject), thing.of
    wanted, given = len(call.function.extras), call.extras
    if len(given) != wanted:
        return "too-few" if len(given) < wanted else "too-many"
    names = [extra for extra in given if isinstance(extra, str)]
    source = known.matrix(call.matrix)
    if any(type_of(known.matrix(name)) != type_of(source) for name in names):
        return "matrix-other-type"
    kinds = "".join("m" if isinstance(extra, str) else "s" for extra in given)
    typed = any(
        kind not in (None, source.component) and not isinstance(extra, str)
        for extra, kind in zip(given, call.function.extras, strict=True)
    )
    return every(
        ("none", not kinds),
        ("one-scalar", kinds == "s"),
        ("one-matrix", kinds == "m"),
        ("scalar-matrix", kinds == "sm"),
        ("matrix-scalar", kinds == "ms"),
        ("two-matrices", kinds == "mm" and len(set(names)) == 2),
        ("same-matrix", call.matrix in names or len(set(names)) < len(names)),
        ("two-scalars", kinds == "ss"),
        ("scalar-other-type", typed),
        ("three", len(kinds) > 2),
    )


def parameter(_: Facts, call: PerElement) -> Answer:
    """Type of the function's third parameter."""
    return call.function.element or "matrix"


def extra_parameter(known: Facts, call: PerElement) -> Answer:
    """Type of a parameter for an extra."""
    component = known.matrix(call.matrix).component
    found: set[str] = set()
    for number, kind in enumerate(call.function.extras):
        given = call.extras[number] if number < len(call.extras) else None
        own = known.matrix(given).component if isinstance(given, str) else component
        found |= set(every((kind or own, True), ("unlike-extra", kind not in (None, own))))
    return found or "none"


def returns(_: Facts, call: PerElement) -> Answer:
    """Return type of the function."""
    return call.function.returns or "matrix"


def place_type(_: Facts, call: PerElement) -> Answer:
    """Type of row and column."""
    return PLACES[call.function.place]


def place_value(subject: Subject, thing: Thing) -> Answer:
    """Rows and columns that the function sees."""
    matrix = facts(subject).matrix(thing.of.matrix)
    fmt = format_named(matrix.component)
    top = max(matrix.rows, matrix.cols) - 1
    last = (matrix.rows - 1) * 256 + matrix.cols - 1
    exact = last <= (fmt.max_value if not fmt.is_float else (1 << fmt.precision))
    return every(
        ("small", True),
        ("between-pieces", top >= 16),
        ("beyond-eight-bits", top >= 256),
        ("place-beyond-component", thing.of.function.name == "place" and not exact),
        ("diagonal", thing.of.function.name == "triangle"),
    )


def result(subject: Subject, thing: Thing) -> Answer:
    """The result's type against the source's."""
    known = facts(subject)
    old, new = known.matrix(thing.of.matrix), known.matrix(thing.of.result)
    return first(
        ("other-component", old.component != new.component),
        ("other-use", old.use != new.use),
        ("other-shape", (old.rows, old.cols) != (new.rows, new.cols)),
        ("other-scope", old.scope != new.scope),
        ("same", True),
    )


def data(subject: Subject, thing: Thing) -> Answer:
    """Elements and extras."""
    call: PerElement = thing.of
    operands = list(operand_bits(subject, thing))
    if not operands:
        return None
    minus = any(fmt.is_float and bool((bits == fmt.sign_bit).any()) for fmt, bits in operands)
    name = call.function.name
    picks = name in ("triangle", "select")
    chosen, dropped = _specials(subject, thing) if picks else (False, False)
    found = every(
        ("special-chosen", chosen),
        ("special-not-chosen", dropped),
        ("minus-zero", minus and picks),
    )
    return (*found, *_sums(subject, thing)) if name == "add" else found


def _specials(subject: Subject, thing: Thing) -> tuple[bool, bool]:
    """Whether infinities or NaN stand in matrices where the function takes them, and where it does not."""
    call: PerElement = thing.of
    assert thing.place is not None
    chosen = dropped = False
    for number, name in enumerate((call.matrix, *call.extras)):
        held = subject.held(name, thing.place) if isinstance(name, str) else None
        if held is None or not held.fmt.is_float:
            continue
        row, col = np.indices(held.shape[-2:])
        own = col <= row if call.function.name == "triangle" else (row + col) % 2 == 0
        kept = own if number == 0 else ~own
        special = (held.nan | (np.abs(held.lo) == held.fmt.max_ordinal)) & (held.why == 0)
        chosen, dropped = chosen or bool((special & kept).any()), dropped or bool((special & ~kept).any())
    return chosen, dropped


def _sums(subject: Subject, thing: Thing) -> tuple[str, ...]:
    """What the sums of elements and extras show, by the largest and least numbers of each."""
    operands = list(operand_bits(subject, thing))
    fmt = operands[0][0]
    scale = Scale(fmt.qmin if fmt.is_float else 0)
    numbers = [[scale.of(kind, int(word)) for word in bits[:2048]] for kind, bits in operands if kind == fmt]
    finite = [[number for number in some if number is not None] for some in numbers]
    finite = [some for some in finite if some]
    if len(finite) < 2:
        return ()
    top, low = sum(map(max, finite)), sum(map(min, finite))
    ends = (Lies(fmt, 0, scale.unit).largest, None) if fmt.is_float else (fmt.max_value, fmt.min_value)
    over = top > ends[0] or low < (-ends[0] if ends[1] is None else ends[1])
    pairs = [(a, b) for a in finite[0][:64] for b in finite[1][:64]]
    exact = not fmt.is_float or any(Lies(fmt, a + b, scale.unit).exact for a, b in pairs)
    cancels = len(finite) > 2 and any(-a in set(finite[2]) and abs(a) > 1 << 12 for a in finite[1])
    return every(("exact", exact), ("overflow", over), ("extras-in-order", fmt.is_float and cancels))


LOOKS: dict[str, Look] = {
    "element-function": lambda _, thing: str(thing.of.function.name),
    "element-extras": extras,
    "element-parameter": anywhere(PerElement, ("matrix",), parameter),
    "element-extra-parameter": anywhere(PerElement, ("none",), extra_parameter),
    "element-returns": anywhere(PerElement, ("matrix",), returns),
    "element-place-type": anywhere(PerElement, ("uint32",), place_type),
    "element-place-value": place_value,
    "element-result": result,
    "element-data": data,
}
"""Axis -> how its class is seen."""
