"""The three examples of the text of 2025-09-19: what their strides make of them, and what they leave."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.programs.hlsl_linalg import LinalgProgram
from tests.hlsl_linalg.by_hand import expected, in_rows, is_right

from .source_samples import A_ROW, A_STRIDE, B_ROW, B_STRIDE, CAPS, cooperative_vectors, outer_product, stored, wave

F16, F32 = np.float16, np.float32
SOURCE = "2025-09-19"
GIVEN = (np.arange(2048) * 7 % 5 - 2).astype(F16)
"""Small whole numbers, so that every sum is exact in halves."""


def broken(program: LinalgProgram) -> tuple[frozenset[str], frozenset[str]]:
    return SPEC.rejected(program, CAPS), SPEC.undefined(program, CAPS)


def after(program: LinalgProgram, buffer: str, *parts: tuple[int, bytes]) -> dict[str, bytes]:
    """A view that is as it was, but for these parts."""
    (view,) = (one for one in program.buffers if one.name == buffer)
    image = expected(program, {}, revision=SOURCE).images[buffer][0, view.base : view.base + view.size]
    whole = bytearray(image.tobytes())
    for start, part in parts:
        whole[start : start + len(part)] = part
    return {buffer: bytes(whole)}


def rows(given, m, n, stride):
    """What a row-major load finds, by the bytes from row to row."""
    found = np.zeros((m, n), F16)
    for r in range(m):
        for c in range(n):
            found[r, c] = given[(r * stride + c * 2) // 2]
    return found


PROGRAMS = {
    "wave matrices": (wave(), set()),
    "wave matrices, rows apart": (wave(A_ROW), set()),
    "the overlapping rows stored": (stored(A_STRIDE), {"LINALG-ORDER"}),
    "whole rows stored": (stored(A_ROW), set()),
    "cooperative vectors": (cooperative_vectors(), set()),
    "outer product onto what nobody put there": (outer_product(mended=False), {"LINALG-OPTIMAL"}),
    "outer products of a wave onto one matrix": (outer_product(mended=True, threads=32), {"LINALG-ACC-APART"}),
    "outer product of one thread": (outer_product(mended=True), set()),
}


@pytest.mark.parametrize("what", PROGRAMS)
def test_no_example_is_invalid_and_which_are_undefined(what):
    program, undefined = PROGRAMS[what]
    assert broken(program) == (frozenset(), undefined)


def test_the_strides_as_printed_are_half_a_row_of_a_and_four_of_b():
    """LINALG-AMB-05: meant were elements of four bytes. Rows of A overlap, those of B have gaps."""
    assert (A_STRIDE * 2, B_STRIDE) == (A_ROW, B_ROW * 4)
    found = rows(GIVEN, 8, 32, A_STRIDE)
    assert np.array_equal(found[:-1, 16:], found[1:, :16])


@pytest.mark.parametrize("stride", [A_STRIDE, A_ROW])
def test_wave_matrices(stride):
    program = wave(stride)
    a, b = rows(GIVEN, 8, 32, stride), rows(GIVEN, 32, 16, B_STRIDE)
    product = a.astype(F32) @ b.astype(F32)
    assert abs(a.astype(F32)).sum(axis=1).max() * 2 < 2048
    parts = [*in_rows(a, 0, A_ROW), *in_rows(product.astype(F16), 512, B_ROW), *in_rows(product, 1024, 2 * B_ROW)]
    assert is_right(program, {"B": GIVEN.tobytes()}, after(program, "out", *parts), revision=SOURCE)
    other = rows(GIVEN, 8, 32, A_ROW if stride == A_STRIDE else A_STRIDE)
    wrong = after(program, "out", *in_rows(other, 0, A_ROW), *parts[8:])
    assert not is_right(program, {"B": GIVEN.tobytes()}, wrong, revision=SOURCE)


@pytest.mark.parametrize("zero", [True, False])
def test_cooperative_vectors(zero):
    program = cooperative_vectors()
    vector = np.zeros(32, F16) if zero else (np.arange(32) % 7 - 3).astype(F16)
    product = vector.astype(F32) @ rows(GIVEN, 32, 16, B_STRIDE).astype(F32)
    parts = [(32 * lane, product.astype(F16).tobytes()) for lane in range(32)]
    held = {"given": vector.tobytes(), "B": GIVEN.tobytes()}
    assert is_right(program, held, after(program, "out", *parts), revision=SOURCE)
    parts[5] = (32 * 5, (product + 1).astype(F16).tobytes())
    assert not is_right(program, held, after(program, "out", *parts), revision=SOURCE)


@pytest.mark.parametrize("zero", [True, False])
def test_outer_product(zero):
    program = outer_product(mended=True)
    vectors = np.zeros(32, F16) if zero else (np.arange(32) % 5 - 2).astype(F16)
    old = (np.arange(128) % 9).astype(F16).reshape(16, 8)
    total = old + np.outer(vectors[:16], vectors[16:24]).astype(F16)
    held = {"given": vectors.tobytes(), "old": old.tobytes()}
    assert is_right(program, held, after(program, "out", *in_rows(total, 0, 16)), revision=SOURCE)
    total[3, 4] += 1
    assert not is_right(program, held, after(program, "out", *in_rows(total, 0, 16)), revision=SOURCE)


CALLS = {
    "wave": (
        wave(),
        [
            "using MatAType = Matrix<MatrixComponentType::F16, 8, 32, MatrixUse::A, MatrixScope::Wave>;",
            "MatA = MatAType::Load(B, 0, 32, MatrixLayout::RowMajor);",
            "MatB = MatBType::Load(B, 0, 128, MatrixLayout::RowMajor);",
            "Accum = Multiply(MatA, MatB);",
            "Accum32 = Multiply<MatrixComponentType::F32>(MatA, MatB);",
        ],
    ),
    "vectors": (
        cooperative_vectors(),
        ["ByteAddressBuffer B : register(t0);", "Accum = Multiply<float16_t>(Vec, MatB);"],
    ),
    "outer": (
        outer_product(mended=False),
        [
            "MatAcc = OuterProduct<MatrixComponentType::F16, MatrixScope::Thread>(VecA, VecB);",
            "MatAcc.Accumulate(Buf, 0, 0, MatrixLayout::OuterProductOptimal);",
        ],
    ),
}


@pytest.mark.parametrize("which", CALLS)
def test_programs_are_written_as_the_document_has_them(which):
    program, calls = CALLS[which]
    lines = [line.strip().partition(" // ")[0] for line in SPEC.text(program, CAPS).splitlines()]
    assert not [call for call in calls if call not in lines]
