"""What calls compute: the document's sample written out on work-items, one-hot matrices, rows, signs and overflow."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import certain_bits
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, MadProgram, Store
from mmaspec.programs.profile import PRACTICE

from .programs import function, named, product

U8 = format_named("u8")
ALL = pytest.mark.parametrize("signature", signatures(), ids=named)
ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000}


def results(program: MadProgram, given: dict[str, bytes]) -> NDArray[np.uint64]:
    """The certain bits of what is stored in ``out``, rows by columns, for these bytes of the other buffers."""
    memory = Memory(program.buffers, 1)
    for buffer, held in given.items():
        bits = np.frombuffer(held, np.uint8).astype(np.uint64)[None]
        memory.place(buffer, np.arange(len(held)), bits, U8)
    execute(program, memory, PRACTICE, Readings({}))
    bits, certain = certain_bits(memory.regions()[-1].legal)
    assert certain.all()
    return bits[0, 0]


def sample(a: NDArray[np.int32], b: NDArray[np.int32], acc: NDArray[np.int32]) -> NDArray[np.int64]:
    """The document's sample, i8 by i8 with M = 2, on the work-items' words: a (8, 2), b (8, 8), acc (8, 2)."""
    result = np.zeros((8, 2), np.int64)
    for item in range(8):
        for component in range(2):
            total = int(acc[item, component])
            for other in range(8):
                broadcast, own = int(a[other, component]), int(b[item, other])
                for byte in range(4):
                    left, right = broadcast >> 8 * byte & 0xFF, own >> 8 * byte & 0xFF
                    total += (left ^ 0x80) * (right ^ 0x80) - 0x80 * ((left ^ 0x80) + (right ^ 0x80)) + 0x4000
            result[item, component] = total
    return result


def test_the_sample_computes_the_same() -> None:
    program = product(function(8, "i8_i8_i32", 2))
    draw = np.random.default_rng(7)
    a, b = (draw.integers(-(1 << 31), 1 << 31, shape, np.int64).astype(np.int32) for shape in ((8, 2), (8, 8)))
    acc = draw.integers(-(1 << 20), 1 << 20, (8, 2), np.int64).astype(np.int32)
    found = results(program, {"in_a": a.tobytes(), "in_b": b.tobytes(), "in_acc": acc.tobytes()})
    wanted = sample(a, b, acc) & 0xFFFFFFFF
    assert found.T.tolist() == wanted.tolist()


def one(element: str) -> int:
    """The code of one."""
    return ONE.get(element, 1)


@pytest.mark.exhaustive(every=4)
@ALL
def test_each_field_of_a_moves_one_element_to_its_place(signature: Signature) -> None:
    """A single one somewhere in the bits of A, and B with other values from row to row: they show which field it is."""
    form = FORMS[signature.form]
    program = product(signature)
    size = {buffer.name: buffer.size for buffer in program.buffers}
    width = form.bits
    k_of_b = np.arange(form.k) % 7 + 1  # small values that every format has
    # B by its definition in the text: work-item w has column w, from the lowest row up; all columns alike.
    column = 0
    for k in range(form.k):
        column |= _code(form.b, int(k_of_b[k])) << width * k
    b = column.to_bytes(32, "little") * signature.size
    row_bits = 256 // signature.size
    for field in range(0, 8 * size["in_a"], 61 * width if width < 16 else 13 * width):
        item, inside = divmod(field, row_bits * signature.rows)
        row, bit = divmod(inside, row_bits)
        k = (item * row_bits + bit) // width
        a = (one(form.a) << field).to_bytes(size["in_a"], "little")
        found = results(program, {"in_a": a, "in_b": b, "in_acc": bytes(size["in_acc"])})
        wanted = np.zeros_like(found)
        wanted[row] = _code(form.acc, int(k_of_b[k]))
        assert np.array_equal(found, wanted), (field, row, k)


def _code(element: str, value: int) -> int:
    """The bits of a small integer in an element's format."""
    if element not in ONE:
        return value
    whole = int(np.float32(value).view(np.uint32))
    return {"f16": int(np.float16(value).view(np.uint16)), "bf16": whole >> 16, "f32": whole}[element]


@pytest.mark.parametrize("signs", ["ii", "iu", "ui", "uu"])
@pytest.mark.parametrize("bits", [8, 4])
def test_each_factor_has_the_sign_of_the_name(bits: int, signs: str) -> None:
    """All bits set are -1 or the largest number: in A against ones, in B against ones, in both."""
    signature = function(8, "{0}{2}_{1}{2}_i32".format(*signs, bits), 1)
    program = product(signature)
    size = {buffer.name: buffer.size for buffer in program.buffers}
    ones = bytes([0x01 if bits == 8 else 0x11])
    left, right = (-1 if sign == "i" else (1 << bits) - 1 for sign in signs)
    for a, b, term in ((b"\xff", ones, left), (ones, b"\xff", right), (b"\xff", b"\xff", left * right)):
        given = {"in_a": a * size["in_a"], "in_b": b * size["in_b"], "in_acc": bytes(size["in_acc"])}
        assert set(results(program, given).ravel().tolist()) == {term * FORMS[signature.form].k & 0xFFFFFFFF}


def test_a_sum_beyond_32_bits_keeps_its_low_ones() -> None:
    program = product(function(16, "u8_u8_i32", 1))
    size = {buffer.name: buffer.size for buffer in program.buffers}
    acc = np.full(16, 0x7FFFFFFF, np.int32).tobytes()
    found = results(program, {"in_a": b"\xff" * size["in_a"], "in_b": b"\xff" * size["in_b"], "in_acc": acc})
    assert set(found.ravel().tolist()) == {(0x7FFFFFFF + 32 * 255 * 255) & 0xFFFFFFFF}


@pytest.mark.parametrize("form", ["i8_u8_i32", "u4_i4_i32"])
@pytest.mark.parametrize("size", [8, 16])
def test_eight_rows_are_eight_calls_of_one_row(form: str, size: int) -> None:
    draw = np.random.default_rng(size)
    whole, single = product(function(size, form, 8)), product(function(size, form, 1))
    bytes_of = {buffer.name: buffer.size for buffer in whole.buffers}
    given = {name: draw.bytes(bytes_of[name]) for name in ("in_a", "in_b", "in_acc")}
    found = results(whole, given)
    for row in range(8):
        part = {"in_b": given["in_b"]}
        for name in ("in_a", "in_acc"):  # each work-item's component of that number
            items = np.frombuffer(given[name], np.uint8).reshape(size, 8, -1)
            part[name] = items[:, row].tobytes()
        assert results(single, part).tolist() == [found[row].tolist()]


@pytest.mark.parametrize("use", ["a", "b"])
def test_elements_of_four_bits_are_stored_as_the_bytes_that_were_loaded(use: str) -> None:
    vector = ("int", 4) if use == "a" else ("uint", 8)
    fragment = Fragment("x", use, "s4" if use == "a" else "u4", *vector)  # type: ignore[arg-type]
    size = 8 * fragment.vector_bytes
    program = MadProgram(8, (Buffer("m", size), Buffer("out", size)), (fragment,), (Load("x", "m"), Store("x", "out")))
    held = np.random.default_rng(3).bytes(size)
    memory = Memory(program.buffers, 1)
    memory.place("m", np.arange(size), np.frombuffer(held, np.uint8).astype(np.uint64)[None], U8)
    execute(program, memory, PRACTICE, Readings({}))
    assert memory.owned()["out"].sum() == size
    found = memory.load("out", np.arange(size), U8)
    assert found.certain_bits()[0][0].astype(np.uint8).tobytes() == held
