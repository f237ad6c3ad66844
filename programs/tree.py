"""Walking and editing the programs of every specification; instructions are found by their place.

A program has a ``body`` of instructions; an instruction that has a ``body`` itself (a loop, a branch) executes it
``count`` times. Bodies do not nest deeper. What an instruction means is nobody's business here.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any, TypeVar

from msgspec import structs

from mmaspec.programs.base import Buffer, Place, Program
from mmaspec.programs.outside import in_one_wave, outside_loops

AnyProgram = TypeVar("AnyProgram", bound=Program)
Path = tuple[int, ...]


def nested(instruction: Any) -> tuple[Any, ...] | None:
    """The instructions that an instruction holds; None for one that holds none."""
    found: tuple[Any, ...] | None = getattr(instruction, "body", None)
    return found


def walk(program: Program) -> Iterator[tuple[Place, Any, int]]:
    """Every instruction once, in the order of the text: its place (first pass), itself, the number of its passes.

    A loop is not listed, its body is.
    """
    for outer, instruction in enumerate(program.body):
        inside = nested(instruction)
        if inside is None:
            yield Place((outer,)), instruction, 1
        else:
            for inner, one in enumerate(inside):
                yield Place((outer, inner)), one, instruction.count


def paths(program: Program) -> tuple[Path, ...]:
    """The place of every instruction, in the order of the text."""
    return tuple(place.path for place, _, _ in walk(program))


def unrolled(program: Program) -> Iterator[tuple[Place, Any]]:
    """Every instruction in the order of execution; the body of a loop once per pass."""
    for outer, instruction in enumerate(program.body):
        inside = nested(instruction)
        if inside is None:
            yield Place((outer,)), instruction
            continue
        for loop in range(instruction.count):
            for inner, one in enumerate(inside):
                yield Place((outer, inner), loop), one


def at(program: Program, place: Place) -> Any:
    """The instruction at a place, whatever its pass; IndexError where there is none."""
    outer, *inner = place.path
    found = program.body[outer]
    for step in inner:
        found = found.body[step]
    return found


def passes(program: Program, place: Place) -> int:
    """The number of times that the instruction at a place is executed."""
    return program.body[place.path[0]].count if len(place.path) > 1 else 1


def replace(program: AnyProgram, place: Place, new: Any) -> AnyProgram:
    """The program with ``new`` instead of the instruction at ``place``."""
    return _spliced(program, place, lambda body, step: (*body[:step], new, *body[step + 1 :]))


def insert(program: AnyProgram, place: Place, new: Any) -> AnyProgram:
    """The program with one instruction more, directly before the one at ``place``, in the same body."""
    return _spliced(program, place, lambda body, step: (*body[:step], new, *body[step:]))


def append(program: AnyProgram, place: Place, new: Any) -> AnyProgram:
    """The program with one instruction more, at the end of the body in which ``place`` stands."""
    return _spliced(program, place, lambda body, _: (*body, new))


def keep(program: AnyProgram, kept: Callable[[Path, Any], bool]) -> AnyProgram:
    """The program without the instructions (path, itself) that are not ``kept``; a loop left without any goes too."""
    body: list[Any] = []
    for outer, instruction in enumerate(program.body):
        inside = nested(instruction)
        if inside is None:
            body += [instruction] if kept((outer,), instruction) else []
        elif left := tuple(one for inner, one in enumerate(inside) if kept((outer, inner), one)):
            body.append(structs.replace(instruction, body=left))
    return _with_body(program, tuple(body))


def drop(program: AnyProgram, paths: Container[Path]) -> AnyProgram:
    """The program without the instructions at these paths; a loop left without any goes too."""
    return keep(program, lambda path, _: path not in paths)


def instrument(
    program: AnyProgram, store: Callable[[Place, Any, int], tuple[Any, Buffer] | None]
) -> tuple[AnyProgram, dict[str, Place]]:
    """The program with what every instruction leaves stored right after it, and which buffer shows which place.

    ``store`` gets a place, its instruction and the number of its passes. It returns the instruction that stores,
    and the new buffer that takes all passes, or None where there is nothing to show. Its arguments may name pass and
    wave anywhere: outside loops, and in a program of one wave, they are made to stand without.
    """
    buffers: list[Buffer] = []
    shows: dict[str, Place] = {}

    def followed(place: Place, instruction: Any, count: int) -> tuple[Any, ...]:
        found = store(place, instruction, count)
        if found is None:
            return (instruction,)
        after, buffer = found
        buffers.append(buffer)
        shows[buffer.name] = place
        after = after if len(place.path) > 1 else outside_loops(after)
        return instruction, after if program.waves > 1 else in_one_wave(after)

    body: list[Any] = []
    for outer, instruction in enumerate(program.body):
        inside = nested(instruction)
        if inside is None:
            body += followed(Place((outer,)), instruction, 1)
            continue
        new = [
            step for inner, one in enumerate(inside) for step in followed(Place((outer, inner)), one, instruction.count)
        ]
        body.append(structs.replace(instruction, body=tuple(new)))
    return _with(program, body=tuple(body), buffers=(*program.buffers, *buffers)), shows


def _spliced(
    program: AnyProgram, place: Place, splice: Callable[[tuple[Any, ...], int], tuple[Any, ...]]
) -> AnyProgram:
    """The program with the body that ``place`` stands in changed; IndexError where there is no such place."""
    at(program, place)
    outer, *inner = place.path
    if not inner:
        return _with_body(program, splice(program.body, outer))
    around = program.body[outer]
    changed = structs.replace(around, body=splice(around.body, inner[0]))
    return _with_body(program, (*program.body[:outer], changed, *program.body[outer + 1 :]))


def _with_body(program: AnyProgram, body: tuple[Any, ...]) -> AnyProgram:
    return _with(program, body=body)


def _with(program: AnyProgram, **changed: Any) -> AnyProgram:
    found: Any = program
    new: AnyProgram = structs.replace(found, **changed)
    return new
