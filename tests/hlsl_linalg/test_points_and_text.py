"""Coverage points name clauses of the catalogue; programs have a text, and their data a place in memory."""

from __future__ import annotations

import re

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.sources import sources
from mmaspec.oracle.hlsl_linalg.text import text
from mmaspec.programs.base import Affine, Buffer, FromBuffer, Literal
from mmaspec.programs.errors import BadInput
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    Accumulate,
    AccumulatorLayout,
    Barrier,
    Beyond,
    Branch,
    Cast,
    Convert,
    ConvertLayout,
    CountElements,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    OuterProduct,
    ReadElements,
    Repeat,
    SharedArray,
    Splat,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
    WriteElements,
)

from .by_hand import expected
from .catalogue import catalogue

EVERYTHING = LinalgProgram(
    buffers=tuple(Buffer(name, 4096, 0) for name in ("in", "w", "opt", "out", "d")),
    matrices=(
        Matrix("A", "F16", 8, 8, "A"), Matrix("B", "F16", 8, 8, "B"), Matrix("C", "F32", 8, 8, "Accumulator"),
        Matrix("P", "F8_E4M3FN", 8, 8, "A"), Matrix("T", "F16", 4, 8, "A", "Thread"),
        Matrix("O", "F16", 8, 8, "Accumulator", "Thread"), Matrix("G", "I32", 8, 8, "Accumulator", "ThreadGroup"),
    ),
    vectors=(Vector("v", "F16", 8), Vector("x", "F8_E4M3FN", 8), Vector("r", "F16", 4), Vector("u", "F16", 8)),
    arrays=(SharedArray("g", "float", 16, 4), SharedArray("h", "uint8_t4_packed", 32)),
    body=(
        ConvertLayout("F16", 4, 8, "w", 0, "RowMajor", "opt", 128, "MulOptimal", 16, 0, 256, "weights"),
        ConvertLayout("F16", 8, 8, "w", 512, "RowMajor", "opt", 1024, "OuterProductOptimal", 16, 0, 256, "old"),
        Load("A", "in", Affine(0, 128), 16, data="a"),
        Load("B", "in", 512, 16, "ColMajor", 128, "b"),
        Multiply("C", "A", "B"),
        MultiplyAccumulate("C", "A", "B"),
        Accumulate("C", "B"),
        Cast("P", "A"),
        Cast("B", "A", True),
        Splat("G", "int", FromBuffer("in", 1024, "one"), 2, 3),
        Stage("g", "in", 2048, 64, data="staged"),
        Barrier(),
        Load("C", "g", 0, 8),
        InterlockedAccumulate("C", "g", 0, 8),
        Store("P", "h", 0, 16),
        Barrier(),
        Unstage("g", "out", 2048, 64),
        Unstage("h", "out", 1024, 32),
        ReadElements("C", "out", Affine(0, 512), 32),
        WriteElements("A", "in", 3072, 16, 3, 1, "set"),
        Beyond("A", "out", 3072, 1, 5),
        CountElements("A", "d", 0, "count"),
        AccumulatorLayout("d", Affine(16, 4)),
        VectorLoad("v", "in", Affine(1536, 0, 0, lane=16), "vec"),
        Convert("x", "v"),
        Load("T", "opt", 128, 0, "MulOptimal"),
        MultiplyVector("r", "T", "v", MemoryBias("w", 2048, "F16", "bias")),
        MultiplyVector("r", "T", "x", "r"),
        MultiplyVector("r", "T", "x"),
        VectorAccumulate("r", "d", 1024, 64),
        VectorStore("r", "d", Affine(128, lane=16)),
        OuterProduct("O", "v", "v"),
        InterlockedAccumulate("O", "opt", 1024),
        InterlockedAccumulate("C", "d", 2048, 32),
        Branch(2, (VectorLoad("u", "in", Affine(1536, lane=16)),), 1),
        Repeat(2, (Load("B", "in", 512, 16, "ColMajor"),)),
        ConvertLayout("F16", 8, 8, "opt", 1024, "OuterProductOptimal", "d", 3072, "ColMajor", 0, 16),
    ),
    read_only=("in", "w"),
    waves=2,
    wave_size=4,
)  # fmt: skip


