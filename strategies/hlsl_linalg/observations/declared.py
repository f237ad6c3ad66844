"""Matrices and vectors as they are declared, and the answer of the device that a case is about."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.hlsl_linalg.caps_report import types_of
from mmaspec.programs.hlsl_linalg.caps import AtomicSum, MatrixProduct, VectorProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import Beyond, Convert, Matrix, MultiplyVector, Vector, VectorLoad
from mmaspec.programs.hlsl_linalg.removed import GetThreadVector
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import flow_of, use_of

USES = {"A": "a", "B": "b", "Accumulator": "accumulator"}
"""Use -> class."""
SCOPES = {"Thread": "thread", "Wave": "wave", "ThreadGroup": "group"}
"""Scope -> class."""
LAYOUTS = {
    "RowMajor": "row-major",
    "ColMajor": "col-major",
    "MulOptimal": "mul",
    "MulOptimalTranspose": "mul-transposed",
    "OuterProductOptimal": "outer",
    "OuterProductOptimalTranspose": "outer-transposed",
}
"""Layout -> class."""


def short(component: str) -> str:
    """The class of a component type."""
    return COMPONENTS[component].format.name


def oblong(m: int, n: int) -> str:
    """Rows against columns."""
    return "square" if m == n else "tall" if m > n else "wide"


def _written(subject: Subject, thing: Thing) -> Answer:
    found = [
        (passes, one)
        for _, one, passes in walk(subject.program)
        if writes(one) == thing.of.name and not isinstance(one, Beyond)
    ]
    if len(found) != 1:
        return "again" if found else "never"
    return "in-loop" if found[0][0] > 1 else "once"


def _read_by(subject: Subject, thing: Thing) -> Answer:
    return sum(thing.of.name in reads(one) for _, one, _ in walk(subject.program))


def _last_word(_: Subject, thing: Thing) -> Answer:
    vector: Vector = thing.of
    packed = COMPONENTS[vector.component].packed
    left = vector.length % packed
    return "native" if packed == 1 else "full" if not left else "one" if left == 1 else "part"


_WRITES: dict[type, str] = {
    VectorLoad: "load",
    Convert: "convert",
    MultiplyVector: "product",
    GetThreadVector: "vectors",
}


def _vector_written(subject: Subject, thing: Thing) -> Answer:
    found = {
        _WRITES[type(one)]
        for _, one, _ in walk(subject.program)
        if type(one) in _WRITES and writes(one) == thing.of.name
    }
    return "several" if len(found) > 1 else next(iter(found), None)


_READS = {"conversion": "convert", "factor": "product"}


def _vector_read(subject: Subject, thing: Thing) -> Answer:
    flow, name = flow_of(subject), thing.of.name
    uses = {use_of(flow, name, event) for event in flow.events if name in reads(event.instruction)}
    # A product may have a vector as column and bias at once: the bias shows as well.
    biases = {"bias" for event in flow.events if getattr(event.instruction, "bias", None) == name}
    return {_READS.get(use, use) for use in uses - {"overwritten"}} | biases or "nothing"


def _matrix(look: Any) -> Look:
    def seen(_: Subject, thing: Thing) -> Answer:
        matrix: Matrix = thing.of
        answer: Answer = look(matrix)
        return answer

    return seen


def _emulated(_: Subject, thing: Thing) -> Answer:
    answer = thing.of.answer
    found = {"inputs"} if getattr(answer, "emulated_inputs", False) else set()
    return found | ({"outputs"} if getattr(answer, "emulated_outputs", False) else set()) or "nothing"


def _shapes(_: Subject, thing: Thing) -> Answer:
    answer = thing.of.answer
    return len(answer.shapes) if isinstance(answer, MatrixProduct) else None


def _sums_into(_: Subject, thing: Thing) -> Answer:
    answer = thing.of.answer
    if not isinstance(answer, AtomicSum):
        return None
    return "both" if answer.buffers and answer.arrays else "buffers" if answer.buffers else "arrays"


def _transposes(_: Subject, thing: Thing) -> Answer:
    answer = thing.of.answer
    return ("yes" if answer.transpose else "no") if isinstance(answer, VectorProduct) else None


def _optimal_known(subject: Subject, thing: Thing) -> Answer:
    answer = thing.of.answer
    if not isinstance(answer, VectorProduct):
        return None
    return {LAYOUTS[one.layout] for one in subject.caps.optimal if one.component == answer.matrix}


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "component": _matrix(lambda one: short(one.component)),
        "use": _matrix(lambda one: USES[one.use]),
        "scope": _matrix(lambda one: SCOPES[one.scope]),
        "rows": _matrix(lambda one: one.m),
        "columns": _matrix(lambda one: one.n),
        "shape": _matrix(lambda one: oblong(one.m, one.n)),
        "written": _written,
        "read-by": _read_by,
        "vector-component": lambda _, thing: short(thing.of.component),
        "vector-length": lambda _, thing: thing.of.length,
        "last-word": _last_word,
        "vector-written": _vector_written,
        "vector-read": _vector_read,
        "answer": lambda _, thing: thing.of.kind,
        "answer-type": lambda _, thing: short(types_of(thing.of.answer)[-1]),
        "emulated": _emulated,
        "native-shapes": _shapes,
        "sums-into": _sums_into,
        "transposes": _transposes,
        "optimal-known": _optimal_known,
        "shorts": lambda subject, _: "yes" if subject.caps.native_16_bit else "no",
    }
)
"""Axis -> how it is seen in a declaration or an answer."""
