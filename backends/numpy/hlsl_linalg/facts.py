"""What the device's checks look at: every instruction of a program with those who execute it, and every address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from mmaspec.backends.numpy.hlsl_linalg.access import SOURCE
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Branch,
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    MultiplyVector,
    Repeat,
    Simple,
    Store,
    VectorAccumulate,
)

Resolve = Callable[[Index, int, int], int]
"""(argument, thread, pass) -> its value."""
Access = Load | Store | InterlockedAccumulate
ACCESS = (Load, Store, InterlockedAccumulate)

WORD = 4


@dataclass(frozen=True, slots=True)
class Site:
    """An instruction, how often it is passed, and the threads that execute it."""

    instruction: Simple
    passes: int
    threads: tuple[int, ...]
    nested: bool


@dataclass(frozen=True, slots=True)
class Touch:
    """One access to memory by one instance of a matrix, or one thread's vector, in one pass."""

    access: Access | VectorAccumulate
    matrix: Matrix | None
    offset: int
    stride: int


@dataclass(frozen=True)
class Checks:
    """A program, the caps that it is held to, and its arguments."""

    program: LinalgProgram
    caps: LinalgCaps
    resolve: Resolve

    @property
    def by_source(self) -> bool:
        """Whether the program is one of the text of 2025-09-19."""
        return self.caps.revision == SOURCE

    def sites(self) -> tuple[Site, ...]:
        """Every instruction in the order of the text."""
        return self._sites

    @cached_property
    def _sites(self) -> tuple[Site, ...]:
        return tuple(self._written())

    def _written(self) -> Iterator[Site]:
        every = tuple(range(self.program.group))
        for instruction in self.program.body:
            if isinstance(instruction, Repeat | Branch):
                threads = self._passing(instruction) if isinstance(instruction, Branch) else every
                yield from (Site(nested, instruction.count, threads, True) for nested in instruction.body)
            else:
                yield Site(instruction, 1, every, False)

    def _passing(self, branch: Branch) -> tuple[int, ...]:
        size = self.program.wave_size
        lanes, waves = branch.lanes or size, branch.waves or self.program.waves
        return tuple(t for t in range(self.program.group) if t % size < lanes and t // size < waves)

    def instructions(self) -> tuple[Simple, ...]:
        """The same without those who execute them."""
        return self._instructions

    @cached_property
    def _instructions(self) -> tuple[Simple, ...]:
        return tuple(site.instruction for site in self.sites())

    def accesses(self) -> tuple[tuple[Access, Matrix], ...]:
        """Every Load, Store and accumulation of a matrix."""
        return self._accesses

    @cached_property
    def _accesses(self) -> tuple[tuple[Access, Matrix], ...]:
        found = [one for one in self.instructions() if isinstance(one, ACCESS)]
        return tuple((one, self.program.matrix(one.matrix)) for one in found)

    def touches(self) -> tuple[Touch, ...]:
        """Every access as it is executed, those that are alike once."""
        return self._touches

    @cached_property
    def _touches(self) -> tuple[Touch, ...]:
        return tuple(self._executed())

    def _executed(self) -> Iterator[Touch]:
        for site in self.sites():
            found = site.instruction
            if not isinstance(found, Load | Store | InterlockedAccumulate | VectorAccumulate):
                continue
            matrix = None if isinstance(found, VectorAccumulate) else self.program.matrix(found.matrix)
            stride: Index = 0 if isinstance(found, VectorAccumulate) else found.stride
            varies = any(isinstance(index, Affine) for index in (found.offset, stride))
            for thread in self._leading(site, matrix) if varies else site.threads[:1]:
                for loop in range(site.passes if varies else 1):
                    offset, apart = (self.resolve(index, thread, loop) for index in (found.offset, stride))
                    yield Touch(found, matrix, offset, apart)

    def buffered(self) -> tuple[tuple[Touch, Access], ...]:
        """Every access of a matrix to a buffer, as it is executed."""
        return self._buffered

    @cached_property
    def _buffered(self) -> tuple[tuple[Touch, Access], ...]:
        return tuple(
            (touch, touch.access)
            for touch in self.touches()
            if not isinstance(touch.access, VectorAccumulate) and not self.is_array(touch.access.memory)
        )

    def _leading(self, site: Site, matrix: Matrix | None) -> tuple[int, ...]:
        """The threads whose arguments count: of a wave or group the first."""
        if matrix is None or matrix.scope == "Thread":
            return site.threads
        if matrix.scope == "ThreadGroup":
            return site.threads[:1]
        return tuple(thread for thread in site.threads if thread % self.program.wave_size == 0)

    def is_array(self, name: str) -> bool:
        """Whether memory of this name is a groupshared array."""
        return self.program.array(name) is not None

    def base(self, name: str) -> int:
        """The address of a buffer's view, from a boundary that every alignment divides."""
        return next(buffer.base for buffer in self.program.buffers if buffer.name == name)

    def layout(self, access: Access) -> Layout:
        """The layout that an access names; sums of Thread matrices need not name the only one that they have.

        In the text of 2025-09-19 they do.
        """
        unnamed = isinstance(access, InterlockedAccumulate) and access.layout == "RowMajor" and not self.by_source
        if unnamed and self.program.matrix(access.matrix).scope == "Thread":
            return "OuterProductOptimal"
        return access.layout

    def matrix_components(self) -> Iterator[ComponentType]:
        """Every component type of a matrix, in memory too."""
        for matrix in self.program.matrices:
            yield matrix.component
        for instruction in self.instructions():
            match instruction:
                case ConvertLayout():
                    yield instruction.component
                case InterlockedAccumulate() if instruction.target is not None:
                    yield instruction.target
                case _:
                    pass

    def vector_components(self) -> Iterator[ComponentType]:
        """Every component type by which a vector is understood, in memory too."""
        for vector in self.program.vectors:
            yield vector.component
        for instruction in self.instructions():
            if isinstance(instruction, MultiplyVector) and isinstance(instruction.bias, MemoryBias):
                yield instruction.bias.component

    def known(self, component: ComponentType) -> bool:
        """Whether the text has this component type for matrices."""
        return self.caps.revision in COMPONENTS[component].revisions

    def plain(self, component: ComponentType) -> bool:
        """Whether a vector can have it without being packed; what cannot is nothing that a device is asked about."""
        return self.known(component) and COMPONENTS[component].native


def component_bytes(component: ComponentType) -> int:
    """Bytes of one component; of a word where no text says what its bits mean."""
    found = COMPONENTS[component]
    return found.format.nbytes if found.fmt else WORD


def depth(matrix: Matrix) -> int | None:
    """K of an A or B matrix: its columns, or its rows; an accumulator has none."""
    return {"A": matrix.n, "B": matrix.m}.get(matrix.use)
