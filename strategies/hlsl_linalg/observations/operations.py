"""Casts, Splats and conversions of vectors; loops over single elements."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import format_of
from mmaspec.programs.base import Literal, at
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, scalars
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Beyond,
    Cast,
    ReadElements,
    Splat,
    WriteElements,
)
from mmaspec.programs.tree import passes
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.accesses import spread
from mmaspec.strategies.hlsl_linalg.observations.data import formats_converted
from mmaspec.strategies.hlsl_linalg.observations.declared import SCOPES, USES, oblong, short
from mmaspec.strategies.hlsl_linalg.observations.flow import destination, flow_of, origin, use_of
from mmaspec.strategies.hlsl_linalg.observations.memories import array_class
from mmaspec.strategies.hlsl_linalg.observations.numbers import ends


def _holds(wide: Format, narrow: Format) -> bool:
    if wide.is_float:
        return wide.precision >= narrow.precision and wide.qmin <= narrow.qmin and wide.emax >= narrow.emax
    (low, high), (least, most) = ends(wide), ends(narrow)
    return low <= least and high >= most


def _kind(subject: Subject, thing: Thing) -> Answer:
    source, target = formats_converted(subject.program, thing.of.instruction)
    if source == target:
        return "same"
    if source.is_float != target.is_float:
        return "float-to-int" if source.is_float else "int-to-float"
    if _holds(target, source):
        return "float-wider" if source.is_float else "int-wider"
    if source.is_float:
        return "float-narrower"
    found = {"int-sign"} if source.signed != target.signed else set()
    return found | ({"int-narrower"} if target.bits < source.bits else set()) or "int-sign"


def _cast_uses(subject: Subject, thing: Thing) -> Answer:
    one: Cast = thing.of.instruction
    source, target = (USES[subject.program.matrix(name).use] for name in (one.source, one.matrix))
    return f"same-{source}" if source == target else f"{source}-to-{target}"


def _transpose(subject: Subject, thing: Thing) -> Answer:
    one: Cast = thing.of.instruction
    source = subject.program.matrix(one.source)
    return "no" if not one.transpose else "square" if source.m == source.n else "oblong"


_ORIGINS = {"load": "load", "array-load": "load", "cast": "conversion", "convert": "conversion", "product": "product",
            "accumulate": "product"}  # fmt: skip


def _source_from(subject: Subject, thing: Thing) -> Answer:
    return _ORIGINS.get(origin(flow_of(subject), thing.of.instruction.source, thing.of) or "", "other")


_GOES = {"array-store": "store", "operand": "addend", "addition": "addend", "accumulate": "addend", "bias": "addend",
         "outer": "factor"}  # fmt: skip


def _goes(subject: Subject, thing: Thing) -> Answer:
    name = writes(thing.of.instruction)
    assert name is not None
    found = destination(flow_of(subject), name, thing.of)
    return _GOES.get(found, found)


def _source_after(subject: Subject, thing: Thing) -> Answer:
    flow, one = flow_of(subject), thing.of.instruction
    found: set[str] = set()
    changed = {one.source: False, one.matrix: False}
    for event in flow.events[thing.of.turn + 1 :]:
        used = reads(event.instruction)
        if one.source in used:
            found |= {"read"} if not changed[one.source] else set()
            found |= {"result-changed"} if changed[one.matrix] and not changed[one.source] else set()
        if one.matrix in used and changed[one.source] and not changed[one.matrix]:
            found.add("changed")
        target = writes(event.instruction)
        if target in changed:
            changed[target] = True
    return found or "nothing"


def _splat_use(subject: Subject, thing: Thing) -> Answer:
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    return f"{USES[matrix.use]}-{SCOPES[matrix.scope]}"


def _splat_lanes(subject: Subject, thing: Thing) -> Answer:
    one, program = thing.of.instruction, subject.program
    lanes, waves = bool(one.lane) and program.wave_size > 1, bool(one.wave) and program.waves > 1
    return "both" if lanes and waves else "lanes" if lanes else "waves" if waves else "nobody"


def _convert_length(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    source, target = (subject.program.vector(name) for name in (one.source, one.vector))
    before, after = (scalars(COMPONENTS[each.component], each.length) for each in (source, target))
    if before == after:
        return "alike"
    if after > before:
        return "unpacks"
    packed = COMPONENTS[target.component].packed
    return "packs" if before * COMPONENTS[source.component].packed % packed == 0 else "packs-part"


def _element_from(subject: Subject, thing: Thing) -> Answer:
    found = origin(flow_of(subject), thing.of.instruction.matrix, thing.of)
    words = {"load": "load", "array-load": "load", "splat": "splat", "cast": "cast", "elements": "set"}
    return None if found is None else words.get(found, "product")


def _element_goes(subject: Subject, thing: Thing) -> Answer:
    flow, name = flow_of(subject), thing.of.instruction.matrix
    after = flow.next_of(name, thing.of)
    if after is None:
        return "nothing"
    if isinstance(after.instruction, ReadElements):
        return "get"
    found = use_of(flow, name, after)
    return {"store": "store", "array-store": "store", "factor": "factor", "conversion": "cast"}.get(found, "other")


def _element_stride(subject: Subject, thing: Thing) -> Answer:
    one = thing.of.instruction
    matrix = subject.program.matrix(one.matrix)
    row = matrix.n * format_of(matrix.component).nbytes
    waves = range(subject.program.instances(matrix.scope))
    return {"none" if at(one.stride, wave, thing.of.place.loop) == row else "padded" for wave in waves}


def _element_places(subject: Subject, thing: Thing) -> Answer:
    touch = flow_of(subject).of(thing.of)[0]
    found = spread(touch.starts, touch.size)
    return found if found in ("one", "same") else "apart"


def _keep(_: Subject, thing: Thing) -> Answer:
    one: WriteElements = thing.of.instruction
    if not one.modulo:
        return "none"
    return "first" if not one.keep else "last" if one.keep == one.modulo - 1 else "between"


def _beyond_places(_: Subject, thing: Thing) -> Answer:
    one: Beyond = thing.of.instruction
    return "further" if at(one.offset, 0, thing.of.place.loop) else "zero"


def _counted(subject: Subject, thing: Thing) -> Answer:
    program, one = subject.program, thing.of.instruction
    found = set()
    if passes(program, thing.of.place) > 1 and at(one.offset, 0, 0) == at(one.offset, 0, 1):
        found.add("passes")
    if program.matrix(one.matrix).scope == "ThreadGroup":
        return found | {"group"}
    same = program.waves > 1 and at(one.offset, 0, 0) == at(one.offset, 1, 0)
    return found | {"waves" if same else "wave"}


def _of_matrix(name: str, word: str) -> Look:
    def look(subject: Subject, thing: Thing) -> Answer:
        matrix = subject.program.matrix(getattr(thing.of.instruction, name))
        return {"component": short(matrix.component), "use": USES[matrix.use], "scope": SCOPES[matrix.scope]}[word]

    return look


def _of_vector(name: str) -> Look:
    return lambda subject, thing: short(subject.program.vector(getattr(thing.of.instruction, name)).component)


def _shape(subject: Subject, thing: Thing) -> Answer:
    matrix = subject.program.matrix(thing.of.instruction.matrix)
    return oblong(matrix.m, matrix.n)


def _splat_before(subject: Subject, thing: Thing) -> Answer:
    one: Splat = thing.of.instruction
    return "nothing" if flow_of(subject).gave(one.matrix, thing.of) is None else "content"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "cast-from": _of_matrix("source", "component"),
        "cast-to": _of_matrix("matrix", "component"),
        "cast-uses": _cast_uses,
        "transpose": _transpose,
        "cast-scope": _of_matrix("matrix", "scope"),
        "conversion-kind": _kind,
        "conversion-source-from": _source_from,
        "conversion-goes": _goes,
        "source-after": _source_after,
        "splat-scalar": lambda _, thing: array_class(thing.of.instruction.scalar),
        "splat-component": _of_matrix("matrix", "component"),
        "splat-use": _splat_use,
        "splat-value": lambda _, thing: "literal" if isinstance(thing.of.instruction.value, Literal) else "memory",
        "splat-lanes": _splat_lanes,
        "splat-before": _splat_before,
        "convert-from": _of_vector("source"),
        "convert-to": _of_vector("vector"),
        "convert-length": _convert_length,
        "element-component": _of_matrix("matrix", "component"),
        "element-use": _of_matrix("matrix", "use"),
        "element-scope": _of_matrix("matrix", "scope"),
        "element-shape": _shape,
        "element-from": _element_from,
        "element-goes": _element_goes,
        "element-stride": _element_stride,
        "element-places": _element_places,
        "kept": lambda _, thing: thing.of.instruction.modulo,
        "keep": _keep,
        "past": lambda _, thing: thing.of.instruction.past,
        "beyond-value": lambda _, thing: "other" if thing.of.instruction.value else "zero",
        "beyond-places": _beyond_places,
        "counted": _counted,
        "product-scope": _of_matrix("matrix", "scope"),
        "total-component": _of_matrix("matrix", "component"),
        "added-component": _of_matrix("operand", "component"),
        "added-use": _of_matrix("operand", "use"),
    }
)
"""Axis -> how it is seen in an operation."""
