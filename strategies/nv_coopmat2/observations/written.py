"""The axes of single arguments: how they are written, what wave and loop add, where a loaded word lies."""

from __future__ import annotations

from mmaspec.programs.base import Affine, Index, RunTime
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    Access,
    Load,
    LoadTensor,
    Matrix,
    SetClip,
    Slice,
    Store,
    StoreTensor,
)
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.accesses import TensorFacts, of_text, tensor_facts
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, every, facts
from mmaspec.strategies.nv_coopmat2.observations.loops import form
from mmaspec.strategies.nv_coopmat2.observations.memory import places
from mmaspec.strategies.nv_coopmat2.observations.things import Argument

HALF = 1 << 31


def neighbours(_: Subject, thing: Thing) -> Answer:
    """How the other arguments of the same call are written."""
    argument: Argument = thing.of
    forms = [form(one) != "literal" for one in argument.call]
    words = [one for one in argument.call if isinstance(one, RunTime)]
    several = len(forms) > 1
    return every(
        ("all-literal", not any(forms)),
        ("mixed-inner", several and forms[-1] and not any(forms[:-1])),
        ("mixed-outer", several and forms[0] and not any(forms[1:])),
        ("all-run-time", len(words) == len(forms)),
        ("same-word", len(set(words)) < len(words)),
    )


def _users(known: Facts, argument: Argument) -> list[LoadTensor | StoreTensor]:
    """The tensor accesses that an argument of a layout or view acts on."""
    if isinstance(argument.owner, Access):
        return [argument.owner] if isinstance(argument.owner, LoadTensor | StoreTensor) else []
    name = getattr(argument.owner, "name", "")
    return [one for one in known.tensors if name in (one.tensor, one.view)]


def step(subject: Subject, thing: Thing) -> Answer:
    """What wave and loop add."""
    argument: Argument = thing.of
    index = argument.written
    if not isinstance(index, Affine) or not (index.wave or index.loop):
        return "nothing"
    known = facts(subject)
    steps = [_signed(number) for number in (index.wave, index.loop) if number]
    sizes = _matrix_steps(known, argument)
    pairs = [(number, size) for number in steps for size in sizes]
    return every(
        ("one", 1 in map(abs, steps)),
        ("matrix", any(abs(number) == size for number, size in pairs)),
        ("overlapping", any(0 < abs(number) < size for number, size in pairs)),
        ("large", any(abs(number) > 0xFFFF for number in steps)),
        ("down", min(steps) < 0),
        ("crossing", _crosses(known, argument)),
        ("cancelling", len(steps) > 1 and steps[0] * steps[1] < 0),
    )


def _signed(number: int) -> int:
    word = number & 0xFFFF_FFFF
    return word - (1 << 32) if word >= HALF else word


def _matrix_steps(known: Facts, argument: Argument) -> set[int]:
    """One matrix further, in the unit of the argument."""
    owner = argument.owner
    if isinstance(owner, Load | Store):
        matrix = known.matrix(owner.matrix)
        row = _row(matrix, owner)
        base = owner.stride if isinstance(owner.stride, int) else row
        return {row, base * _lines(matrix, owner), matrix.rows * matrix.cols}
    found: set[int] = set()
    for access in _users(known, argument):
        matrix = known.matrix(access.matrix)
        found |= {matrix.rows, matrix.cols} if not isinstance(owner, Access) else {matrix.rows * matrix.cols}
    return found


def _row(matrix: Matrix, access: Load | Store) -> int:
    return matrix.rows if access.layout == COLUMN_MAJOR else matrix.cols


def _lines(matrix: Matrix, access: Load | Store) -> int:
    return matrix.cols if access.layout == COLUMN_MAJOR else matrix.rows


def _crosses(known: Facts, argument: Argument) -> bool:
    """Whether some waves or passes are in bounds, and others not."""
    for one in known.accesses:
        if isinstance(one.instruction, LoadTensor | StoreTensor) and one.instruction in _users(known, argument):
            tensor = tensor_facts(known.subject, one.place)
            out = [any(bool(side.any()) for side in tensor.outside(state)) for state in tensor.states if tensor.rank]
            if True in out and False in out:
                return True
    return False


def word(subject: Subject, thing: Thing) -> Answer:
    """Where a loaded word lies."""
    argument: Argument = thing.of
    index = argument.written
    if not isinstance(index, RunTime):
        return None
    known = facts(subject)
    turn = None if thing.place is None else known.turn[thing.place]
    others = [one for one in known.accesses if getattr(one.instruction, "buffer", "") == index.buffer]
    before = after = False
    for one in others:
        there = places(known, one.place)
        if there is not None and there.store and bool((there.bytes // 4 == index.offset // 4).any()):
            late = turn is not None and known.turn[one.place] > turn
            before, after = before or not late, after or late
    return every(
        ("own-buffer", not others and index.offset == 0),
        ("own-buffer-later", not others and index.offset),
        ("beside-data", others),
        ("stored-by-program", before),
        ("changed-later", after),
    )


def order(one: TensorFacts) -> Answer:
    """Whether exchanged arguments of a setter would show."""
    calls = [*one.calls, *one.view_calls]
    return {name for call in calls for name in _order(call, arguments(call))}


def _order(call: object, given: tuple[Index, ...]) -> tuple[str, ...]:
    if len(given) < 2:
        return ()
    halves = isinstance(call, Slice) and given[: len(given) // 2] == given[len(given) // 2 :]
    clip = isinstance(call, SetClip)
    rows = clip and given[:2] == given[2:]
    spans = halves or (clip and given[0] == given[1] and given[2] == given[3])
    flat = not isinstance(call, Slice | SetClip) and len(given) == 2 and given[0] == given[1]
    alike = len(set(given)) == 1
    return every(
        ("all-differ", len(set(given)) == len(given)),
        ("rows-as-columns", rows or flat),
        ("offset-as-span", spans),
        ("all-alike", alike),
    )


LOOKS: dict[str, Look] = {
    "argument-site": lambda _, thing: str(thing.of.site),
    "argument-form": lambda _, thing: form(thing.of.written),
    "argument-neighbours": neighbours,
    "argument-wave": step,
    "run-time-word": word,
    "argument-order": of_text(order),
}
"""Axis -> how its class is seen."""
