"""Programs that load, or store over, what they stored before a barrier: plainly, as tensors, from other instances."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.oracle.spec import Row
from mmaspec.programs.base import Affine, Index
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    ROW_MAJOR,
    USE_A,
    USE_ACCUMULATOR,
    Barrier,
    Branch,
    Load,
    LoadTensor,
    Matrix,
    SetDimension,
    Simple,
    Store,
    StoreTensor,
)
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import LINE, ProgramBuilder
from mmaspec.strategies.nv_coopmat2.features import TENSORS, has
from mmaspec.strategies.nv_coopmat2.templates.operations import like
from mmaspec.strategies.nv_coopmat2.templates.plain import load, store

INSTANCES = {"one": 1, "two": 2}
PLACES = ("straight", "in-loop", "in-branch")
WAYS = ("plain-to-plain", "tensor-to-tensor", "plain-to-tensor", "tensor-to-plain")


class _Shop:
    """Where an accumulator lies in the buffer over which it is handed, and the instructions that move it there."""

    def __init__(self, builder: ProgramBuilder, way: str, passes: int) -> None:
        self.builder, self.passes = builder, passes
        self.stores, _, self.loads = way.partition("-to-")
        self.matrix = builder.matrix(USE_ACCUMULATOR)
        self.nbytes = format_named(self.matrix.component).nbytes
        self.extent = self.matrix.rows * self.matrix.cols * self.nbytes
        self.start = builder.region("handed", 2 * self.extent * builder.waves)
        tensors = "tensor" in (self.stores, self.loads)
        self.tensor = builder.layout((SetDimension((self.matrix.rows, self.matrix.cols)),)) if tensors else ""
        self.body: list[Simple] = []

    def at(self, matrix: Matrix, shift: int = 0, *, others: bool = False) -> Index:
        """Bytes from the start as an offset of a matrix: an instance's own, or those of ``others``."""
        width = format_named(matrix.component).nbytes
        first, wave = (self.start + shift) // width, 2 * self.extent // width
        if self.builder.waves == 1:
            return first
        return Affine(first + wave, -wave) if others else Affine(first, wave)

    def put(self, matrix: Matrix, shift: int = 0, *, again: bool = False) -> None:
        """A store; ``again``: in the way in which otherwise is loaded, over what was stored in the other."""
        if (self.loads if again else self.stores) == "tensor":
            self.body.append(StoreTensor(matrix.name, "handed", self.at(matrix, shift), self.tensor))
        else:
            self.body.append(Store(matrix.name, "handed", self.at(matrix, shift), matrix.cols))

    def take(
        self, matrix: Matrix, shift: int = 0, *, turned: bool = False, others: bool = False, data: str | None = None
    ) -> Load | LoadTensor:
        """A load: ``turned`` with rows and columns exchanged."""
        where = self.at(matrix, shift, others=others)
        if self.loads == "tensor":
            view = self.builder.view(permutation=(1, 0)) if turned else None
            return LoadTensor(matrix.name, "handed", where, self.tensor, data=data, view=view)
        line, layout = (matrix.rows, COLUMN_MAJOR) if turned else (matrix.cols, ROW_MAJOR)
        return Load(matrix.name, "handed", where, line, layout, data=data)

    def show(self, matrix: Matrix, found: Simple) -> None:
        """A load and a store of what it finds."""
        self.body += [found, store(self.builder, matrix, passes=self.passes)]


def _handed_over(context: DrawContext[CoopMatCaps], chosen: Chosen) -> Draft | None:
    builder = ProgramBuilder(context, most_waves=1)
    builder.waves = INSTANCES[chosen["scope-instances"]]
    place = chosen["barrier-place"]
    passes = 2 if place == "in-loop" else 1
    shop = _Shop(builder, chosen["way"], passes)
    first, half = shop.matrix, shop.extent // 2
    other = like(builder, first)
    # What lies behind the first half of what is stored is known: it was loaded before.
    builder.add(load(builder, first), shop.take(other, half, data="H"), store(builder, other))
    shop.put(first)
    shop.body.append(Barrier())
    found = [like(builder, first) for _ in range(3)]
    shop.show(found[0], shop.take(found[0], others=builder.waves > 1))
    shop.show(found[1], shop.take(found[1], turned=True))
    shop.show(found[2], shop.take(found[2], half))
    if builder.waves > 1:
        shop.show(found[2], shop.take(found[2]))
    narrow = builder.matrix(USE_A)
    shop.show(narrow, shop.take(narrow))
    shop.body.append(Barrier())
    shop.put(other, half, again=True)
    if passes > 1:
        shop.body.append(Barrier())
        builder.repeat(passes, *shop.body)
        _scanned(builder, like(builder, first))
    elif place == "in-branch":
        builder.add(Branch(builder.run_time(3) if builder.choices.chance(50) else 1, tuple(shop.body)))
    else:
        builder.add(*shop.body)
    return builder.draft("distinct", batch=2)


def _scanned(builder: ProgramBuilder, matrix: Matrix) -> None:
    """A loop in which every pass loads what the one before stored, beside it."""
    width = format_named(matrix.component).nbytes
    step = matrix.rows * matrix.cols
    start = builder.region("scanned", 4 * step * width * builder.waves) // width
    wave = 4 * step if builder.waves > 1 else 0
    builder.add(Load(matrix.name, "scanned", Affine(start, wave) if wave else start, matrix.cols, data="F"))
    moved = Load(matrix.name, "scanned", Affine(start, wave, step), matrix.rows, COLUMN_MAJOR)
    builder.repeat(3, moved, Store(matrix.name, "scanned", Affine(start + step, wave, step), matrix.cols), Barrier())


@lru_cache(maxsize=16)
def _row(caps: CoopMatCaps) -> str:
    """The row that has most of it: fixed and square, subgroup scope, with A narrower than the accumulator."""

    def worth(row: Row[Any]) -> tuple[bool, ...]:
        one = row.entry
        narrow = format_named(one.a).bits < format_named(one.c).bits
        return (one.scope == "subgroup", one.m == one.n == one.k, narrow, isinstance(one, FixedSize))

    return max(rows(caps), key=worth).name


def _fits(row: Row[Any], caps: CoopMatCaps, axis: str, name: str) -> bool:
    entry = row.entry
    width = min(format_named(entry.a).nbytes * entry.k, format_named(entry.c).nbytes * min(entry.m, entry.n))
    half = entry.m * entry.n * format_named(entry.c).nbytes // 2
    smaller = format_named(entry.a).nbytes * entry.m * entry.k <= 2 * half
    if row.name != _row(caps) or entry.m != entry.n or entry.k > entry.n or not smaller:
        return False
    if width % LINE or half % LINE or (axis == "way" and "tensor" in name and not has(caps, TENSORS)):
        return False
    return not (name == "two" and entry.scope != "subgroup")


HANDED_OVER = Array(
    name="handed-over",
    focus=("KHRCM-LOAD-ROW", "KHRCM-LOAD-COL", "NVCM2-STORE-ONLY-ELEMS"),
    axes={"way": WAYS, "barrier-place": PLACES, "scope-instances": tuple(INSTANCES)},
    build=_handed_over,
    fits=_fits,
)
"""What was stored is loaded in the same and in other layouts, types and places, and then stored over."""