def filled():
    rng = np.random.default_rng(0)
    return {name: (rng.integers(0, 60, 4096) % 60).astype(np.uint8).tobytes() for name in ("in", "w", "d")}


def test_every_point_names_a_clause_of_the_catalogue():
    demanded = expected(EVERYTHING, filled())
    found = {point for step in demanded.steps for point in step.points}
    clauses = {point.partition("/")[0] for point in found}
    assert clauses <= set(catalogue().clause)
    assert {
        "LINALG-LOAD-ADDR", "LINALG-MUL", "LINALG-MAC", "LINALG-ACCUMULATE", "LINALG-CAST",
        "LINALG-CAST-TRANSPOSE", "LINALG-SPLAT", "LINALG-GS-UNITS", "LINALG-ACC-GS-ADD", "LINALG-GET",
        "LINALG-SET", "LINALG-COORD", "LINALG-COORD-BEYOND", "LINALG-LENGTH", "LINALG-ACCLAYOUT",
        "LINALG-CONVERT", "LINALG-VECMUL", "LINALG-VECMULADD", "LINALG-BIAS-MEMORY", "LINALG-VEC-ACC",
        "LINALG-OUTER", "LINALG-OUTER-SUM", "LINALG-OPT-LOAD", "LINALG-LAYOUT-CONVERT", "LINALG-PACK-COUNT",
        "LINALG-FP8-FORMATS", "LINALG-ACC-ADD",
    } <= clauses  # fmt: skip


def test_every_instruction_has_a_step_and_every_ambiguity_an_entry():
    demanded = expected(EVERYTHING, filled())
    assert len(demanded.steps) == len(EVERYTHING.body) + 1  # the loop has two passes
    assert demanded.consulted <= {name for name, entry in catalogue().ambiguity.items() if entry.readings}


def test_data_lie_where_the_loads_find_them():
    found = {source.name: source for source in sources(EVERYTHING)}
    assert {name: source.role for name, source in found.items()} == {
        "weights": "a", "old": "c", "a": "a", "b": "b", "one": "scalar", "staged": "c", "set": "a", "count": "scalar",
        "vec": "b", "bias": "c",
    }  # fmt: skip
    assert found["a"].shape == (2, 1, 8, 8)
    assert found["a"].addresses[0, 1, 0, 2, 3] == 128 + 2 * 16 + 3 * 2
    assert found["b"].shape == (1, 1, 8, 8)
    assert found["b"].addresses[0, 0, 0, 2, 3] == 512 + 3 * 16 + 2 * 2
    assert found["vec"].shape == (1, 1, 1, 32)  # the waves have the same vectors
    assert found["bias"].addresses.ravel().tolist() == [2048, 2050, 2052, 2054]
    assert found["staged"].shape == (1, 1, 1, 64)
    assert found["count"].fmt.name == "u32"


def test_data_of_a_load_from_an_array_lie_where_they_were_staged_from():
    program = LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"),),
        arrays=(SharedArray("g", "uint", 64),),
        body=(Stage("g", "in", 64, 64), Barrier(), Load("A", "g", 0, 16, data="a"), Store("A", "out", 0, 16)),
    )
    (found,) = sources(program)
    assert (found.buffer, found.fmt.name, found.shape) == ("in", "f16", (1, 1, 4, 8))
    assert found.addresses[0, 0, 0, 3, 5] == 64 + 3 * 32 + 5 * 2


