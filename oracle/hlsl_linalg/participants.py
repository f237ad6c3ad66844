"""Which threads execute an instruction, and in which order instructions are executed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.base import Place
from mmaspec.programs.hlsl_linalg.program import Branch, LinalgProgram, Scope, Simple
from mmaspec.programs.tree import unrolled

Threads = NDArray[np.bool_]
"""One flag for each thread of the group."""


def threads_of(program: LinalgProgram, place: Place) -> Threads:
    """The threads that execute what stands at a place: those that enter the branch around it, or all."""
    around = program.body[place.path[0]]
    thread = np.arange(program.group)
    taken = np.ones(program.group, np.bool_)
    if isinstance(around, Branch):
        if around.lanes:
            taken &= thread % program.wave_size < around.lanes
        if around.waves:
            taken &= thread // program.wave_size < around.waves
    return taken


def instances_of(program: LinalgProgram, scope: Scope, taken: Threads) -> NDArray[np.bool_]:
    """The matrices of a scope of which some thread executes an instruction, ``(instances,)``."""
    if scope == "Thread":
        return taken
    if scope == "ThreadGroup":
        return np.array([bool(taken.any())])
    waves = np.arange(program.group) // program.wave_size
    return np.array([bool(taken[waves == wave].any()) for wave in range(program.waves)])


def executed(program: LinalgProgram) -> Iterator[tuple[Place, Simple, Threads]]:
    """Every instruction in the order of execution, pass by pass, with its threads."""
    for place, instruction in unrolled(program):
        yield place, instruction, threads_of(program, place)
