"""What threads have to agree on, and what has to be there before it is used: one function for each clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.oracle.hlsl_linalg.participants import Threads, executed
from mmaspec.oracle.hlsl_linalg.rule_context import Context
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.program import (
    Barrier,
    Beyond,
    Branch,
    CountElements,
    InterlockedAccumulate,
    Load,
    ReadElements,
    Scope,
    Simple,
    Splat,
    Store,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.removed import Operate
from mmaspec.programs.hlsl_linalg.well_formed import whole_group, whole_wave

Rule = Callable[[Context], bool]

UNIFORM: tuple[Scope, ...] = ("Wave", "ThreadGroup")
SHORT_BITS = 16


def _scopes(context: Context, instruction: Simple) -> set[Scope]:
    """The scopes of the matrices of an instruction."""
    named = {*reads(instruction), writes(instruction)}
    return {matrix.scope for matrix in context.program.matrices if matrix.name in named}


def divergent(context: Context) -> bool:
    """LINALG-DIVERGENT: an operation that only some threads of its matrix's scope reach."""
    program = context.program
    for around in program.body:
        if not isinstance(around, Branch):
            continue
        found = {scope for one in around.body for scope in _scopes(context, one)}
        if "Wave" in found and not whole_wave(program, around):
            return True
        if "ThreadGroup" in found and not whole_group(program, around):
            return True
    return False


def whole_waves(context: Context) -> bool:
    """LINALG-WHOLE-WAVES: Wave or ThreadGroup matrices in a group that leaves part of a wave empty."""
    program = context.program
    used = {scope for one, _ in context.instructions for scope in _scopes(context, one)}
    return program.group % program.wave_size > 0 and not used.isdisjoint(UNIFORM)


def _differs(index: Index, scope: Scope, waves: int) -> bool:
    """Whether an argument differs between threads of one matrix of a scope."""
    if not isinstance(index, Affine) or scope == "Thread":
        return False
    return bool(index.lane) or (scope == "ThreadGroup" and waves > 1 and bool(index.wave or index.row))


def _arguments(one: Simple) -> tuple[Index, ...]:
    match one:
        case Load() | Store() | InterlockedAccumulate() | ReadElements() | WriteElements():
            return one.offset, one.stride
        case CountElements():
            return (one.offset,)
        case _:
            return ()


def scope_uniform(context: Context) -> bool:
    """LINALG-SCOPE-UNIFORM: arguments that differ within a Wave or ThreadGroup matrix.

    A Splat takes the first lane's value of each wave: at ThreadGroup scope waves must not differ (LINALG-AMB-06).
    """
    program = context.program
    for one, _ in context.instructions:
        if isinstance(one, Splat):
            if one.wave and program.waves > 1 and program.matrix(one.matrix).scope == "ThreadGroup":
                return True
        elif arguments := _arguments(one):
            scopes = _scopes(context, one)
            if any(_differs(index, scope, program.waves) for index in arguments for scope in scopes):
                return True
    return False


def create_uninit(context: Context) -> bool:
    """LINALG-CREATE-UNINIT: a matrix or vector is used by a thread that has not written it."""
    program = context.program
    written: dict[str, Threads] = {}
    nothing = np.zeros(program.group, np.bool_)
    for _, instruction, taken in executed(program):
        if any((taken & ~written.get(name, nothing)).any() for name in reads(instruction)):
            return True
        if (target := writes(instruction)) is not None:
            written[target] = written.get(target, nothing) | taken
    return False


def barrier(context: Context) -> bool:
    """LINALG-BARRIER: elements of a ThreadGroup matrix used before a barrier after a Set, or set after a Get.

    Several threads may reach one element, so that one of them can get what another one has set already.
    """
    shared = {matrix.name for matrix in context.program.matrices if matrix.scope == "ThreadGroup"}
    been_set: set[str] = set()
    got: set[str] = set()
    for _, one, _ in executed(context.program):
        if isinstance(one, Barrier):
            been_set, got = set(), set()
        elif not isinstance(one, Beyond | CountElements):
            used = {name for name in (*reads(one), writes(one)) if name in shared}
            if used & been_set or (isinstance(one, WriteElements) and used & got):
                return True
            if isinstance(one, WriteElements):
                been_set |= used
            elif isinstance(one, ReadElements):
                got |= used
            else:
                got -= used  # an operation synchronises its threads itself
    return False


def comp_16bit(context: Context) -> bool:
    """LINALG-COMP-16BIT: types of 16 bits of HLSL on a device that does not have them."""
    if context.caps.native_16_bit:
        return False
    return any(FORMATS[SCALARS[name]].bits == SHORT_BITS for name in _scalars(context))


def _scalars(context: Context) -> Iterator[str]:
    """The HLSL types of a program."""
    program = context.program
    yield from (COMPONENTS[matrix.component].scalar for matrix in program.matrices)
    yield from (COMPONENTS[vector.component].scalar for vector in program.vectors)
    yield from (array.element for array in program.arrays)
    yield from (one.scalar for one, _ in context.each(Splat, Operate))


THREAD_RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "LINALG-DIVERGENT": divergent,
        "LINALG-WHOLE-WAVES": whole_waves,
        "LINALG-SCOPE-UNIFORM": scope_uniform,
        "LINALG-CREATE-UNINIT": create_uninit,
        "LINALG-BARRIER": barrier,
        "LINALG-COMP-16BIT": comp_16bit,
    }
)
"""Clause -> whether a program crosses it."""