def test_data_outside_their_buffer_are_no_data():
    program = LinalgProgram(
        buffers=(Buffer("in", 72, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"),),
        body=(Load("A", "in", 0, 32, data="a"), Store("A", "out", 0, 16)),
    )
    (found,) = sources(program)
    assert found.shape == (1, 1, 1, 20)  # two rows, and four elements of the third
    assert int(found.addresses.max()) == 70


@pytest.mark.parametrize("offset", [2, 256])
def test_data_that_overlap_are_bad_input(offset):
    program = LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"), Matrix("B", "F16", 4, 8, "B")),
        body=(Load("A", "in", 0, 32, data="a"), Load("B", "in", offset, 32, data="b")),
    )
    if offset == 256:
        assert len(sources(program)) == 2
        return
    with pytest.raises(BadInput, match="overlap"):
        sources(program)


def loaded_twice(offset, stride, buffers=1024):
    """A matrix that is loaded under one name from two places."""
    return LinalgProgram(
        buffers=(Buffer("in", buffers, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"), Matrix("B", "F16", 4, 8, "A")),
        body=(Load("A", "in", 0, 32, data="a"), Load("B", "in", offset, stride, data="a")),
    )


def test_a_byte_that_is_two_elements_of_one_name_is_told_so():
    with pytest.raises(BadInput, match=r"program: elements of data 'a' overlap in buffer in$"):
        sources(loaded_twice(2, 32))
    program = loaded_twice(256, 32)
    assert len(sources(program)) == 1
    other = Load("B", "in", 258, 32, data="b")
    with pytest.raises(BadInput, match=r"program: data 'b' overlaps other data in buffer in$"):
        sources(replace(program, body=(*program.body, other)))


def test_a_byte_that_is_the_same_element_in_both_places_is_no_overlap():
    (found,) = sources(loaded_twice(0, 256))
    assert (found.addresses[:, 0, 0, 0] == found.addresses[0, 0, 0, 0]).all()


def test_the_text_has_every_instruction():
    found = text(EVERYTHING, DEFAULT_CAPS)
    for part in (
        "A = AType::Load(in_, 128 * wave, 16, MatrixLayout::RowMajor);",
        "B = BType::Load</*Align=*/128>(in_, 512, 16, MatrixLayout::ColMajor);",
        "C = Multiply<ComponentType::F32>(A, B);",
        "C.MultiplyAccumulate(A, B);",
        "P = A.Cast<ComponentType::F8_E4M3FN, MatrixUse::A>();",
        "B = A.Cast<ComponentType::F16, MatrixUse::B, true>();",
        "groupshared vector<float, 4> g[16];",
        "C.InterlockedAccumulate(g, 0, 8, MatrixLayout::RowMajor);",
        "x = Convert<ComponentType::F8_E4M3FN, ComponentType::F16>(v).Data;",
        "vector<uint, 2> x;",
        "T = TType::Load<MatrixLayout::MulOptimal>(opt, 128, 0);",
        "r = Multiply<float16_t>(T, MakeInterpretedVector<ComponentType::F8_E4M3FN>(x));",
        "const VectorRef<ComponentType::F16, 4> memoryBias = {w, 2048};",
        "O = OuterProduct<ComponentType::F16>(v, v);",
        "O.InterlockedAccumulate(opt, 1024);",
        "InterlockedAccumulate</*Align=*/64>(d, 1024, r);",
        "if (lane < 2 && wave < 1)",
        "for (uint pass36 = 0; pass36 < 2; ++pass36)",
        "// ConvertLinearAlgebraMatrix: F16 4 x 8 from w at 0, RowMajor, stride 16 to opt at 128, MulOptimal, 256 byte",
    ):
        assert part in found, part
    assert found.count("{") == found.count("}")
    shader = found.index("void CSMain")
    commands = re.finditer("// ConvertLinearAlgebraMatrix", found)
    assert [match.start() < shader for match in commands] == [True, True, False]
    assert not re.search(r"\bin\b[^_]*Load", found.split("{", 1)[1])


def test_scalars_have_the_bits_of_their_type():
    for scalar, written, bits, shown in (
        ("half", "float16_t", 0x3C00, "asfloat16(uint16_t(0x3c00))"),
        ("double", "double", 1, "asdouble(uint(uint64_t(0x1ull)), uint(uint64_t(0x1ull) >> 32))"),
        ("int", "int", 0xFFFFFFFF, "asint(uint(0xffffffffu))"),
        ("uint64_t", "uint64_t", 7, "uint64_t(0x7ull)"),
    ):
        program = LinalgProgram(
            (Buffer("d", 64),), (Splat("A", scalar, Literal(bits)),), (Matrix("A", "F16", 4, 4, "A"),)
        )
        assert f"A = AType::Splat(({written})({shown}));" in text(program, DEFAULT_CAPS)
