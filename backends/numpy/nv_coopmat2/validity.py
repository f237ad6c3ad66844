"""The validity checks of the reference device, each written from its clause and apart from the oracle's."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.programs.base import Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize, Property
from mmaspec.programs.nv_coopmat2.program import (
    ARRAY_BYTES,
    Access,
    Branch,
    CoopMatProgram,
    Load,
    Matrix,
    MulAdd,
    Repeat,
    Simple,
    Store,
)

Triple = tuple[Matrix, Matrix, Matrix]


@dataclass(frozen=True)
class Checks:
    """One program under caps; ``value`` finds an argument for a wave and a pass."""

    program: CoopMatProgram
    caps: CoopMatCaps
    value: Callable[[Index, int, int], int]
    all_of_it: bool = False
    """Whether what is never executed is looked at as well."""

    def passes(self, block: Repeat | Branch) -> int:
        """How often a loop or branch is executed; once where that is never, and it is looked at."""
        found = block.count if isinstance(block, Repeat) else min(self.value(block.taken, 0, 0), 1)
        return max(found, int(self.all_of_it))

    @property
    def idle(self) -> bool:
        """Whether some instructions are never executed."""
        return any(isinstance(block, Repeat | Branch) and not self.passes(block) for block in self.program.body)

    @cached_property
    def instructions(self) -> tuple[Simple, ...]:
        """Every instruction that is executed, once however often that is."""
        found: list[Simple] = []
        for block in self.program.body:
            if not isinstance(block, Repeat | Branch):
                found.append(block)
            elif self.passes(block):
                found += block.body
        return tuple(found)

    def executed(self) -> Iterator[tuple[Simple, int]]:
        """Every instruction with its pass."""
        for instruction in self.program.body:
            if isinstance(instruction, Repeat | Branch):
                passes = range(self.passes(instruction))
                yield from ((nested, loop) for loop in passes for nested in instruction.body)
            else:
                yield instruction, 0

    @cached_property
    def entries(self) -> tuple[Property, ...]:
        """The properties that the caps let programs use."""
        return self.caps.properties

    def component(self, name: str) -> int:
        """Bytes of a component of a matrix."""
        return format_named(self.program.matrix(name).component).nbytes

    def each_wave(self, index: Index, loop: int) -> list[int]:
        """An argument for every wave."""
        return [self.value(index, wave, loop) for wave in range(self.program.waves)]

    def wrong_enums(self) -> bool:
        """A use, a memory layout or operands of a product that have no name."""
        layouts = {access.layout for access in self.instructions if isinstance(access, Load | Store)}
        operands = {product.operands for product in self.instructions if isinstance(product, MulAdd)}
        uses = {matrix.use for matrix in self.program.matrices}
        return not layouts <= {0, 1} or not uses <= {0, 1, 2} or not operands <= {0, 0x10}

    def slots(self, matrix: Matrix) -> Iterator[tuple[int, int, bool]]:
        """The sizes that the caps list for component, use and scope of a matrix; the last says whether as steps."""
        for entry in self.entries:
            kinds = ({entry.a}, {entry.b}, {entry.c, entry.result})[matrix.use]
            if entry.scope == matrix.scope and matrix.component in kinds:
                rows = entry.k if matrix.use == 1 else entry.m
                cols = entry.k if matrix.use == 0 else entry.n
                yield rows, cols, not isinstance(entry, FixedSize)

    def has_size(self, matrix: Matrix) -> bool:
        """Whether a matrix has one of those sizes."""
        most = self.caps.maximum
        for rows, cols, steps in self.slots(matrix):
            if steps and not matrix.rows % rows and not matrix.cols % cols and max(matrix.rows, matrix.cols) <= most:
                return True
            if not steps and (matrix.rows, matrix.cols) == (rows, cols):
                return True
        return False

    def _typed(self) -> list[Matrix]:
        return [matrix for matrix in self.program.matrices if matrix.use in (0, 1, 2)]

    def unlisted(self) -> bool:
        """Whether a matrix or product is in no row of the caps, or all are only in rows for different workgroups."""
        if self.in_no_row():
            return True
        groups = {entry.invocations for entry in self.caps.flexible if entry.scope == "workgroup"}
        return len(groups) > 1 and not self.off_granularity() and not any(self.runs_in(group) for group in groups)

    def runs_in(self, invocations: int) -> bool:
        """Whether workgroups of that many invocations have all matrices and products."""
        others = {"subgroup": None, "workgroup": invocations}
        rows = tuple(row for row in self.caps.flexible if others[row.scope] in (None, row.invocations))
        there = Checks(self.program, replace(self.caps, flexible=rows), self.value, self.all_of_it)
        return not there.in_no_row() and not there.off_granularity()

    def in_no_row(self) -> bool:
        """A matrix type, or a product of listed types, that the caps do not list."""
        for matrix in self._typed():
            if not self.has_size(matrix) and not any(steps for _, _, steps in self.slots(matrix)):
                return True
        return any(
            not self.listed_product(*triple)
            for triple in self.triples()
            if all(matrix.use in (0, 1, 2) and self.has_size(matrix) for matrix in triple)
        )

    def triples(self) -> Iterator[Triple]:
        """A, B and C of every product; the result stands in for a constructed C."""
        for instruction in self.instructions:
            if isinstance(instruction, MulAdd):
                names = (instruction.a, instruction.b, instruction.c or instruction.result)
                a, b, c = (self.program.matrix(name) for name in names)
                yield a, b, c

    def listed_product(self, a: Matrix, b: Matrix, c: Matrix) -> bool:
        """Whether one row of the caps has M, N, K, scope and components of a product."""
        return bool(self.product_rows(a, b, c))

    def product_rows(self, a: Matrix, b: Matrix, c: Matrix) -> set[bool]:
        """Whether the caps rows that have a product saturate: an empty set, one answer or both."""
        m, n, k = a.rows, b.cols, a.cols
        found: set[bool] = set()
        if [a.use, b.use, c.use] != [0, 1, 2] or b.rows != k or (c.rows, c.cols) != (m, n):
            return found
        for entry in self.caps.properties:
            if {a.scope, b.scope, c.scope} != {entry.scope}:
                continue
            if (a.component, b.component, c.component, c.component) != (entry.a, entry.b, entry.c, entry.result):
                continue
            if isinstance(entry, FixedSize):
                fits = (m, n, k) == (entry.m, entry.n, entry.k)
            else:
                fits = not (m % entry.m or n % entry.n or k % entry.k) and max(m, n, k) <= self.caps.maximum
            if fits:
                found.add(entry.saturating)
        return found

    def wrong_saturation(self) -> bool:
        """A product that saturates where no row for it does, or does not where every row for it does."""
        for instruction in self.instructions:
            if isinstance(instruction, MulAdd) and instruction.operands in (0, 0x10):
                names = (instruction.a, instruction.b, instruction.c or instruction.result)
                kinds = self.product_rows(*(self.program.matrix(name) for name in names))
                if kinds == {instruction.operands == 0}:
                    return True
        return False

    def off_granularity(self) -> bool:
        """A flexible size that is no multiple, or beyond the maximum."""
        return any(
            any(steps for _, _, steps in self.slots(matrix)) and not self.has_size(matrix) for matrix in self._typed()
        )

    def wrong_storage(self) -> bool:
        """A matrix or an array where none can be, or a product assigned to another type than its addend's."""
        if [matrix for matrix in self.program.matrices if matrix.storage != ""]:
            return True
        arrays = {access.buffer for access in self.instructions if isinstance(access, Access)}
        return bool(arrays.intersection(self.program.uniform)) or self.other_result()

    def other_result(self) -> bool:
        """A product assigned to a matrix of another type than its addend."""
        for instruction in self.instructions:
            if isinstance(instruction, MulAdd) and instruction.c is not None:
                pair = [self.program.matrix(name) for name in (instruction.c, instruction.result)]
                types = {(each.component, each.rows, each.cols, each.use, each.scope) for each in pair}
                if len(types) > 1:
                    return True
        return False

    def store_stride_zero(self) -> bool:
        """A plain store without a stride."""
        stores = [(access, loop) for access, loop in self.executed() if isinstance(access, Store)]
        return any(0 in self.each_wave(access.stride, loop) for access, loop in stores)

    def misaligned(self) -> bool:
        """A plain access whose pointer or stride is not aligned to a line, or to 16 bytes."""
        for access, loop in self.executed():
            if isinstance(access, Load | Store):
                matrix = self.program.matrix(access.matrix)
                width = self.component(access.matrix)
                unit = ARRAY_BYTES[access.array] if access.array else width
                wanted = min(16, width * (matrix.rows if access.layout == 1 else matrix.cols))
                found = self.each_wave(access.offset, loop) + self.each_wave(access.stride, loop)
                if any(argument * unit % wanted for argument in found):
                    return True
        return False


CHECKS: Mapping[str, Callable[[Checks], bool]] = MappingProxyType(
    {
        "KHRCM-ENUMS": Checks.wrong_enums,
        "KHRCM-CAPS-MATCH": Checks.unlisted,
        "KHRCM-CAPS-SAT": Checks.wrong_saturation,
        "KHRCM-STORAGE": Checks.wrong_storage,
        "KHRCM-STRIDE-ZERO": Checks.store_stride_zero,
        "KHRCM-ALIGN": Checks.misaligned,
        "NVCM2-FLEX-CAPS": Checks.off_granularity,
    }
)
"""Validity clause -> the check that finds it broken."""

ARGUMENT_CHECKS = frozenset({"KHRCM-STRIDE-ZERO", "KHRCM-ALIGN", "NVCM2-BASE-ALIGN"})
"""Those about numbers that an argument has at run time."""
