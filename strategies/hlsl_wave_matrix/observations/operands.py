"""Where the operands of an operation come from, where its result goes, and what types and shapes meet in it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaSupport
from mmaspec.programs.hlsl_wave_matrix.program import (
    Fill,
    Load,
    Matrix,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import view
from mmaspec.strategies.hlsl_wave_matrix.observations.contents import load_finds
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Event, destination, flow_of, origin
from mmaspec.strategies.hlsl_wave_matrix.observations.strides import shape_of

Product = Multiply | MultiplyAccumulate
RESULTS = {"own-store", "other-store", "part-stored"}
"""What a Load finds where results were stored."""


def factor_of(program: WaveMatrixProgram, event: Event, kind: str) -> Matrix | None:
    """The Left or Right of a product or a sum; None for a sum of the other one."""
    one = event.instruction
    names = (
        (one.left, one.right) if isinstance(one, Product) else (one.operand,) if isinstance(one, SumAccumulate) else ()
    )
    return next((matrix for matrix in map(program.matrix, names) if matrix.kind == kind), None)


def _from(kind: str) -> Look:
    def look(subject: Subject, thing: Thing) -> Answer:
        flow = flow_of(subject)
        matrix = factor_of(subject.program, thing.of, kind)
        if matrix is None:
            return f"no-{kind}"
        gave = flow.gave(matrix.name, thing.of)
        if gave is not None and isinstance(gave.instruction, Load):
            load = Thing("", view(subject.program, gave, 0), gave.place)
            found = load_finds(subject, load)
            if isinstance(found, str | set) and RESULTS & ({found} if isinstance(found, str) else set(found)):
                return "result"
        return origin(flow, gave)

    return look


def _object_from(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    return origin(flow, flow.gave(thing.of.instruction.matrix, thing.of))


def _result_goes(subject: Subject, thing: Thing) -> Answer:
    return destination(flow_of(subject), thing.of.instruction.matrix, thing.of)


def shaped(subject: Subject, thing: Thing) -> Matrix | WaveMmaSupport:
    """What has the K of a thing, if it has one: an operand of a product or sum, a matrix, an answer of the query."""
    if isinstance(thing.of, WaveMmaSupport):
        return thing.of
    one = thing.of.instruction
    if isinstance(one, MatrixDepth):
        matrix: Matrix = subject.program.matrix(one.matrix)
        return matrix
    found = factor_of(subject.program, thing.of, "left") or factor_of(subject.program, thing.of, "right")
    assert found is not None
    return found


def _against(subject: Subject, thing: Thing) -> Answer:
    has = shaped(subject, thing)
    k, m, n = has.k, has.m, has.n
    if k in (m, n):
        return "equal-both" if m == n else "equal-m" if k == m else "equal-n"
    return "above-both" if k > max(m, n) else "below-both" if k < min(m, n) else "between"


def _shape(subject: Subject, thing: Thing) -> Answer:
    return shape_of(subject.program.matrix(thing.of.instruction.matrix))


def types_of(subject: Subject, thing: Thing) -> Answer:
    """Types of operand and object of a product or sum of floats."""
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    operand = shaped(subject, thing)
    assert isinstance(operand, Matrix)
    return f"{operand.element}-to-{matrix.element}"


def _signs(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    return f"{subject.program.matrix(one.left).element}-{subject.program.matrix(one.right).element}"


def _operands_memory(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    gave = [flow.gave(name, thing.of) for name in (one.left, one.right)]
    loads = [event for event in gave if event is not None and isinstance(event.instruction, Load)]
    if len(loads) < len(gave):
        return "filled"
    first, second = (view(subject.program, event, 0) for event in loads)
    if first.shared != second.shared:
        return "buffer-and-array"
    if first.instruction.buffer != second.instruction.buffer:
        return "two-memories"
    ours, theirs = set(first.touched.tolist()), set(second.touched.tolist())
    if ours == theirs:
        return "same-bytes"
    return "overlapping" if ours & theirs else "one-apart"


def _element(subject: Subject, thing: Thing) -> Answer:
    element: str = subject.program.matrix(thing.of.instruction.matrix).element
    return element


def _kind(subject: Subject, thing: Thing) -> Answer:
    kind: str = subject.program.matrix(thing.of.instruction.matrix).kind
    return kind


def _operand(subject: Subject, thing: Thing) -> Matrix:
    operand: Matrix = subject.program.matrix(thing.of.instruction.operand)
    return operand


def _cast(subject: Subject, thing: Thing) -> Answer:
    before, after = _operand(subject, thing).element, subject.program.matrix(thing.of.instruction.matrix).element
    return f"{before}-{after}" if before == after else f"{before}-to-{after}"


def _addend_from(subject: Subject, thing: Thing) -> Answer:
    flow = flow_of(subject)
    return origin(flow, flow.gave(thing.of.instruction.operand, thing.of))


def _method(_: Subject, thing: Thing) -> Answer:
    return "multiply" if isinstance(thing.of.instruction, Multiply) else "multiply-accumulate"


def _scalar_op(_: Subject, thing: Thing) -> Answer:
    return tag_of(thing.of.instruction).removeprefix("scalar-")


def tag_of(instruction: object) -> str:
    """The name of a method in program files."""
    return str(type(instruction).__struct_config__.tag)  # type: ignore[attr-defined]


def _fill_repeats(subject: Subject, thing: Thing) -> Answer:
    flow, fill = flow_of(subject), thing.of.instruction
    others = [
        (place, one) for place, one, _ in walk(subject.program) if isinstance(one, Fill) and place.path != thing.of.path
    ]
    found: set[str] = set()
    for place, one in others:
        if one.matrix == fill.matrix:
            first = min((flow.at(place), flow.at(Place(thing.of.path))), key=lambda event: event.turn)
            used = any(True for _ in flow.uses_until_changed(one.matrix, first))
            found.add("used-between" if used else "same-value" if one.value == fill.value else "other-value")
        elif one.value == fill.value:
            found.add("several-objects")
    if len(thing.of.path) > 1 and subject.program.body[thing.of.path[0]].count > 1:
        found.add("each-pass")
    return found or "none"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "left-from": _from("left"),
        "right-from": _from("right"),
        "object-from": _object_from,
        "result-goes": _result_goes,
        "row-k": lambda subject, thing: shaped(subject, thing).k,
        "k-against-m-n": _against,
        "product-method": _method,
        "product-shape": _shape,
        "float-product-types": types_of,
        "float-sum-types": types_of,
        "product-signs": _signs,
        "product-operands-memory": _operands_memory,
        "sum-side": lambda subject, thing: _operand(subject, thing).kind,
        "sum-sign": lambda subject, thing: _operand(subject, thing).element,
        "addend-kind": lambda subject, thing: _operand(subject, thing).kind,
        "addend-from": _addend_from,
        "cast-to-float": _cast,
        "cast-to-integer": _cast,
        "scalar-op": _scalar_op,
        "scalar-kind": _kind,
        "scalar-element": _element,
        "fill-kind": _kind,
        "fill-element": _element,
        "fill-repeats": _fill_repeats,
    }
)
"""Axis -> how it is seen in an operation."""
