"""Ablations: the circumstances of one instruction, removed one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mmaspec.oracle.hlsl_linalg.blame import accesses, arrays, elements, layouts, products, vectors
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
    Unstage,
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
        case Load() | Store() | InterlockedAccumulate() | Unstage():
            yield from _of_memory(program, place, instruction, shapes)
        case VectorStore() | VectorAccumulate() | Convert() | MultiplyVector():
            yield from _of_vector(program, place, instruction, shapes)
        case Multiply() | MultiplyAccumulate():
            yield from products.of_product(program, place, instruction)
        case Accumulate():
            yield from products.of_accumulate(program, place, instruction)
        case ConvertLayout():
            yield from layouts.of_conversion(program, place, instruction)
        case Splat() | Cast() | ReadElements() | WriteElements() | Beyond():
            yield from elements.of_elements(program, place, instruction)
        case _:
            pass


def _of_memory(
    program: LinalgProgram, place: Place, one: Load | Store | InterlockedAccumulate | Unstage, shapes: Shapes
) -> Iterator[Ablation]:
    if isinstance(one, Unstage):
        yield from arrays.of_unstage(program, one)
        return
    if program.array(one.memory) is not None:
        # What a store or sum left in an array shows where it is copied out.
        yield from arrays.of_load(program, place, one) if isinstance(one, Load) else ()
        return
    match one:
        case Load() if one.layout in LINEAR:
            yield from accesses.of_load(program, place, one, shapes)
        case Store():
            for found in accesses.of_store(program, place, one, shapes):
                yield _storing_only(found, place)
        case InterlockedAccumulate() if program.matrix(one.matrix).scope != "Thread":
            yield from accesses.of_sum(program, place, one, shapes)
        case _:
            pass


def _of_vector(
    program: LinalgProgram,
    place: Place,
    one: VectorStore | VectorAccumulate | Convert | MultiplyVector,
    shapes: Shapes,
) -> Iterator[Ablation]:
    match one:
        case VectorStore():
            yield from vectors.of_store(program, place, one)
        case VectorAccumulate():
            yield from vectors.of_sum(program, place, one, shapes)
        case Convert():
            yield from vectors.of_convert(program, place, one)
        case MultiplyVector():
            yield from vectors.of_product(program, place, one)


def _storing_only(found: Ablation, place: Place) -> Ablation:
    assert isinstance(found.program, LinalgProgram)
    program, there = only_store(found.program, found.place or place)
    return replace(found, program=program, place=there)
