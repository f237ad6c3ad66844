"""Ablations: the circumstances of one instruction, removed one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mmaspec.oracle.hlsl_linalg.blame import accesses, elements, layouts, products, vectors
from mmaspec.oracle.hlsl_linalg.blame.edits import Shapes, fits, only_store, shapes_of
from mmaspec.oracle.spec import Ablation
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import (
    LINEAR,
    Accumulate,
    Beyond,
    Cast,
    Convert,
    ConvertLayout,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    ReadElements,
    Simple,
    Splat,
    Store,
    VectorAccumulate,
    VectorStore,
    WriteElements,
)


def ablations(program: LinalgProgram, place: Place) -> tuple[Ablation, ...]:
    """Each circumstance of the instruction at ``place`` taken away, most telling first; values stay the same.

    Where values that two loads find would have to lie in two places, or be of another shape, that is left out.
    """
    shapes = shapes_of(program)
    return tuple(
        found
        for found in _ablations(program, place, shapes)
        if isinstance(found.program, LinalgProgram)
        and (found.program != program or found.data)
        and fits(found.program, shapes)
    )


def _ablations(program: LinalgProgram, place: Place, shapes: Shapes) -> Iterator[Ablation]:
    instruction: Simple = tree.at(program, place)
    match instruction:
        case Load() if program.array(instruction.memory) is None and instruction.layout in LINEAR:
            yield from accesses.of_load(program, place, instruction, shapes)
        case Store() if program.array(instruction.memory) is None:
            for found in accesses.of_store(program, place, instruction, shapes):
                yield _storing_only(found, place)
        case InterlockedAccumulate() if _in_rows(program, instruction):
            yield from accesses.of_sum(program, place, instruction, shapes)
        case Splat():
            yield from elements.of_splat(program, place, instruction)
        case Cast():
            yield from elements.of_cast(program, place, instruction)
        case ReadElements():
            yield from elements.of_read(program, place, instruction)
        case WriteElements():
            yield from elements.of_write(program, place, instruction)
        case Beyond():
            yield from elements.of_beyond(program, place, instruction)
        case Multiply() | MultiplyAccumulate():
            yield from products.of_product(program, place, instruction)
        case Accumulate():
            yield from products.of_accumulate(program, place, instruction)
        case MultiplyVector():
            yield from vectors.of_product(program, place, instruction)
        case Convert():
            yield from vectors.of_convert(program, place, instruction)
        case VectorStore():
            yield from vectors.of_store(program, place, instruction)
        case VectorAccumulate():
            yield from vectors.of_sum(program, place, instruction, shapes)
        case ConvertLayout():
            yield from layouts.of_conversion(program, place, instruction)
        case _:
            pass


def _in_rows(program: LinalgProgram, access: InterlockedAccumulate) -> bool:
    """Whether a sum is one in a linear layout of a buffer."""
    return program.array(access.memory) is None and program.matrix(access.matrix).scope != "Thread"


def _storing_only(found: Ablation, place: Place) -> Ablation:
    assert isinstance(found.program, LinalgProgram)
    return replace(found, program=only_store(found.program, found.place or place))
