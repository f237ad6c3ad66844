"""Every field of every operand by itself: it moves one element of the result, the one that the document says.

Fields are counted here by lane, VGPR and place in the VGPR, as the document speaks of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.numpy.amd_rdna3_wmma.device import WmmaDevice
from mmaspec.backends.numpy.units.catalogue import ExactUnit
from mmaspec.oracle.amd_rdna3_wmma.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import certain_bits
from mmaspec.oracle.readings import Readings
from mmaspec.programs.amd_rdna3_wmma.program import Buffer, Load, Store, Wmma, WmmaProgram
from mmaspec.programs.formats import format_named
from mmaspec.programs.profile import Profile

from .programs import BUILTINS, NARROW, TIED, fragments_of, lanes_of

ALL = pytest.mark.parametrize("builtin", BUILTINS)
BITS = {"f16": 16, "bf16": 16, "iu8": 8, "iu4": 4}
ONE = {"f16": 0x3C00, "bf16": 0x3F80, "f32": 0x3F800000, "i32": 1, "iu8": 1, "iu4": 1}
EXACT = Profile(name="exact", window="required")
"""Small integers have exact sums, so that every bit of the result is certain."""
Ints = NDArray[np.int64]
Images = dict[str, NDArray[np.uint8]]


def formats(builtin: str) -> tuple[str, str]:
    """Format of C and D, and of A and B."""
    result, _, operands = builtin.split("_")[:3]
    return result, operands


def program(builtin: str, *, opsel: bool = False) -> WmmaProgram:
    """``d = a * b + c``: every fragment in a buffer of its own, of one block."""
    result, _ = formats(builtin)
    flags = {"a_sign": False, "b_sign": False, "clamp": False} if result == "i32" else {}
    flags |= {"opsel": opsel} if builtin in NARROW else {}
    held = fragments_of(builtin)
    buffers = tuple(Buffer(f"in_{f.name}", lanes_of(builtin) * f.vector_bytes) for f in held[:3])
    return WmmaProgram(
        wave_size=lanes_of(builtin),
        buffers=(*buffers, replace(buffers[2], name="out")),
        fragments=held,
        body=(
            *(Load(f.name, f"in_{f.name}") for f in held[:3]),
            Wmma(builtin, "d", "a", "b", "c", **flags),  # type: ignore[arg-type]
            Store("d", "out"),
        ),
    )


def hot(size: int, fields: Ints, width: int, code: int) -> NDArray[np.uint8]:
    """An image for each row of ``fields``: zeros but for ``code`` in the fields that begin at these bits."""
    found = np.zeros((len(fields), size), np.uint8)
    item = np.arange(len(fields))[:, None]
    for byte in range(max(width // 8, 1)):
        part = code >> 8 * byte & 0xFF
        shift = fields % 8 if width < 8 else np.zeros_like(fields)
        found[item, fields // 8 + byte] |= (part << shift).astype(np.uint8)
    return found


def registers_left(made: WmmaProgram, given: Images) -> NDArray[np.uint32]:
    """D's registers after the call by the oracle, where every bit is certain: ``(items, lanes, vgprs)``."""
    batch = next(iter(given.values())).shape[0]
    memory = Memory(made.buffers, batch)
    for buffer in made.buffers[:-1]:
        held = given.get(buffer.name, np.zeros((batch, buffer.size), np.uint8)).astype(np.uint64)
        memory.place(buffer.name, np.arange(buffer.size), held, format_named("u8"))
    execute(made, memory, EXACT, Readings({}))
    octets = np.zeros((batch, made.buffers[-1].size), np.uint8)
    for region in memory.regions():
        bits, known = certain_bits(region.legal)
        unstated = (region.legal.why != 0).all()
        assert known.all() or unstated
        for byte in range(region.legal.fmt.nbytes):
            octets[:, region.addresses + byte] = (bits >> np.uint64(8 * byte)).astype(np.uint8)
    return octets.view("<u4").reshape(batch, made.wave_size, -1)


def registers_of_device(made: WmmaProgram, given: Images) -> NDArray[np.uint32]:
    """The same by the reference device."""
    batch = next(iter(given.values())).shape[0]
    images = {}
    for buffer in made.buffers:
        images[buffer.name] = np.zeros((batch, buffer.total), np.uint8)
        images[buffer.name][:, buffer.base : buffer.base + buffer.size] = given.get(buffer.name, 0)
    after, out = WmmaDevice(ExactUnit()).run(made, images)["out"], made.buffers[-1]
    octets = np.ascontiguousarray(after[:, out.base : out.base + out.size])
    return octets.view("<u4").reshape(batch, made.wave_size, -1)


def stated(builtin: str, opsel: bool) -> np.uint32:
    """The bits of each register of D of which something is stated."""
    if builtin in NARROW and builtin not in TIED:
        return np.uint32(0xFFFF0000 if opsel else 0xFFFF)
    return np.uint32(0xFFFFFFFF)


