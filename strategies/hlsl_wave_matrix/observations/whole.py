"""What a program as a whole has: matrices, types, statements, loops, and what it computes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.addresses import element_bytes
from mmaspec.oracle.hlsl_wave_matrix.sources import depends
from mmaspec.programs.base import Affine
from mmaspec.programs.hlsl_wave_matrix.program import (
    FACTORS,
    Add,
    Barrier,
    Branch,
    Copy,
    Fill,
    Load,
    MatrixDepth,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    ScalarOperation,
    Stage,
    Store,
    SumAccumulate,
    WaveMatrixProgram,
)
from mmaspec.programs.tree import walk
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.flow import Flow, flow_of, touched
from mmaspec.strategies.hlsl_wave_matrix.observations.operands import LOOKS as OPERANDS

ELEMENTS = 5
"""Element types that matrices have."""
Product = Multiply | MultiplyAccumulate


def _never_multiplied(subject: Subject, _: Thing) -> Answer:
    flow, found = flow_of(subject), set()
    multiplied = {name for event in flow.events if isinstance(event.instruction, Product | SumAccumulate)
                  for name in touched(event.instruction)}  # fmt: skip
    computed = {name for event in flow.events if not isinstance(event.instruction, Load | Store | Fill | MatrixDepth)
                for name in touched(event.instruction)}  # fmt: skip
    used = {name for event in flow.events for name in touched(event.instruction)}
    asked = {event.instruction.matrix for event in flow.events if isinstance(event.instruction, MatrixDepth)}
    for matrix in subject.program.matrices:
        if matrix.name not in used | asked:
            found.add("unused")
        elif matrix.name not in computed:
            found.add("copied-only")
    if found:
        return found
    return "none" if {matrix.name for matrix in subject.program.matrices} <= multiplied else None


def _differs(program: WaveMatrixProgram) -> Iterator[tuple[str, str]]:
    """(which loads or stores, which argument) of whatever depends on the wave."""
    for _, one, _ in walk(program):
        if isinstance(one, Load | Store):
            what = "store" if isinstance(one, Store) else program.matrix(one.matrix).kind
            for argument in ("offset", "stride", "col_major"):
                if depends((getattr(one, argument),))[0]:
                    yield what, argument


def _wave_difference(subject: Subject, _: Thing) -> Answer:
    program: WaveMatrixProgram = subject.program
    if program.waves == 1:
        return "nothing"
    differ = set(_differs(program))
    found = {name for name, argument in (("stride", "stride"), ("orientation", "col_major"))
             if argument in {which for _, which in differ}}  # fmt: skip
    indices = [index for _, one, _ in walk(program) if isinstance(one, Load | Store)
               for index in (one.offset, one.stride)]  # fmt: skip
    if any(isinstance(index, Affine) and index.grid and index.row for index in indices):
        return found | {"grid"}
    moved = {what for what, argument in differ if argument == "offset"}
    loaded = {program.matrix(one.matrix).kind for _, one, _ in walk(program) if isinstance(one, Load)}
    own = moved & loaded
    if {"left", "right"} <= loaded and own in ({"left"}, {"right"}):
        found.add(f"{next(iter(own))}-only")
    elif own:
        found.add("all")
    elif "store" in moved:
        found.add("stores")
    return found or "nothing"


def _live_bytes(subject: Subject, _: Thing) -> Answer:
    program, flow = subject.program, flow_of(subject)
    changes = [0] * (len(flow.events) + 1)
    for matrix in program.matrices:
        turns = [event.turn for event in flow.events if matrix.name in touched(event.instruction)]
        if turns:
            size = matrix.rows * matrix.cols * element_bytes(matrix)
            changes[turns[0]] += size
            changes[turns[-1] + 1] -= size
    live = [sum(changes[: turn + 1]) for turn in range(len(flow.events))]
    return max(live, default=0) or None


def _type_mix(subject: Subject, _: Thing) -> Answer:
    matrices = subject.program.matrices
    elements = {matrix.element for matrix in matrices}
    operands = {matrix.element for matrix in matrices if matrix.kind in FACTORS}
    sums = {matrix.element for matrix in matrices if matrix.kind == "accumulator"}
    if len(elements) == ELEMENTS:
        return "all"
    floats = elements & {"f16", "f32"}
    found = {"ints-and-floats"} if floats and elements - floats else set()
    if "f16" in operands and {"f16", "f32"} <= sums:
        found.add("both-precisions")
    if {"s8", "u8"} <= elements:
        found.add("both-signs")
    return found or "one-product-type"


def _flow(subject: Subject, _: Thing) -> Answer:
    body = subject.program.body
    loops = [one for one in body if isinstance(one, Repeat)]
    if not loops:
        return "branch-only" if any(isinstance(one, Branch) for one in body) else "straight"
    found = {"one-loop" if len(loops) == 1 else "loops-in-turn"}
    if any(isinstance(one, Barrier) for loop in loops for one in loop.body):
        found.add("barriers-in-loop")
    first, last = body.index(loops[0]), max(turn for turn, one in enumerate(body) if isinstance(one, Repeat))
    inside = any(isinstance(one, Store) for loop in loops for one in loop.body)
    if (
        inside
        and any(isinstance(one, Load) for one in body[:first])
        and any(isinstance(one, Store) for one in body[last:])
    ):
        found.add("code-around-loop")
    return found


def _products(flow: Flow) -> int:
    return sum(isinstance(event.instruction, Product) for event in flow.events)


def _recipe(subject: Subject, _: Thing) -> Answer:
    flow, program = flow_of(subject), subject.program
    has = {kind for event in flow.events for kind in (Add, ScalarOperation, SumAccumulate, Fill)
           if isinstance(event.instruction, kind)}  # fmt: skip
    products = _products(flow)
    if not products:
        moves = Load | Store | Copy | Barrier
        if flow.events and all(isinstance(event.instruction, moves) for event in flow.events):
            return "copy"
        return "elementwise" if has & {Add, ScalarOperation} and SumAccumulate not in has else None
    found = set(_of_sums(flow, program))
    targets = [event.instruction.matrix for event in flow.events if isinstance(event.instruction, Product)]
    added = [name for event in flow.events if isinstance(event.instruction, MultiplyAccumulate)
             for name in (event.instruction.matrix,)]  # fmt: skip
    if products > 1 and any(added.count(name) > 1 or targets.count(name) > added.count(name) > 0 for name in added):
        found.add("k-loop")
    if len(set(targets)) > 1:
        found.add("outer-blocks")
    if any(isinstance(event.instruction, Stage) for event in flow.events):
        found.add("shared-tiles")
    if products > 1 and _chained(subject, flow):
        found.add("chain")
    return found or ("single-product" if products == 1 else None)


def _of_sums(flow: Flow, program: WaveMatrixProgram) -> Iterator[str]:
    """What is added to products: sums of their operands, or loaded rows and columns."""
    summed = {program.matrix(event.instruction.matrix).kind for event in flow.events
              if isinstance(event.instruction, SumAccumulate)}  # fmt: skip
    scaled = any(isinstance(event.instruction, ScalarOperation) for event in flow.events)
    for event in flow.events:
        add = event.instruction
        if not isinstance(add, Add) or not program.matrix(add.operand).is_fragment:
            continue
        gave = flow.gave(add.operand, event)
        if gave is not None and isinstance(gave.instruction, Load):
            yield "bias"
        elif summed:
            yield "zero-point" if len(summed) == 2 and scaled else "zero-point-part"


def _chained(subject: Subject, flow: Flow) -> bool:
    """Whether a product has an operand that was stored by the program."""
    products = [event for event in flow.events if isinstance(event.instruction, Product)]
    looks = OPERANDS["left-from"], OPERANDS["right-from"]
    return any(look(subject, Thing("", event, event.place)) == "result" for event in products[1:] for look in looks)


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "never-multiplied": _never_multiplied,
        "wave-difference": _wave_difference,
        "matrices": lambda subject, _: len(subject.program.matrices),
        "live-bytes": _live_bytes,
        "type-mix": _type_mix,
        "body-length": lambda subject, _: len(flow_of(subject).events) or None,
        "flow": _flow,
        "products-in-program": lambda subject, _: _products(flow_of(subject)),
        "recipe": _recipe,
        "buffers": lambda subject, _: len(subject.program.buffers),
        "arrays": lambda subject, _: len(subject.program.arrays),
    }
)
"""Axis -> how it is seen in a program."""
