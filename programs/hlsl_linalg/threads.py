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
    if not isinstance(index, Affine):
        return (at(index, 0, loop),) * program.group
    size = program.wave_size
    lanes = [lane * index.lane for lane in range(min(size, program.group))]
    starts = [at(index, wave, loop) for wave in range(-(-program.group // size))]
    return tuple([start + lane for start in starts for lane in lanes][: program.group])


def by_instance(program: LinalgProgram, scope: Scope, index: Index, loop: int) -> tuple[int, ...]:
    """The value for every matrix of a scope: each thread's own, each wave's first lane's, or the first thread's."""
    if scope == "Thread":
        return by_thread(program, index, loop)
    count = program.instances(scope)
    if not isinstance(index, Affine):
        return (at(index, 0, loop),) * count
    return tuple([at(index, instance, loop) for instance in range(count)])
