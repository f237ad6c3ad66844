"""The document's examples: what is invalid or undefined in them as they stand, and what they leave once mended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.oracle.hlsl_linalg import SPEC
from mmaspec.oracle.wrong_elements import is_legal
from mmaspec.programs.hlsl_linalg import (
    Barrier,
    Instruction,
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    Store,
)
from tests.hlsl_linalg.by_hand import after, expected, image, in_rows, is_right, left

from .host_rules import pattern
from .samples import (
    A_STRIDE,
    B_STRIDE,
    CAPS,
    PRODUCTS,
    STAGED,
    cooperative_vectors,
    mended,
    outer_product,
    wave,
    wave_body,
)

F16, F32 = np.float16, np.float32
E4M3 = ml_dtypes.float8_e4m3fn
Array = NDArray[Any]


def broken(program: LinalgProgram) -> tuple[set[str], set[str]]:
    """The clauses that refuse a program, and those that leave it undefined."""
    return set(SPEC.rejected(program, CAPS)), set(SPEC.undefined(program, CAPS))


def after_the_device(program: LinalgProgram, held: Mapping[str, bytes]) -> dict[str, bytes]:
    """The views that the reference device leaves, which the oracle has to allow."""
    demanded = expected(program, held)
    device = LinalgDevice(ExactUnit())
    device.caps = CAPS
    given = {name: one.copy() for name, one in demanded.images.items()}
    assert device.broken(Submitted(program, given)) == ()
    found = device.run(program, given)
    buffers = {buffer.name: buffer for buffer in program.buffers}
    assert is_legal(demanded, demanded.images, {**given, **found}, buffers)
    return {
        name: one[0, buffers[name].base : buffers[name].base + buffers[name].size].tobytes()
        for name, one in found.items()
    }


AS_PRINTED: dict[str, tuple[LinalgProgram, set[str], set[str]]] = {
    "the whole of it": (wave(8), {"LINALG-GS-ALIGN"}, {"LINALG-ORDER", "LINALG-ACC-GS-UNITS"}),
    "loads of rows that overlap": (wave_body(Load("M", "GSMat", 0, 8), Load("M2", "GSMatVec", 0, 8)), set(), set()),
    "loads of halves from words, in rows that overlap": (wave_body(Load("M16", "GSMatPackedVec", 0, 8)), set(), set()),
    "a store of rows that overlap": (
        wave_body(Load("M", "GSMat", 0, 8), Barrier(), Store("M", "GSMat", 0, 8)), set(), {"LINALG-ORDER"},
    ),
    "a store right after the load": (
        wave_body(Load("M", "GSMat", 0, 16), Store("M", "GSMat", 0, 16)), set(), {"LINALG-ORDER"},
    ),
    "a sum of rows that overlap": (
        wave_body(Load("M", "GSMat", 0, 8), Barrier(), InterlockedAccumulate("M", "GSMat", 0, 8)),
        set(), {"LINALG-ORDER"},
    ),
    "a sum of bytes in steps of two": (
        wave_body(Load("M", "GSMat", 0, 16), InterlockedAccumulate("M", "GSMatPacked", 0, 2, target="I8")),
        {"LINALG-GS-ALIGN"}, {"LINALG-ACC-GS-UNITS", "LINALG-ORDER"},
    ),
    "a sum of bytes in whole rows": (
        wave_body(Load("M", "GSMat", 0, 16), InterlockedAccumulate("M", "GSMatPacked", 0, 16, target="I8")),
        set(), {"LINALG-ACC-GS-UNITS"},
    ),
    "what it calls an error: floats for a matrix of halves": (
        wave_body(Load("Accum", "GSMat", 0, 8)), {"LINALG-GS-TYPE"}, set(),
    ),
    "strides in the buffer, twice the length of a row": (wave_body(*PRODUCTS), set(), set()),
    "all of it at the stride of the rows, with barriers": (wave(16, barriers=True, sums=False), set(), set()),
    "cooperative vectors": (cooperative_vectors(), set(), set()),
    "cooperative vectors with the words of half the column": (
        cooperative_vectors(emulated_words=2), {"LINALG-VEC-LEN"}, set(),
    ),
    "outer product": (outer_product(), set(), set()),
}  # fmt: skip


@pytest.mark.parametrize("what", AS_PRINTED)
def test_what_is_wrong_in_the_examples_as_they_stand(what: str) -> None:
    program, invalid, undefined = AS_PRINTED[what]
    assert broken(program) == (invalid, undefined)


def test_nothing_is_in_the_arrays_at_first() -> None:
    """As they stand they load what nobody put there: any answer is as good, and not judged."""
    matrix = Matrix("M", "F32", 8, 16, "Accumulator")
    body: tuple[Instruction, ...] = (Load("M", "GSMat", 0, 16), Store("M", "out", 0, 64))
    whole = wave_body()
    program = replace(whole, body=body, matrices=(matrix,))
    assert broken(program) == (set(), set())
    assert not any(expected(program, {}).regions[0].legal.why.ravel() == 0)
    staged = replace(program, body=(*STAGED, *body))
    assert all(expected(staged, {"first": bytes(512)}).regions[-1].legal.why.ravel() == 0)


def test_a_load_of_rows_that_overlap_has_one_answer() -> None:
    """LINALG-AMB-05: row r begins 8 elements after row r - 1, of which it so repeats the second half."""
    program = wave_body(Load("M", "GSMat", 0, 8), Store("M", "out", 0, 64))
    numbers = np.arange(128, dtype=F32) / 4
    held = {"first": numbers.tobytes()}
    rows = np.stack([numbers[8 * row : 8 * row + 16] for row in range(8)])
    answer = left(program, held, "out", *in_rows(rows, 0, 64))
    assert is_right(program, held, answer)
    assert not is_right(program, held, left(program, held, "out", *in_rows(numbers.reshape(8, 16), 0, 64)))
    assert after_the_device(program, held) == {**held_views(program, held), **answer}


def held_views(program: LinalgProgram, held: Mapping[str, bytes]) -> dict[str, bytes]:
    """The views that a program does not change, of those that a device gives back."""
    demanded = expected(program, held)
    return {
        buffer.name: demanded.images[buffer.name][0, buffer.base : buffer.base + buffer.size].tobytes()
        for buffer in program.buffers
    }


def wave_data() -> tuple[Array, Array, Array, dict[str, bytes]]:
    """A, B after the loop, what its Set finds, and the buffers of the first example; numbers are small and whole."""
    buffer = np.zeros((16, 64), F16)
    buffer[:] = pattern(16, 64, (3, 1), 7, 3)
    a, b = buffer[:8, :32].copy(), buffer.reshape(32, 32)[:, :16].copy()
    assert (buffer.strides[0], 64) == (A_STRIDE, B_STRIDE)
    found = pattern(32, 16, (1, 2), 5, 2)
    kept = np.arange(512).reshape(32, 16) % 17 == 0
    assert all(kept[i, i] for i in range(16))
    numbers = [pattern(8, 16, by, 9, 4, F32) for by in ((1, 3), (2, 5))]
    held = {
        "B": image(2048, (0, buffer.tobytes())),
        "first": numbers[0].tobytes(),
        "second": numbers[1].tobytes(),
        "tanh": found.tobytes(),
    }
    return a, np.where(kept, b, found), np.stack(numbers), held


def test_wave_matrices() -> None:
    program = mended()
    assert broken(program) == (set(), set())
    a, b, numbers, held = wave_data()
    product = a.astype(int) @ b.astype(int)
    doubled, summed = 2 * numbers[0], numbers[1] + product
    parts = [
        (0, doubled.astype(F32).tobytes()),
        (512, summed.astype(F32).tobytes()),
        (1024, product.astype(F16).tobytes()),
        (1536, b.tobytes()),
    ]
    answer = left(program, held, "out", *parts)
    into = left(program, held, "B", *in_rows(product.astype(F32), 1536, 64))
    assert is_right(program, held, {**answer, **into})
    assert after_the_device(program, held)["out"] == answer["out"]
    for place, wrong in ((0, numbers[0]), (512, product.astype(F32)), (512, numbers[1])):
        other = left(program, held, "out", *parts, (place, wrong.astype(F32).tobytes()))
        assert not is_right(program, held, {**other, **into})


def test_cooperative_vectors() -> None:
    program = cooperative_vectors()
    matrix = np.zeros((16, 32), F16)
    matrix[:, :16] = np.eye(16, dtype=F16)[::-1] + np.eye(16, k=1, dtype=F16)
    a = matrix[:, :16].astype(int)
    vector, data, words = (np.arange(16) % modulo - less for modulo, less in ((5, 2), (7, 3), (6, 0)))
    bias = (np.arange(16) % 4 - 1).astype(E4M3)
    held = {
        "MBuf": image(4128, (0, matrix.tobytes()), (4096, bias.tobytes())),
        "given": image(
            256,
            (0, vector.astype(F16).tobytes()),
            (32, bytes(32)),
            (64, data.astype(E4M3).tobytes()),
            (128, words.astype(np.uint32).tobytes()),
        ),
        "B": image(256, (128, np.full(16, 10, F16).tobytes())),
    }
    added = bias.astype(float).astype(int)
    first = a @ vector
    second = a @ first
    third = a @ second + added
    layers = (first, second, third, a @ data + added, a @ data, a @ data + added, a @ words + added)
    parts = [(32 * number, one.astype(F16).tobytes()) for number, one in enumerate(layers)]
    whole = b"".join(part for _, part in parts)
    into = image(256, (128, (10 + third).astype(F16).tobytes()))
    found = after_the_device(program, held)
    assert (found["out"], found["B"][128:160]) == (whole, into[128:160])
    demanded = expected(program, held)
    buffers = {buffer.name: buffer for buffer in program.buffers}

    def right(out: bytes, total: bytes) -> bool:
        images = after(program, demanded, {"out": out, "B": total})
        return is_legal(demanded, demanded.images, images, buffers)

    assert right(whole, into)
    assert not right(whole, held["B"])
    for number, one in enumerate(layers):
        wrong = (one + 1).astype(F16).tobytes()
        assert not right(whole[: 32 * number] + wrong + whole[32 * number + 32 :], into)


@pytest.mark.parametrize("threads", [1, 4])
def test_outer_products(threads: int) -> None:
    program = outer_product(threads)
    column = np.arange(16)[None, :] % 5 - 2 + np.arange(threads)[:, None]
    row = np.arange(8)[None, :] % 3 + np.arange(threads)[:, None]
    before = pattern(16, 8, (1, 3), 7, 3)
    given = [part for thread in range(threads) for part in (
        (64 * thread, column[thread].astype(F16).tobytes()), (64 * thread + 32, row[thread].astype(F16).tobytes())
    )]  # fmt: skip
    held = {"before": before.tobytes(), "given": image(64 * threads, *given)}
    total = before + np.einsum("ti,tj->ij", column, row)
    answer = left(program, held, "after", (0, total.astype(F16).tobytes()))
    assert is_right(program, held, answer)
    assert after_the_device(program, held)["after"] == answer["after"]
    assert not is_right(program, held, left(program, held, "after", (0, (total - before).astype(F16).tobytes())))
    turned = (before + np.einsum("ti,tj->ij", column, row)[::-1]).astype(F16)
    assert not is_right(program, held, left(program, held, "after", (0, turned.tobytes())))
