"""What the specification demands."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.oracle.clauses import load_catalogue
from mmaspec.oracle.expectation import Step
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.integer import Overflow, multiply_add_int
from mmaspec.oracle.numerics.legal import Legal, certain_bits
from mmaspec.oracle.readings import Readings
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import Ablation, Instrumented, Row, Spec
from mmaspec.programs.base import Buffer, Place
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import Profile
from toy_mac.program import SIZE, Kind, Load, Mac, Store, ToyCaps, ToyProgram


def rows(caps: ToyCaps) -> tuple[Row[Kind], ...]:
    return tuple(Row(f"{kind}-8x8", kind, frozenset({"int", kind}), kind) for kind in caps.kinds)


def rejected(program: ToyProgram, _: ToyCaps) -> frozenset[str]:
    moves = [step for step in program.body if not isinstance(step, Mac)]
    return frozenset({"TOY-ALIGN"} if any(step.offset % 4 for step in moves) else ())


def undefined(*_: object) -> frozenset[str]:
    return frozenset()


def addresses(program: ToyProgram, step: Load | Store) -> NDArray[np.int64]:
    """TOY-ROW: (rows, columns), in bytes of the buffer's view."""
    places = np.arange(SIZE * SIZE, dtype=np.int64).reshape(SIZE, SIZE)
    return step.offset + places * format_named(program.element(step.matrix)).nbytes


def sources(program: ToyProgram) -> tuple[Source, ...]:
    return tuple(
        Source(
            step.data, step.matrix, format_named(program.element(step.matrix)), step.buffer,
            addresses(program, step)[None, None, None],
        )
        for step in program.body
        if isinstance(step, Load)
    )  # fmt: skip


def execute(program: ToyProgram, memory: Memory, *_: Profile | Readings) -> tuple[Step, ...]:
    found: dict[str, Legal] = {}
    steps = []
    for number, step in enumerate(program.body):
        place = Place((number,))
        match step:
            case Load():
                element = format_named(program.element(step.matrix))
                found[step.matrix] = memory.load(step.buffer, addresses(program, step)[None], element)
                steps.append(Step(place, step.matrix, (f"TOY-ROW/{step.matrix}",), found[step.matrix]))
            case Mac():
                found["c"] = _mac(found)
                steps.append(Step(place, "c", ("TOY-MAC",), found["c"]))
            case Store():
                memory.store(step.buffer, addresses(program, step)[None], found[step.matrix], number)
                steps.append(Step(place, step.matrix, ("TOY-STORE",), None))
    return tuple(steps)


def _mac(found: dict[str, Legal]) -> Legal:
    """TOY-MAC."""
    a, b = (certain_bits(found[name])[0] for name in "ab")
    fmt = found["a"].fmt
    return multiply_add_int(a_fmt=fmt, a=a, b_fmt=fmt, b=b, c=found["c"], overflow=Overflow.WRAP).legal


def text(program: ToyProgram, _: ToyCaps) -> str:
    lines = []
    for step in program.body:
        match step:
            case Load():
                lines.append(f"{step.matrix} = load {step.buffer}[{step.offset}]")
            case Mac():
                lines.append("c += a * b")
            case Store():
                lines.append(f"store {step.matrix}, {step.buffer}[{step.offset}]")
    return "\n".join(lines) + "\n"


def instrumented(program: ToyProgram) -> Instrumented:
    body: list[Load | Mac | Store] = []
    shows = {}
    for number, step in enumerate(program.body):
        body.append(step)
        if not isinstance(step, Store):
            shows[f"seen{number}"] = Place((number,))
            body.append(Store("c" if isinstance(step, Mac) else step.matrix, f"seen{number}", 0))
    seen = (Buffer(name, 4 * SIZE * SIZE) for name in shows)
    return Instrumented(replace(program, buffers=(*program.buffers, *seen), body=tuple(body)), shows)


def ablations(*_: object) -> tuple[Ablation, ...]:
    return ()


SPEC = Spec(
    catalogue=load_catalogue("toy_mac"),
    program_type=ToyProgram,
    caps_type=ToyCaps,
    default_caps=ToyCaps(),
    rows=rows,
    rejected=rejected,
    undefined=undefined,
    sources=sources,
    execute=execute,
    text=text,
    instrumented=instrumented,
    ablations=ablations,
    untouched="TOY-STORE",
)
