"""What is no program at all, and what each instruction reads and writes."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal, RunTime
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg import (
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    FromThreadVectors,
    GetThreadVector,
    InterlockedAccumulate,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    Operate,
    OuterProduct,
    ReadElements,
    Repeat,
    SharedArray,
    Simple,
    Splat,
    Stage,
    Store,
    SumAccumulate,
    Unary,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)
from mmaspec.programs.hlsl_linalg.operands import reads, writes
from mmaspec.programs.hlsl_linalg.well_formed import check_well_formed
from tests.hlsl_linalg.small_programs import BASES, Edit, after, before, changed, declared

CONVERSION = ConvertLayout("F16", 8, 16, "a", 0, "RowMajor", "out", 0, "ColMajor", 32, 16)

NONSENSE: tuple[tuple[str, str, Edit], ...] = (
    ("buffer or array 'a' is declared twice", "arrays", lambda p: replace(p, arrays=(SharedArray("a", "int", 4),))),
    ("buffer 'a' is declared twice", "sums", lambda p: replace(p, buffers=(*p.buffers, Buffer("a", 16)))),
    ("matrix or vector 'M'", "vectors", lambda p: replace(p, vectors=(*p.vectors, Vector("M", "F16", 4)))),
    ("no buffer named 'z'", "sums", lambda p: replace(p, read_only=("z",))),
    ("base 24", "sums", lambda p: replace(p, buffers=(Buffer("a", 512, 24), *p.buffers[1:]))),
    ("0 waves", "sums", lambda p: replace(p, waves=0)),
    ("waves of 24 lanes", "sums", lambda p: replace(p, wave_size=24)),
    ("waves of 256 lanes", "sums", lambda p: replace(p, wave_size=256)),
    ("64 threads are not 1 waves of 32", "sums", lambda p: replace(p, threads=64)),
    ("32 threads are not 2 waves of 32", "sums", lambda p: replace(p, threads=32, waves=2)),
    ("threads of the group 2048", "sums", lambda p: replace(p, waves=64)),
    ("length 0", "arrays", lambda p: replace(p, arrays=(SharedArray("g", "half", 0), p.arrays[1]))),
    ("width 2000", "arrays", lambda p: replace(p, arrays=(SharedArray("g", "half", 1, 2000), p.arrays[1]))),
    ("size in bytes", "arrays", lambda p: replace(p, arrays=(SharedArray("g", "double", 1 << 18), p.arrays[1]))),
    ("m = 0", "sums", lambda p: declared(p, "A", m=0)),
    ("n = 4096", "sums", lambda p: declared(p, "A", n=4096)),
    ("length 0", "vectors", lambda p: declared(p, "x", length=0)),
    ("lanes of a branch 33", "sums", lambda p: replace(p, body=(Branch(33, ()),))),
    ("waves of a branch 2", "sums", lambda p: replace(p, body=(Branch(0, (), 2),))),
    ("0 passes", "sums", lambda p: replace(p, body=(Repeat(0, (Barrier(),)),))),
    ("inside the shader", "sums", lambda p: before(p, 2, CONVERSION)),
    ("inside a loop or branch", "sums", lambda p: after(p, Repeat(2, (CONVERSION,)))),
    ("not all threads take", "sums", lambda p: after(p, Branch(16, (Barrier(),)))),
    ("not all threads take", "arrays", lambda p: replace(p, body=(Branch(8, (p.body[0],)),))),  # type: ignore[arg-type]
    ("no matrix or vector named 'Z'", "sums", lambda p: changed(p, 0, matrix="Z")),
    ("no matrix named 'x'", "vectors", lambda p: after(p, Splat("x", "half", Literal(0)))),
    ("no vector named 'M'", "vectors", lambda p: after(p, VectorStore("M", "out", 0))),
    ("no vector named 'M'", "vectors", lambda p: after(p, Convert("i", "M"))),
    ("no matrix named 'x'", "vectors", lambda p: after(p, Cast("M", "x"))),
    ("no vector named 'M'", "vectors", lambda p: changed(p, 3, bias="M")),
    ("no matrix named 'x'", "vectors", lambda p: after(p, Multiply("M", "x", "M"))),
    ("no matrix named 'x'", "vectors", lambda p: after(p, Unary("M", "abs", "x"))),
    ("no vector named 'M'", "vectors", lambda p: after(p, FromThreadVectors("M", "M"))),
    ("no matrix named 'x'", "vectors", lambda p: after(p, GetThreadVector("x", "x"))),
    ("no matrix named 'x'", "vectors", lambda p: after(p, SumAccumulate("M", "M", "x"))),
    ("index -1", "vectors", lambda p: after(p, GetThreadVector("x", "M", -1))),
    ("value 0x10000", "sums", lambda p: after(p, Operate("A", "add", "half", Literal(1 << 16)))),
    ("step of a wave 0x10000", "sums", lambda p: after(p, Operate("A", "add", "half", Literal(0), wave=1 << 16))),
    ("no multiple of 4", "sums", lambda p: after(p, Operate("A", "add", "int", FromBuffer("a", 2)))),
    ("no buffer named 'z'", "sums", lambda p: changed(p, 0, memory="z")),
    ("no buffer named 'z'", "vectors", lambda p: changed(p, 3, bias=MemoryBias("z", 0, "F16"))),
    ("no groupshared array named 'a'", "sums", lambda p: after(p, Stage("a", "a", 0, 1))),
    ("not resolved", "sums", lambda p: changed(p, 0, offset=RunTime("a", 0))),
    ("offset -16", "sums", lambda p: changed(p, 0, offset=-16)),
    ("offset -31", "sums", lambda p: changed(p, 0, offset=Affine(0, lane=-1))),
    ("stride 4294967296", "sums", lambda p: changed(p, 0, stride=1 << 32)),
    ("alignment -1", "sums", lambda p: changed(p, 0, align=-1)),
    ("an array with an alignment", "arrays", lambda p: changed(p, 3, align=128)),
    ("only an array", "sums", lambda p: changed(p, 5, target="F32")),
    ("value 0x10000", "sums", lambda p: after(p, Splat("A", "half", Literal(1 << 16)))),
    ("step of a lane 0x10000", "sums", lambda p: after(p, Splat("A", "half", Literal(0), lane=1 << 16))),
    ("no multiple of 4", "sums", lambda p: after(p, Splat("A", "int", FromBuffer("a", 2)))),
    ("no multiple of 2", "vectors", lambda p: changed(p, 1, offset=3)),
    ("no multiple of 2", "vectors", lambda p: changed(p, 1, offset=Affine(0, lane=31))),
    ("no multiple of 4", "packed", lambda p: changed(p, 1, offset=2)),
    ("no multiple of 4", "sums", lambda p: after(p, AccumulatorLayout("sum", 2))),
    ("no multiple of 4", "sums", lambda p: after(p, CountElements("C", "sum", 6))),
    ("no multiple of 4", "sums", lambda p: changed(p, 6, stride=34)),
    ("differs from lane to lane", "sums", lambda p: changed(p, 6, offset=Affine(0, lane=4))),
    ("'a' is read-only", "sums", lambda p: after(replace(p, read_only=("a",)), ReadElements("A", "a", 0, 16))),
    ("'m' is read-only", "vectors", lambda p: changed(p, 5, buffer="m")),
    ("'m' is read-only", "vectors", lambda p: after(p, AccumulatorLayout("m", 0))),
    ("remainder 2", "sums", lambda p: changed(p, 7, modulo=2, keep=2)),
    ("value 0x10000", "sums", lambda p: after(p, Beyond("A", "sum", 0, 0, 1 << 16))),
    ("differs in the group", "arrays", lambda p: changed(p, 0, start=Affine(0, wave=64))),
    ("elements over all passes 0", "arrays", lambda p: changed(p, 0, count=0)),
    ("m = 0", "outer", lambda p: changed(p, 0, m=0)),
    ("source stride -1", "outer", lambda p: changed(p, 0, source_stride=-1)),
    ("elements over all threads and passes", "vectors", lambda p: declared(replace(p, waves=32), "M", n=1024)),
)


@pytest.mark.parametrize(("says", "base", "edit"), NONSENSE, ids=range(len(NONSENSE)))
def test_no_program_at_all(says: str, base: str, edit: Edit) -> None:
    with pytest.raises(BadInput) as caught:
        check_well_formed(edit(BASES[base]()))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", BASES)
def test_small_programs_are_programs(name: str) -> None:
    check_well_formed(BASES[name]())


OPERANDS: tuple[tuple[Simple, tuple[str, ...], str | None], ...] = (
    (Splat("X", "int", Literal(0)), (), "X"),
    (Cast("X", "Y"), ("Y",), "X"),
    (Load("X", "a", 0), (), "X"),
    (Store("X", "a", 0), ("X",), None),
    (InterlockedAccumulate("X", "a", 0), ("X",), None),
    (ReadElements("X", "a", 0, 0), ("X",), None),
    (WriteElements("X", "a", 0, 0), ("X",), "X"),
    (Beyond("X", "a", 0), ("X",), "X"),
    (CountElements("X", "a", 0), ("X",), None),
    (Multiply("X", "Y", "Z"), ("Y", "Z"), "X"),
    (MultiplyAccumulate("X", "Y", "Z"), ("Y", "Z", "X"), "X"),
    (Accumulate("X", "Y"), ("X", "Y"), "X"),
    (AccumulatorLayout("a", 0), (), None),
    (VectorLoad("v", "a", 0), (), "v"),
    (VectorStore("v", "a", 0), ("v",), None),
    (VectorAccumulate("v", "a", 0), ("v",), None),
    (Convert("v", "w"), ("w",), "v"),
    (MultiplyVector("v", "X", "w"), ("X", "w"), "v"),
    (MultiplyVector("v", "X", "w", "u"), ("X", "w", "u"), "v"),
    (MultiplyVector("v", "X", "w", MemoryBias("a", 0, "F16")), ("X", "w"), "v"),
    (OuterProduct("X", "v", "w"), ("v", "w"), "X"),
    (Stage("g", "a", 0, 1), (), None),
    (Unstage("g", "a", 0, 1), (), None),
    (CONVERSION, (), None),
    (Barrier(), (), None),
    (Operate("X", "add", "int", Literal(0)), ("X",), "X"),
    (Unary("X", "abs", "Y"), ("Y",), "X"),
    (SumAccumulate("X", "Y", "Z"), ("Y", "Z", "X"), "X"),
    (FromThreadVectors("X", "v"), ("v",), "X"),
    (GetThreadVector("v", "X"), ("X",), "v"),
)


@pytest.mark.parametrize(("instruction", "used", "made"), OPERANDS, ids=[type(one).__name__ for one, _, _ in OPERANDS])
def test_what_an_instruction_reads_and_writes(instruction: Simple, used: tuple[str, ...], made: str | None) -> None:
    assert reads(instruction) == used
    assert writes(instruction) == made


def test_every_instruction_is_listed() -> None:
    assert {type(one) for one, _, _ in OPERANDS} == set(Simple.__args__)


def test_a_matrix_of_an_unknown_type_is_a_program() -> None:
    """What the text does not list is a breach of it, and no input that cannot be used."""
    check_well_formed(replace(BASES["sums"](), matrices=(*BASES["sums"]().matrices, Matrix("X", "I1", 8, 8, "A"))))
