"""What an argument is for each thread, each wave or the group: the one place that knows how threads are numbered."""

from __future__ import annotations

from mmaspec.programs.base import Affine, Index, at
from mmaspec.programs.hlsl_linalg.program import LinalgProgram, Scope


def wave_of(program: LinalgProgram, thread: int) -> int:
    """The wave of a thread: threads fill waves one after the other."""
    return thread // program.wave_size


def lane_of(program: LinalgProgram, thread: int) -> int:
    """The lane of a thread in its wave."""
    return thread % program.wave_size


def by_thread(program: LinalgProgram, index: Index, loop: int) -> tuple[int, ...]:
    """The value of a resolved argument for every thread of the group in one pass."""
    step = index.lane if isinstance(index, Affine) else 0
    return tuple(
        at(index, wave_of(program, thread), loop) + step * lane_of(program, thread) for thread in range(program.group)
    )


def by_instance(program: LinalgProgram, scope: Scope, index: Index, loop: int) -> tuple[int, ...]:
    """The value for every matrix of a scope: each thread's own, each wave's first lane's, or the first thread's."""
    if scope == "Thread":
        return by_thread(program, index, loop)
    return tuple(at(index, instance, loop) for instance in range(program.instances(scope)))
