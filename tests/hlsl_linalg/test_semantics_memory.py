"""Loads, stores, arrays, layouts and bounds, held against bytes that were worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.hlsl_linalg import (
    Barrier,
    Branch,
    ConvertLayout,
    LinalgProgram,
    Load,
    Matrix,
    MultiplyVector,
    SharedArray,
    Stage,
    Store,
    Unstage,
    Vector,
    VectorAccumulate,
    VectorLoad,
    VectorStore,
)

from .by_hand import HALF, expected, image, in_rows, is_right, left, numbered, octets, points


def through(load, store, m=4, n=8, component="F16", size=512, waves=1):
    return LinalgProgram(
        buffers=(Buffer("in", size, 0), Buffer("out", size, 0)),
        matrices=(Matrix("A", component, m, n, "A"),),
        body=(load, store),
        waves=waves,
    )


def test_a_load_and_a_store_of_other_layouts_transpose_the_bytes():
    values = numbered(4, 8)
    program = through(Load("A", "in", 128, 32), Store("A", "out", 0, 16, "ColMajor"))
    held = {"in": image(512, *in_rows(values, 128, 32))}
    right = left(program, held, "out", *in_rows(values.T, 0, 16))
    assert is_right(program, held, right)
    wrong = left(program, held, "out", *in_rows(values, 0, 16))
    assert not is_right(program, held, wrong)
    assert {"LINALG-LOAD-ADDR/load-row-padded", "LINALG-LOAD-ADDR/store-column-padded"} <= points(program, held)


def test_padding_stays_as_it_was():
    values = numbered(4, 8)
    program = through(Load("A", "in", 0, 16), Store("A", "out", 0, 32))
    held = {"in": image(512, *in_rows(values, 0, 16))}
    right = left(program, held, "out", *in_rows(values, 0, 32))
    assert is_right(program, held, right)
    assert not is_right(program, held, left(program, held, "out", *in_rows(values, 0, 32), (16, b"\0")))
    assert "LINALG-STORE-ONLY-ELEMS/padded" in points(program, held)


def test_a_round_trip_keeps_every_bit_subnormals_nans_and_minus_zero():
    """LINALG-ROUNDTRIP, LINALG-LOAD-NOCONV and LINALG-STORE-NOCONV."""
    bits = np.array([[0x8000, 1, 0x7E01, 0xFFFF, 0x7C00, 0x03FF, 0x0400, 0x1234]] * 4, np.uint16)
    program = through(Load("A", "in", 0, 16), Store("A", "out", 0, 16))
    held = {"in": image(512, *in_rows(bits, 0, 16))}
    assert is_right(program, held, left(program, held, "out", *in_rows(bits, 0, 16)))
    for column, other in ((0, 0), (1, 0), (4, 0x7BFF), (5, 0x83FF)):
        changed = bits.copy()
        changed[2, column] = other
        assert not is_right(program, held, left(program, held, "out", *in_rows(changed, 0, 16)))
    changed = bits.copy()
    changed[0, 2] = 0x7FFF  # any NaN is a NaN
    assert is_right(program, held, left(program, held, "out", *in_rows(changed, 0, 16)))
    assert "LINALG-ROUNDTRIP/A-Wave" in points(program, held)


def test_every_wave_has_a_matrix_of_its_own():
    values = [numbered(4, 8), numbered(4, 8) + 100]
    program = through(Load("A", "in", Affine(0, 128), 16), Store("A", "out", Affine(128, 128), 16), waves=2)
    held = {"in": image(512, *in_rows(values[0], 0, 16), *in_rows(values[1], 128, 16))}
    right = left(program, held, "out", *in_rows(values[0], 128, 16), *in_rows(values[1], 256, 16))
    assert is_right(program, held, right)
    wrong = left(program, held, "out", *in_rows(values[0], 128, 16), *in_rows(values[0], 256, 16))
    assert not is_right(program, held, wrong)
    assert {"LINALG-SCOPE-OWN/load", "LINALG-SCOPE-OWN/store"} <= points(program, held)


# Bounds. A view of 96 bytes and rows 32 bytes apart: of 4 rows the last one lies outside, of 16 bytes each.


def beyond(view, component="F16", **other):
    load = Load("A", "in", 0, 32)
    return LinalgProgram(
        buffers=(Buffer("in", view, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", component, 4, 8, "A"),),
        body=(load, Store("A", "out", 0, 32)),
        **other,
    )


def test_what_is_loaded_from_outside_is_zero_by_element_or_as_a_whole():
    values = numbered(4, 8) + 1
    program = beyond(96)
    held = {"in": image(96, *in_rows(values[:3], 0, 32))}
    each, zero = values.copy(), np.zeros_like(values)
    each[3] = 0
    assert is_right(program, held, left(program, held, "out", *in_rows(each, 0, 32)))
    assert is_right(program, held, left(program, held, "out", *in_rows(zero, 0, 32)))
    other = each.copy()
    other[2] = 0  # neither of both
    assert not is_right(program, held, left(program, held, "out", *in_rows(other, 0, 32)))
    assert not is_right(program, held, left(program, held, "out", *in_rows(values, 0, 32)))
    assert "LINALG-OOB-LOAD/Wave-row" in points(program, held)


def test_bounds_end_inside_a_row_at_any_element():
    values = numbered(4, 8) + 1
    for inside in (1, 3, 6):  # elements of the last row: its first bytes are 96 to 96 + 2 * inside
        program = beyond(96 + 2 * inside)
        held = {"in": image(96 + 2 * inside, *in_rows(values[:3], 0, 32), (96, values[3, :inside].tobytes()))}
        each = values.copy()
        each[3, inside:] = 0
        assert is_right(program, held, left(program, held, "out", *in_rows(each, 0, 32)))
        assert is_right(program, held, left(program, held, "out", *in_rows(np.zeros_like(values), 0, 32)))
        one_more = each.copy()
        one_more[3, inside - 1] = 0
        dwords = {"LINALG-AMB-29": "dword"}
        odd = inside % 2 == 1  # the last two bytes are half a word, which is outside where words are checked
        assert is_right(program, held, left(program, held, "out", *in_rows(one_more, 0, 32)), dwords) == odd
        assert not is_right(program, held, left(program, held, "out", *in_rows(one_more, 0, 32)))


def test_half_an_element_of_eight_bytes_is_read_where_words_are_checked():
    values = np.array([[0x1111111122222222, 0x3333333344444444]] * 4, np.uint64)
    program = LinalgProgram(
        buffers=(Buffer("in", 60, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "U64", 4, 2, "A"),),
        body=(Load("A", "in", 0, 16), Store("A", "out", 0, 16)),
    )
    held = {"in": image(60, *in_rows(values[:3], 0, 16), (48, values[3].tobytes()[:12]))}
    each, lower = values.copy(), values.copy()
    each[3, 1], lower[3, 1] = 0, 0x44444444
    assert is_right(program, held, left(program, held, "out", *in_rows(each, 0, 16)))
    assert not is_right(program, held, left(program, held, "out", *in_rows(lower, 0, 16)))
    dwords = {"LINALG-AMB-29": "dword"}
    assert is_right(program, held, left(program, held, "out", *in_rows(lower, 0, 16)), dwords)
    assert not is_right(program, held, left(program, held, "out", *in_rows(each, 0, 16)), dwords)
    zero = np.zeros_like(values)
    for reading in ({}, dwords):
        assert is_right(program, held, left(program, held, "out", *in_rows(zero, 0, 16)), reading)


def storing(view):
    return LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("out", view, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"),),
        body=(Load("A", "in", 0, 16), Store("A", "out", 0, 32)),
    )


def test_what_is_stored_outside_is_dropped_by_element_or_as_a_whole():
    values = numbered(4, 8) + 1
    program = storing(100)
    held = {"in": image(512, *in_rows(values, 0, 16))}
    each = left(program, held, "out", *in_rows(values[:3], 0, 32), (96, values[3, :2].tobytes()))
    assert is_right(program, held, each)
    assert is_right(program, held, left(program, held, "out"))
    assert not is_right(program, held, left(program, held, "out", *in_rows(values[:3], 0, 32)))
    assert not is_right(program, held, left(program, held, "out", *in_rows(values[:2], 0, 32)))
    assert "LINALG-OOB-STORE/Wave-row" in points(program, held)


def test_a_device_chooses_anew_in_each_operation():
    """Two loads that both reach outside: one may be whole, the other by element."""
    values = numbered(4, 8) + 1
    program = LinalgProgram(
        buffers=(Buffer("in", 96, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"), Matrix("B", "F16", 4, 8, "B")),
        body=(Load("A", "in", 0, 32), Load("B", "in", 0, 32), Store("A", "out", 0, 16), Store("B", "out", 128, 16)),
    )
    held = {"in": image(96, *in_rows(values[:3], 0, 32))}
    each, zero = values.copy(), np.zeros_like(values)
    each[3] = 0
    for first in (each, zero):
        for second in (each, zero):
            assert is_right(
                program, held, left(program, held, "out", *in_rows(first, 0, 16), *in_rows(second, 128, 16))
            )
    assert len(expected(program, held).others) == 1, "two parts, of which each has one combination more"
    wrong = left(program, held, "out", *in_rows(values, 0, 16), *in_rows(zero, 128, 16))
    assert not is_right(program, held, wrong)


def of_waves(stored, size=144):
    """Two waves store a matrix of theirs, and the last rows of both lie outside; ``stored`` are the instructions."""
    return LinalgProgram(
        buffers=(Buffer("in", 256, 0), Buffer("out", size, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"), Matrix("B", "F16", 4, 8, "B")),
        body=(Load("A", "in", Affine(0, wave=128), 32), *stored),
        waves=2,
    )


def test_each_wave_chooses_by_itself():
    """One may keep a whole store from memory, the other some elements of it; neither may do both at once."""
    values = numbered(8, 8) + 1
    held = {"in": image(256, *in_rows(values, 0, 32))}
    program = of_waves((Store("A", "out", Affine(0, wave=16), 48),))
    kept = [in_rows(values[4 * wave : 4 * wave + 3], 16 * wave, 48) for wave in (0, 1)]
    for waves in ((), (0,), (1,), (0, 1)):
        after = left(program, held, "out", *(row for wave in waves for row in kept[wave]))
        assert is_right(program, held, after)
        assert not is_right(program, held, left(program, held, "out", *(kept[0][:2]), *kept[1]))
    assert is_right(program, held, left(program, held, "out", *kept[1]))
    assert len(expected(program, held).others) == 1


def test_waves_that_tell_each_other_something_choose_within_one_part():
    """The second matrix is what both waves stored: each of four combinations is one, and no mixture of two is."""
    values = numbered(8, 8) + 1
    held = {"in": image(256, *in_rows(values, 0, 32))}
    stores = (Store("A", "out", Affine(0, wave=16), 48), Barrier(), Load("B", "out", 0, 16), Store("B", "in", 0, 32))
    assert len(expected(of_waves(stores), held).others) == 3


def test_matrices_of_one_part_at_one_place_are_checked_alike():
    """Every thread adds its vector at the same place: nothing tells them apart for a device."""
    program = LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("sum", 12, 0)),
        vectors=(Vector("v", "U32", 4),),
        body=(VectorLoad("v", "in", Affine(0, lane=16)), VectorAccumulate("v", "sum", 0)),
    )
    held = {"in": bytes(512), "sum": bytes(12)}
    assert len(expected(program, held).others) == 1


def test_a_load_that_lies_outside_altogether_is_zero_and_leaves_no_choice():
    program = beyond(16)
    program = LinalgProgram(program.buffers, (Load("A", "in", 512, 32), program.body[1]), program.matrices)
    demanded = expected(program, {})
    assert not demanded.others
    assert is_right(program, {}, left(program, {}, "out", *in_rows(np.zeros((4, 8), HALF), 0, 32)))


# Groupshared arrays


def staged(element, component, load, width=0, count=64, length=64):
    return LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", component, 4, 8, "A"),),
        arrays=(SharedArray("g", element, length, width),),
        body=(Stage("g", "in", 0, count), Barrier(), load, Store("A", "out", 0, 32)),
    )


@pytest.mark.parametrize(("element", "width", "count"), [("half", 0, 64), ("half", 4, 64), ("uint", 0, 32)])
def test_arrays_hold_bytes_whatever_their_type(element, width, count):
    """LINALG-GS-NOCONV."""
    values = numbered(4, 8)
    program = staged(element, "F16", Load("A", "g", 0, 16), width, count, max(count // max(width, 1), 1))
    held = {"in": image(512, *in_rows(values, 0, 32))}  # a stride of 16 elements of the matrix
    assert is_right(program, held, left(program, held, "out", *in_rows(values, 0, 32)))
    assert not is_right(program, held, left(program, held, "out", *in_rows(values + 1, 0, 32)))


def test_the_order_in_a_word_is_a_reading():
    values = np.arange(32, dtype=np.int8).reshape(4, 8)
    program = staged("uint", "I8", Load("A", "g", 0, 16), count=16)
    held = {"in": image(512, *in_rows(values, 0, 16))}
    reversed_words = values.reshape(4, 2, 4)[:, :, ::-1].reshape(4, 8)
    lowest, highest = {"LINALG-AMB-12": "lowest-first"}, {"LINALG-AMB-12": "highest-first"}
    assert is_right(program, held, left(program, held, "out", *in_rows(values, 0, 32)), lowest)
    assert is_right(program, held, left(program, held, "out", *in_rows(reversed_words, 0, 32)), highest)
    assert not is_right(program, held, left(program, held, "out", *in_rows(reversed_words, 0, 32)), lowest)
    assert expected(program, held).consulted == {"LINALG-AMB-12"}


def test_a_store_to_an_array_is_seen_where_the_array_is_copied():
    values = numbered(4, 8)
    program = LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", 4, 8, "A"),),
        arrays=(SharedArray("g", "uint", 64),),
        body=(
            Stage("g", "in", 256, 64), Barrier(), Load("A", "in", 0, 16), Store("A", "g", 0, 16, "ColMajor"),
            Barrier(), Unstage("g", "out", 0, 64),
        ),
    )  # fmt: skip
    before = bytes(range(256))
    held = {"in": image(512, *in_rows(values, 0, 16), (256, before))}
    # column c of 4 elements at element 16 * c, everything else as it was staged
    whole = bytearray(before)
    for column in range(8):
        whole[32 * column : 32 * column + 8] = values[:, column].tobytes()
    lowest = {"LINALG-AMB-12": "lowest-first"}
    assert is_right(program, held, left(program, held, "out", (0, bytes(whole))), lowest)
    whole[9] ^= 1
    assert not is_right(program, held, left(program, held, "out", (0, bytes(whole))), lowest)
    assert "LINALG-GS-UNITS/store-column-padded" in points(program, held)


# Vectors in plain memory


def test_vectors_are_each_threads_own_and_branches_take_some_threads():
    program = LinalgProgram(
        buffers=(Buffer("in", 64, 0), Buffer("out", 64, 0)),
        vectors=(Vector("v", "F16", 2),),
        body=(
            VectorLoad("v", "in", Affine(lane=4)),
            Branch(2, (VectorLoad("v", "in", Affine(32, lane=4)),)),
            VectorStore("v", "out", Affine(lane=4)),
        ),
        wave_size=4,
    )
    first, second = np.arange(8, dtype=HALF), np.arange(8, dtype=HALF) + 50
    held = {"in": image(64, (0, first.tobytes()), (32, second.tobytes()))}
    right = np.concatenate([second[:4], first[4:]])
    assert is_right(program, held, left(program, held, "out", (0, right.tobytes())))
    assert not is_right(program, held, left(program, held, "out", (0, second.tobytes())))
    assert not is_right(program, held, left(program, held, "out", (0, first.tobytes())))


# Optimal layouts


def converted(target_layout, load_layout, m=4, n=8, back=False):
    """A matrix through an optimal layout, and what the device makes of it."""
    loaded = (n, m) if load_layout.endswith("Transpose") else (m, n)
    body = [ConvertLayout("F16", m, n, "in", 0, "RowMajor", "opt", 128, target_layout, n * 2, 0, 96)]
    if back:
        body.append(ConvertLayout("F16", m, n, "opt", 128, target_layout, "out", 0, "ColMajor", 0, 16))
    else:
        body += [
            Load("A", "opt", 128, 0, load_layout), VectorLoad("v", "in", 256), MultiplyVector("r", "A", "v"),
            VectorStore("r", "out", 0),
        ]  # fmt: skip
    return LinalgProgram(
        buffers=(Buffer("in", 512, 0), Buffer("opt", 512, 0), Buffer("out", 512, 0)),
        matrices=(Matrix("A", "F16", *loaded, "A", "Thread"),),
        vectors=(Vector("v", "F16", loaded[1]), Vector("r", "F16", loaded[0])),
        body=tuple(body),
        read_only=("in",),
        wave_size=1,
    )


@pytest.mark.parametrize("load_layout", ["MulOptimal", "MulOptimalTranspose"])
def test_a_matrix_comes_back_from_an_optimal_layout(load_layout):
    """LINALG-OPT-LOAD, and LINALG-OPT-TRANSPOSE through a transposed layout."""
    values = numbered(4, 8)
    program = converted("MulOptimal", load_layout)
    seen = values.T if load_layout == "MulOptimalTranspose" else values
    vector = np.arange(seen.shape[1], dtype=HALF) - 1
    held = {"in": image(512, *in_rows(values, 0, 16), (256, vector.tobytes()))}
    answer = (seen.astype(np.float64) @ vector.astype(np.float64)).astype(HALF)
    right = left(program, held, "out", (0, answer.tobytes()))
    assert is_right(program, held, right)
    assert is_right(program, held, right | left(program, held, "opt", (128, bytes(96))))
    assert not is_right(program, held, right | left(program, held, "opt", (128 + 96, b"\0")))
    assert not is_right(program, held, right | left(program, held, "opt", (127, b"\0")))
    assert not is_right(program, held, left(program, held, "out", (0, (answer + 2).tobytes())))


def test_conversions_of_layouts_change_no_value():
    values = numbered(4, 8)
    program = converted("MulOptimal", "MulOptimal", back=True)
    held = {"in": image(512, *in_rows(values, 0, 16))}
    assert is_right(program, held, left(program, held, "out", *in_rows(values.T, 0, 16)))
    assert not is_right(program, held, left(program, held, "out", *in_rows(values.T + 1, 0, 16)))


def test_what_nothing_was_converted_into_is_not_judged():
    program = converted("MulOptimal", "OuterProductOptimal")
    held = {"in": image(512, *in_rows(numbered(4, 8), 0, 16), (256, octets(*[1] * 8, dtype=HALF)))}
    assert is_right(program, held, left(program, held, "out", (0, octets(1, 2, 3, 4, dtype=HALF))))
