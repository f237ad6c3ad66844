"""Every field of every operand by itself: it moves one element of the result, the one that the document says."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import certain_bits
from mmaspec.oracle.readings import Readings
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.profile import PRACTICE

from .programs import named, product

ALL = pytest.mark.parametrize("signature", signatures(), ids=named)
ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000}
Ints = NDArray[np.int64]


def images(size: int, first_bits: Ints, width: int, element: str) -> NDArray[np.uint8]:
    """An image for each field: zeros but for a one in the field that begins at this bit."""
    found = np.zeros((len(first_bits), size), np.uint8)
    code = ONE.get(element, 1)
    for byte in range(max(width // 8, 1)):
        part = code >> 8 * byte & 0xFF
        shift = first_bits % 8 if width < 8 else np.zeros_like(first_bits)
        found[np.arange(len(first_bits)), first_bits // 8 + byte] = part << shift
    return found


def moved(signature: Signature, given: dict[str, NDArray[np.uint8]]) -> list[set[tuple[int, int]]]:
    """The elements of the result that are one, for each item; all others have to be zero."""
    program = product(signature)
    batch = next(iter(given.values())).shape[0]
    memory = Memory(program.buffers, batch)
    for buffer in program.buffers[:-1]:
        held = given.get(buffer.name, np.zeros((batch, buffer.size), np.uint8)).astype(np.uint64)
        memory.place(buffer.name, np.arange(buffer.size), held, format_named("u8"))
    execute(program, memory, PRACTICE, Readings({}))
    bits, known = certain_bits(memory.regions()[-1].legal)
    assert known.all()
    result = bits[:, 0]
    one = np.uint64(ONE.get(FORMS[signature.form].acc, 1))
    assert np.isin(result, (np.uint64(0), one)).all()
    return [set(zip(*(found.tolist() for found in np.nonzero(item)), strict=True)) for item in result]


def fields_of_a(signature: Signature) -> tuple[Ints, Ints, Ints]:
    """First bit, row and column of every field of A, by work-item, component and place in the component."""
    width = 32 if signature.size == 8 else 16
    bits = FORMS[signature.form].bits
    each = width // bits
    item, component, slot = np.indices((signature.size, signature.rows, each)).reshape(3, -1)
    return (item * signature.rows + component) * width + slot * bits, component, item * each + slot


def fields_of_b(signature: Signature) -> tuple[Ints, Ints, Ints]:
    """First bit, row and column of every field of B."""
    bits = FORMS[signature.form].bits
    item, component, slot = np.indices((signature.size, 8, 32 // bits)).reshape(3, -1)
    return (item * 8 + component) * 32 + slot * bits, component * (32 // bits) + slot, item


@pytest.mark.exhaustive(every=4)
@ALL
def test_a_field_of_each_factor_moves_one_element(signature: Signature) -> None:
    """Each field of A with a field of B of the same k, each field of B with one of A; the other index goes round."""
    form = FORMS[signature.form]
    first_a, row, k_of_a = fields_of_a(signature)
    first_b, k_of_b, column = fields_of_b(signature)
    place_of_a = {(int(i), int(k)): int(first) for first, i, k in zip(first_a, row, k_of_a, strict=True)}
    place_of_b = {(int(k), int(j)): int(first) for first, k, j in zip(first_b, k_of_b, column, strict=True)}
    assert len(place_of_a) == signature.rows * form.k
    assert len(place_of_b) == form.k * signature.size
    pairs = [(i, k, (i + 3 * k) % signature.size) for i, k in sorted(place_of_a)]
    pairs += [((k + j) % signature.rows, k, j) for k, j in sorted(place_of_b)]
    size = {buffer.name: buffer.size for buffer in product(signature).buffers}
    left = np.array([place_of_a[i, k] for i, k, _ in pairs])
    right = np.array([place_of_b[k, j] for _, k, j in pairs])
    a, b = (images(size[f"in_{n}"], w, form.bits, e) for n, w, e in (("a", left, form.a), ("b", right, form.b)))
    assert moved(signature, {"in_a": a, "in_b": b}) == [{(i, j)} for i, _, j in pairs]
    # Of another k nothing comes: in the same word, in the next one, in the first.
    for step in (1, 32 // form.bits, form.k - 1):
        other = np.array([place_of_b[(k + step) % form.k, j] for _, k, j in pairs])
        elsewhere = images(size["in_b"], other, form.bits, form.b)
        assert moved(signature, {"in_a": a, "in_b": elsewhere}) == [set()] * len(pairs)


@pytest.mark.exhaustive(every=4)
@ALL
def test_a_field_of_the_accumulator_moves_its_own(signature: Signature) -> None:
    form = FORMS[signature.form]
    item, component = np.indices((signature.size, signature.rows)).reshape(2, -1)
    width = 16 if form.acc in ("f16", "bf16") else 32
    size = {buffer.name: buffer.size for buffer in product(signature).buffers}
    acc = images(size["in_acc"], (item * signature.rows + component) * width, width, form.acc)
    expected = [{(int(m), int(w))} for w, m in zip(item, component, strict=True)]
    assert moved(signature, {"in_acc": acc}) == expected
