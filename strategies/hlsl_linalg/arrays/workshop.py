"""What gives content to a matrix and what uses it, as classes say: programs that grow by whole operations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import lcm
from typing import Any

from mmaspec.programs.hlsl_linalg.caps import LinalgCaps, MatrixProduct
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType
from mmaspec.programs.hlsl_linalg.program import (
    Accumulate,
    Barrier,
    Branch,
    Cast,
    Instruction,
    Load,
    Matrix,
    Multiply,
    MultiplyAccumulate,
    Repeat,
    Scope,
    Splat,
    Use,
)
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.builder.accesses import (
    Style,
    accumulate,
    load,
    read_elements,
    store,
    write_elements,
)
from mmaspec.strategies.hlsl_linalg.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_linalg.builder.shared_arrays import OWN, SharedRoom, elements_for, fits
from mmaspec.strategies.hlsl_linalg.builder.sizes import common, made
from mmaspec.strategies.hlsl_linalg.revisions import is_earlier
from mmaspec.strategies.hlsl_linalg.templates.parts import is_float, unit_for
from mmaspec.strategies.hlsl_linalg.templates.products import group_waves

BATCH = 4
LEAST_K = 4
SHAPES = {"square": (1, 1), "tall": (2, 1), "wide": (1, 2)}
"""Class of a shape -> rows and columns in units."""
USES: dict[str, Use] = {"a": "A", "b": "B", "accumulator": "Accumulator"}
SCOPES: dict[str, Scope] = {"thread": "Thread", "wave": "Wave", "group": "ThreadGroup"}
LAYOUTS: dict[str, Any] = {"row-major": "RowMajor", "col-major": "ColMajor"}


class CannotBeMade(Exception):
    """The device has no matrix or product for what was chosen."""


@dataclass
class Workshop:
    """A program that grows by whole operations with what is needed around them."""

    context: DrawContext[LinalgCaps]
    waves: int = 1
    in_last: int = 0
    """Lanes of the last wave that the group has; 0: all."""
    body: list[Instruction] = field(default_factory=list)
    made: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    """Buffers that end at a byte of their own."""
    literal: bool = False
    """Whether no argument is read at run time."""
    nested: bool = False
    """Whether what is added stands in a loop or branch."""

    def __post_init__(self) -> None:
        self.b: ProgramBuilder = ProgramBuilder(self.context, self.waves)
        if self.in_last:
            self.b.threads = (self.b.waves - 1) * self.b.wave_size + min(self.in_last, self.b.wave_size)
        self.b.room("in", read_only=self.b.choices.chance(50))
        self.b.room("out")

    def name(self, stem: str) -> str:
        """A name that nothing else has."""
        self.made += 1
        return f"{stem}{self.made}"

    def sides(self, shape: str, *kinds: tuple[ComponentType, Use], least: int = LEAST_K) -> tuple[int, int]:
        """Rows and columns that matrices of all these types and uses may have, as small as they can be."""
        units = [unit_for(self.context, component, use) for component, use in kinds]
        if None in units:
            raise CannotBeMade
        unit = common(*(one for one in units if one))
        side = lcm(unit.rows, unit.columns)
        if is_earlier(self.b.caps):  # whose least K counts words
            least = max(least, LEAST_K * max(COMPONENTS[component].packed for component, _ in kinds))
        side *= -(-least // side)
        rows, columns = SHAPES[shape]
        if side * max(rows, columns) > 128:
            raise CannotBeMade
        return side * rows, side * columns

    def matrix(self, component: ComponentType, use: Use, scope: Scope, size: tuple[int, int] | None = None) -> Matrix:
        """A new matrix."""
        return self.b.matrix(self.name(use[0]), component, size or self.sides("square", (component, use)), use, scope)

    def add(self, *instructions: Instruction) -> None:
        """More of the program."""
        self.body += instructions

    def give(self, matrix: Matrix, origin: str) -> None:
        """Content for a matrix, of a class of ``content-from``."""
        match origin:
            case "load":
                self.add(load(self.b, matrix, "in"))
            case "array-load":
                self._from_array(matrix)
            case "splat":
                scalar = "float" if is_float(matrix.component) else "int"
                self.add(Splat(matrix.name, scalar, self.b.scalar(matrix.name, scalar, plain=True)))  # type: ignore[arg-type]
            case "cast":
                source = self.matrix(*self._other(matrix), matrix.scope, (matrix.m, matrix.n))
                self.give(source, "load")
                self.add(Cast(matrix.name, source.name))
            case "elements":
                self.give(matrix, "load")
                self.add(write_elements(self.b, matrix, "in", 2, 1), Barrier())
            case "product":
                a, b = self.factors(matrix)
                self.add(Multiply(matrix.name, a, b))
            case "accumulate":
                a, b = self.factors(matrix)
                self.give(matrix, "load")
                self.add(MultiplyAccumulate(matrix.name, a, b))
            case "addition":
                self.give(matrix, "load")
                self.add(Accumulate(matrix.name, self.operand(matrix)))
            case _:
                raise CannotBeMade

    def use(self, matrix: Matrix, goes: str) -> None:
        """What follows, of a class of ``content-goes`` or the like; whatever it makes of the matrix is stored."""
        match goes:
            case "nothing":
                return
            case "store":
                self.add(store(self.b, matrix, "out"))
                return
            case "array-store":
                self._to_array(matrix)
                return
            case "sum":
                room = self.name("sum")
                self.b.room(room)
                added = accumulate(self.b, matrix, room, Style(own=True, run_time=0))
                before = self.matrix(matrix.component, matrix.use, matrix.scope, (matrix.m, matrix.n))
                there = Load(before.name, room, added.offset, added.stride, added.layout, data=before.name)
                self.add(there, Barrier(), added)
                return
            case "cast" | "conversion":
                target = self.matrix(*self._other(matrix), matrix.scope, (matrix.m, matrix.n))
                self.add(Cast(target.name, matrix.name), store(self.b, target, "out"))
                return
            case "elements":
                self.add(read_elements(self.b, matrix, "out"))
                return
            case "factor":
                self._multiplied(matrix)
                return
            case "operand":
                total = self.matrix(self._total(matrix), "Accumulator", matrix.scope, (matrix.m, matrix.n))
                self.give(total, "load")
                self.add(Accumulate(total.name, matrix.name), store(self.b, total, "out"))
                return
            case "accumulate":
                a, b = self.factors(matrix)
                self.add(MultiplyAccumulate(matrix.name, a, b))
            case "addition" | "addend":
                # The operand is loaded into a matrix of its own, so that what uses the accumulator next is the sum.
                self.add(Accumulate(matrix.name, self.operand(matrix)))
            case "overwritten":
                self._overwritten(matrix)
            case _:
                raise CannotBeMade
        self.add(store(self.b, matrix, "out"))

    def _overwritten(self, matrix: Matrix) -> None:
        """A Load over what a matrix has. Of several waves the last one keeps it, or nothing would tell what it was."""
        over = load(self.b, matrix, "in", data=self.name("over"))
        kept = matrix.scope == "Wave" and self.b.waves > 1 and not self.nested
        self.add(Branch(0, (over,), self.b.waves - 1) if kept else over)

    def operand(self, total: Matrix) -> str:
        """An A or B that can be added to an accumulator."""
        uses: tuple[Use, ...] = ("A", "B")
        fitting: list[Use] = [use for use in uses if self._can(total.component, use, total)]
        if not fitting:
            raise CannotBeMade
        use = fitting[0]
        found = self.matrix(total.component, use, total.scope, (total.m, total.n))
        self.give(found, "load")
        return found.name

    def _can(self, component: ComponentType, use: Use, like: Matrix) -> bool:
        unit = unit_for(self.context, component, use)
        fits = unit is not None and like.m % unit.rows == like.n % unit.columns == 0
        return fits and component in made(self.b.caps)

    def _other(self, matrix: Matrix) -> tuple[ComponentType, Use]:
        """A type and use to cast from or to: another type where the device has one of that shape."""
        wanted: Sequence[ComponentType] = ("F32", "I32", "F16", "I16")
        others: list[ComponentType] = [one for one in wanted if one != matrix.component]
        others.append(matrix.component)
        for component in others:
            if is_float(component) == is_float(matrix.component) and self._can(component, matrix.use, matrix):
                return component, matrix.use
        raise CannotBeMade

    def _total(self, matrix: Matrix) -> ComponentType:
        component: ComponentType = "F32" if is_float(matrix.component) else "I32"
        if not self._can(component, "Accumulator", matrix):
            raise CannotBeMade
        return component

    def product_for(self, total: Matrix) -> tuple[MatrixProduct, tuple[int, int, int]]:
        """A product of the device whose result such an accumulator is, and a shape of it."""
        for row in self.b.caps.products:
            if row.accumulator == total.component and (total.scope == "Wave" or self._by_group(row)):
                for shape in row.shapes:
                    if total.m % shape[0] == total.n % shape[2] == 0:
                        return row, shape
        raise CannotBeMade

    def let_groups_multiply(self, row: MatrixProduct) -> None:
        """As many waves as products of ThreadGroup scope take; before anything is in the program."""
        if not self._by_group(row):
            counts = group_waves(self.context, row, self.b.wave_size)
            if not counts:
                raise CannotBeMade
            self.b.waves, self.b.threads = counts[0], 0

    def _by_group(self, row: MatrixProduct) -> bool:
        least, most = row.group_threads
        return bool(least) and least <= self.b.group <= most and self.b.group % least == 0

    def factors(self, total: Matrix) -> tuple[str, str]:
        """An A and a B whose product such an accumulator takes."""
        row, shape = self.product_for(total)
        a = self.matrix(row.a, "A", total.scope, (total.m, shape[1]))
        b = self.matrix(row.b, "B", total.scope, (shape[1], total.n))
        if not (self._can(row.a, "A", a) and self._can(row.b, "B", b)):
            raise CannotBeMade
        self.give(a, "load")
        self.give(b, "load")
        return a.name, b.name

    def _multiplied(self, matrix: Matrix) -> None:
        """A product with a factor, of which the other one is loaded before: it is next used here."""
        for row in self.b.caps.products:
            own = row.a if matrix.use == "A" else row.b
            if own != matrix.component or not (matrix.scope == "Wave" or self._by_group(row)):
                continue
            for m, k, n in row.shapes:
                if matrix.use == "A" and matrix.m % m == matrix.n % k == 0:
                    other = self.matrix(row.b, "B", matrix.scope, (matrix.n, n))
                    total = self.matrix(row.accumulator, "Accumulator", matrix.scope, (matrix.m, n))
                    names = matrix.name, other.name
                elif matrix.use == "B" and matrix.m % k == matrix.n % n == 0:
                    other = self.matrix(row.a, "A", matrix.scope, (m, matrix.m))
                    total = self.matrix(row.accumulator, "Accumulator", matrix.scope, (m, matrix.n))
                    names = other.name, matrix.name
                else:
                    continue
                self.give(other, "load")
                self.add(Multiply(total.name, *names), store(self.b, total, "out"))
                return
        raise CannotBeMade

    def array(self, matrix: Matrix) -> SharedRoom:
        """An array of its own for a matrix."""
        own = OWN.get(matrix.component)
        elements = (own,) if own is not None else elements_for(matrix.component, self.b.caps)
        if not elements:
            raise CannotBeMade
        element = elements[-1]
        return SharedRoom(self.b, self.name("array"), element)

    def _from_array(self, matrix: Matrix) -> None:
        room = self.array(matrix)
        found = room.load(matrix)
        whole = COMPONENTS[matrix.component].native
        if not whole:
            found = type(found)(found.matrix, found.memory, found.offset, found.stride, found.layout)
        self.add(room.stage("in", data=None if whole else self.name("staged")), Barrier(), found)
        room.finish()

    def _to_array(self, matrix: Matrix) -> None:
        room = self.array(matrix)
        stored = room.store(matrix)
        self.add(room.stage("in", data=self.name("beside")), Barrier(), stored, Barrier(), room.unstage("out"))
        room.finish()

    @contextmanager
    def around(self, flow: str) -> Iterator[None]:
        """Instructions that are added in this context stand in a loop or branch, as a class of ``in-flow`` says."""
        outside, self.body, self.nested = self.body, [], flow != "straight"
        passes = 2 if flow in ("first-pass", "later-pass") else 1
        with self.b.loop(passes):
            yield
        inside: Any = tuple(self.body)
        self.body, self.nested = outside, False
        match flow:
            case "straight":
                self.add(*inside)
            case "first-pass" | "later-pass":
                self.add(Repeat(passes, inside))
            case "branch-all":
                self.add(Branch(self.b.wave_size, inside))
            case "branch-waves":
                self.add(Branch(0, inside, max(self.b.waves - 1, 1)))
            case "branch-lanes":
                self.add(Branch(max(self.b.wave_size // 2 - 1, 1), inside))

    def draft(self, regime: str, batch: int = BATCH) -> Draft | None:
        """The program; None where its arrays are more than a thread group has."""
        rooms = {one.name for one in self.b.rooms.values() if not one.used}
        for name in rooms:
            del self.b.rooms[name]
        return self.b.draft(self.body, regime, batch) if fits(self.b) else None
