"""One Load, Store or atomic sum in a linear layout as it is executed, with its addresses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.hlsl_linalg.addresses import (
    Addresses,
    access_addresses,
    access_format,
    array_bytes,
    layout_of,
    unit_bytes,
)
from mmaspec.oracle.hlsl_linalg.participants import instances_of, threads_of
from mmaspec.programs.hlsl_linalg.program import InterlockedAccumulate, LinalgProgram, Load, Matrix, Store
from mmaspec.programs.hlsl_linalg.threads import by_instance
from mmaspec.strategies.axes.observation import Subject, Thing
from mmaspec.strategies.hlsl_linalg.observations.flow import Event


@dataclass(frozen=True, eq=False)
class Access:
    """An execution of an access. Places count bytes of the view or array."""

    program: LinalgProgram
    event: Event

    @property
    def instruction(self) -> Load | Store | InterlockedAccumulate:
        """The instruction."""
        found: Any = self.event.instruction
        return found  # type: ignore[no-any-return]

    @cached_property
    def matrix(self) -> Matrix:
        """Its matrix."""
        return self.program.matrix(self.instruction.matrix)

    @cached_property
    def taken(self) -> NDArray[np.bool_]:
        """Which instances of the matrix execute it."""
        return instances_of(self.program, self.matrix.scope, threads_of(self.program, self.event.place))

    @cached_property
    def addresses(self) -> Addresses:
        """First bytes of all elements, ``(instances, m, n)``, of instances that execute it."""
        found: Addresses = access_addresses(self.program, self.instruction, self.event.place.loop)[self.taken]
        return found

    @cached_property
    def size(self) -> int:
        """Bytes of an element in memory."""
        return access_format(self.program, self.instruction, self.matrix).nbytes

    @cached_property
    def shared(self) -> bool:
        """Whether its memory is an array."""
        return self.program.array(self.instruction.memory) is not None

    @cached_property
    def view(self) -> int:
        """Bytes of the view or array."""
        array = self.program.array(self.instruction.memory)
        if array is not None:
            return array_bytes(array)
        return next(one.size for one in self.program.buffers if one.name == self.instruction.memory)

    @cached_property
    def base(self) -> int:
        """Bytes from the allocation to the view; 0 of an array."""
        return 0 if self.shared else next(b.base for b in self.program.buffers if b.name == self.instruction.memory)

    def values(self, field: str) -> tuple[int, ...]:
        """The offset or stride of every instance that executes it, in its own unit."""
        found = by_instance(self.program, self.matrix.scope, getattr(self.instruction, field), self.event.place.loop)
        return tuple(value for value, taken in zip(found, self.taken, strict=True) if taken)

    @cached_property
    def unit(self) -> int:
        """Bytes that offset and stride count."""
        return unit_bytes(self.program, self.instruction, access_format(self.program, self.instruction, self.matrix))

    @cached_property
    def line(self) -> int:
        """Bytes of a line: a row of a row-major matrix, or a column."""
        row = layout_of(self.instruction, self.matrix) == "RowMajor"
        return (self.matrix.n if row else self.matrix.m) * self.size

    @cached_property
    def lines(self) -> Addresses:
        """Addresses with lines first: ``(instances, lines, elements)``."""
        row = layout_of(self.instruction, self.matrix) == "RowMajor"
        return self.addresses if row else self.addresses.swapaxes(1, 2)


def access_of(subject: Subject, thing: Thing) -> Access:
    """The access that a thing is."""
    return _access(subject.whole, thing.of)


@lru_cache(maxsize=64)
def _access(subject: Subject, event: Event) -> Access:
    return Access(subject.program, event)