def moved(builtin: str, opsel: bool, given: Images) -> NDArray[np.uint32]:
    """D's registers, by the oracle and by the reference device alike."""
    made = program(builtin, opsel=opsel)
    mask = stated(builtin, opsel)
    found = registers_left(made, given) & mask
    assert np.array_equal(registers_of_device(made, given) & mask, found)
    return found


def fields(builtin: str) -> dict[tuple[int, int], list[int]]:
    """(line, k) -> the first bit of each copy of that element of A, or of B, counted by lane, VGPR and place."""
    _, operands = formats(builtin)
    width, lanes = BITS[operands], lanes_of(builtin)
    vgprs = 16 * width // 32
    found: dict[tuple[int, int], list[int]] = {}
    for lane in range(lanes):
        for vgpr in range(vgprs):
            for place in range(32 // width):
                first = (lane * vgprs + vgpr) * 32 + place * width
                found.setdefault((lane % 16, vgpr * (32 // width) + place), []).append(first)
    assert len(found) == 256
    assert {len(copies) for copies in found.values()} == {lanes // 16}
    return found


def opsels(builtin: str) -> tuple[bool, ...]:
    """Every OPSEL that it takes."""
    return (False, True) if builtin in NARROW else (False,)


@pytest.mark.exhaustive(every=3)
@ALL
def test_a_field_of_each_factor_moves_one_element(builtin: str) -> None:
    """Each field of A with a field of B of the same k, each field of B with one of A; the other index goes round."""
    result, operands = formats(builtin)
    lanes, width, where = lanes_of(builtin), BITS[operands], fields(builtin)
    groups = lanes // 16
    pairs = [(i, k, (i + 3 * k) % 16) for i in range(16) for k in range(16)]
    pairs += [((5 * k + j) % 16, k, j) for k in range(16) for j in range(16)]
    size = {buffer.name: buffer.size for buffer in program(builtin).buffers}
    a = hot(size["in_a"], np.array([where[i, k] for i, k, _ in pairs]), width, ONE[operands])
    b = hot(size["in_b"], np.array([where[j, k] for _, k, j in pairs]), width, ONE[operands])
    for opsel in opsels(builtin):
        wanted = np.zeros((len(pairs), lanes, 16 // groups), np.uint32)
        for item, (i, _, j) in enumerate(pairs):
            wanted[item, 16 * (i % groups) + j, i // groups] = ONE[result] << (16 if opsel else 0)
        assert np.array_equal(moved(builtin, opsel, {"in_a": a, "in_b": b}), wanted)
    # Of another k nothing comes: in the same VGPR, in the next one, in the last one.
    for step in (1, 32 // width, 15):
        other = hot(size["in_b"], np.array([where[j, (k + step) % 16] for _, k, j in pairs]), width, ONE[operands])
        assert not moved(builtin, False, {"in_a": a, "in_b": other}).any()


@ALL
def test_every_bit_of_an_integer_factor_is_its_own(builtin: str) -> None:
    """A bit of a field is worth its power of two; read as signed the highest one would be negative."""
    result, operands = formats(builtin)
    if result != "i32":
        return
    width, where = BITS[operands], fields(builtin)
    size = program(builtin).buffers[0].size
    cells = [(line, k, bit) for line in range(16) for k in range(16) for bit in range(width)]
    a = np.concatenate([hot(size, np.array([where[line, k]]), width, 1 << bit) for line, k, bit in cells])
    b = hot(size, np.array([where[3, k] for _, k, _ in cells]), width, 1)
    found = moved(builtin, False, {"in_a": a, "in_b": b})
    groups = lanes_of(builtin) // 16
    for item, (line, _, bit) in enumerate(cells):
        assert found[item, 16 * (line % groups) + 3, line // groups] == 1 << bit
        assert np.count_nonzero(found[item]) == 1


@pytest.mark.exhaustive(every=3)
@ALL
def test_a_field_of_c_moves_its_own(builtin: str) -> None:
    """Of 16-bit C the half that OPSEL names; the other one stays beside the result of a tied builtin."""
    result, _ = formats(builtin)
    lanes = lanes_of(builtin)
    shape = (lanes, 256 // lanes, 2 if builtin in NARROW else 1)
    lane, vgpr, half = np.indices(shape).reshape(3, -1)
    first = (lane * shape[1] + vgpr) * 32 + 16 * half
    c = hot(program(builtin).buffers[2].size, first[:, None], 16 if builtin in NARROW else 32, ONE[result])
    item = np.arange(len(lane))
    for opsel in opsels(builtin):
        wanted = np.zeros((len(lane), lanes, shape[1]), np.uint32)
        wanted[item, lane, vgpr] = np.uint32(ONE[result]) << (16 * half).astype(np.uint32)
        assert np.array_equal(moved(builtin, opsel, {"in_c": c}), wanted & stated(builtin, opsel))
