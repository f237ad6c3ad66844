"""Where elements lie, worked out by hand from the text."""

from __future__ import annotations

import pytest

from mmaspec.oracle.hlsl_linalg.addresses import access_addresses, copied, loop_addresses, vector_addresses
from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.hlsl_linalg import (
    InterlockedAccumulate,
    LinalgProgram,
    Load,
    Matrix,
    ReadElements,
    SharedArray,
    Stage,
    Vector,
    by_instance,
    by_thread,
    lane_of,
    wave_of,
)


def program(matrix, arrays=(), vectors=(), waves=2, wave_size=4, threads=0):
    return LinalgProgram(
        buffers=(Buffer("m", 4096),),
        matrices=(matrix,),
        vectors=vectors,
        arrays=arrays,
        body=(),
        waves=waves,
        wave_size=wave_size,
        threads=threads,
    )


def test_rows_in_a_buffer_are_a_stride_of_bytes_apart():
    whole = program(Matrix("A", "F16", 4, 6, "A"))
    found = access_addresses(whole, Load("A", "m", 128, 48), 0)
    assert found.shape == (2, 4, 6)
    # offset 128, row 2 after 2 * 48 bytes, column 5 after 5 elements of 2 bytes
    assert found[0, 2, 5] == 128 + 96 + 10
    assert found[1, 2, 5] == found[0, 2, 5]


def test_columns_in_a_buffer_are_a_stride_of_bytes_apart():
    whole = program(Matrix("B", "F32", 4, 6, "B"))
    found = access_addresses(whole, Load("B", "m", 256, 32, "ColMajor"), 0)
    assert found[0, 3, 5] == 256 + 5 * 32 + 3 * 4


def test_packed_components_take_a_byte_or_two():
    assert access_addresses(program(Matrix("A", "I8", 2, 8, "A")), Load("A", "m", 0, 16), 0)[0, 1, 7] == 23
    assert access_addresses(program(Matrix("A", "BFloat16", 2, 8, "A")), Load("A", "m", 0, 16), 0)[0, 1, 7] == 30


@pytest.mark.parametrize("element", ["half", "uint", "uint64_t"])
def test_offset_and_stride_in_an_array_count_elements_of_the_matrix(element):
    whole = program(Matrix("A", "F16", 4, 8, "A"), (SharedArray("g", element, 256),))
    found = access_addresses(whole, Load("A", "g", 64, 16), 0)
    assert found[0, 0, 0] == 128
    assert found[0, 1, 3] == 128 + 32 + 6


def test_waves_have_offsets_of_their_own_and_threads_too():
    wave = program(Matrix("A", "F16", 4, 4, "A"))
    assert access_addresses(wave, Load("A", "m", Affine(128, 256), 16), 0)[:, 0, 0].tolist() == [128, 384]
    thread = program(Matrix("A", "F16", 4, 4, "A", "Thread"))
    found = access_addresses(thread, Load("A", "m", Affine(0, 1024, lane=128), 16), 0)
    assert found[:, 0, 0].tolist() == [0, 128, 256, 384, 1024, 1152, 1280, 1408]
    group = program(Matrix("A", "F16", 4, 4, "A", "ThreadGroup"))
    assert access_addresses(group, Load("A", "m", Affine(128, 256), 16), 0)[:, 0, 0].tolist() == [128]


def test_passes_move_the_offset():
    whole = program(Matrix("A", "F16", 4, 4, "A"))
    load = Load("A", "m", Affine(128, 0, 512), 16)
    assert [int(access_addresses(whole, load, loop)[0, 0, 0]) for loop in range(3)] == [128, 640, 1152]


def test_the_elements_of_a_sum_into_an_array_have_its_type():
    whole = program(Matrix("C", "F32", 4, 4, "Accumulator"), (SharedArray("g", "half", 64),))
    assert access_addresses(whole, InterlockedAccumulate("C", "g", 0, 8), 0)[0, 1, 2] == 2 * (8 + 2)


def test_coordinates_are_row_and_column():
    whole = program(Matrix("A", "I16", 4, 8, "A"))
    found = loop_addresses(whole, ReadElements("A", "m", Affine(4, 512), 40), 0)
    assert found[0, 3, 7] == 4 + 3 * 40 + 7 * 2
    assert found[1, 3, 7] == 4 + 512 + 3 * 40 + 7 * 2


def test_components_of_vectors_lie_one_after_the_other():
    whole = program(Matrix("A", "F16", 4, 8, "A"), vectors=(Vector("v", "F8_E5M2", 5),), threads=6)
    found = vector_addresses(whole, whole.vector("v"), Affine(8, 64, lane=16), 0)
    assert found.shape == (6, 5)
    assert found[5].tolist() == [88, 89, 90, 91, 92]  # thread 5 is lane 1 of wave 1


def test_copies_count_elements_of_the_array_those_of_its_vectors_each():
    arrays = (SharedArray("g", "float", 8, 4),)
    whole = program(Matrix("A", "F16", 4, 8, "A"), arrays)
    here, there = copied(whole, Stage("g", "m", 64, 6, 10), 0)
    assert here.tolist() == [64, 68, 72, 76, 80, 84]
    assert there.tolist() == [40, 44, 48, 52, 56, 60]


def test_threads_fill_waves_one_after_the_other():
    whole = program(Matrix("A", "F16", 4, 8, "A"), threads=6)
    assert [wave_of(whole, thread) for thread in range(6)] == [0, 0, 0, 0, 1, 1]
    assert [lane_of(whole, thread) for thread in range(6)] == [0, 1, 2, 3, 0, 1]
    assert by_thread(whole, Affine(1, 10, lane=2), 0) == (1, 3, 5, 7, 11, 13)
    assert by_instance(whole, "Wave", Affine(1, 10, lane=2), 0) == (1, 11)
