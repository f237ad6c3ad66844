"""Programs for tests that do more than one call, data for them, and what the oracle has of what they leave."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.intel_subgroup_mma.functions import Signature
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.program import Fill, Fragment, Load, Mad, MadProgram, Plain, Repeat, Store
from mmaspec.programs.profile import PRACTICE

from .programs import fragments

WAVES = 3
PASSES = 3
REGIMES = ("small", "bytes", "marked", "ends")
"""Small integers; any bits, or floats that are larger integers; NaN and infinities; integers at their ends."""


def element(fragment: Fragment, value: int) -> int:
    """The code of a small integer in a fragment's format; of one and zero alike in all of them."""
    fmt = format_named(fragment.holds)
    if not fmt.is_float:
        return value & fmt.mask
    single = int(np.float32(value).view(np.uint32))
    return int(np.float16(value).view(np.uint16)) if fragment.holds == "f16" else single >> (32 - fmt.bits)


def program(signature: Signature, kind: str) -> MadProgram:
    """A kernel of three sub-groups around calls of one function, every access at another block in each of them.

    ``kind`` is one of `KINDS`.
    """
    a, b, acc = fragments(signature)
    out = replace(acc, name="d")
    body: tuple[Plain | Repeat, ...]
    mad = Mad(signature.function, "d", "a", "b", "acc")
    loads: tuple[Plain, ...] = tuple(_load(each) for each in (a, b, acc))
    stored: tuple[Plain, ...] = (Store("d", "out", Affine(1, wave=2)),)
    if kind == "in place":
        body = (*loads, replace(mad, d="acc"), Store("acc", "out", Affine(1, wave=2)))
    elif kind == "zeros":
        body = (*loads, Fill("d", element(acc, 3)), replace(mad, c=None), *stored)
    elif kind == "filled":
        body = (*loads[:2], Fill("acc", element(acc, 3)), mad, *stored, Fill("acc"), mad)
        body = (*body, Store("d", "also", Affine(wave=1)))
    elif kind == "constants":
        body = (Fill("a", element(a, 1)), *loads[1:], mad, *stored)
    elif kind == "constants of b":
        body = (Fill("b", element(b, 1)), loads[0], loads[2], mad, *stored)
    elif kind == "loop":
        once = (*loads[:2], replace(mad, d="acc"))
        body = (loads[2], Repeat(PASSES, once), Store("acc", "out", Affine(1, wave=2)))
    else:
        body = (*loads, mad, *stored)
    sizes = {each.name: signature.size * each.vector_bytes for each in (a, b, acc)}
    blocks = 1 + WAVES + PASSES
    return MadProgram(
        sub_group_size=signature.size,
        buffers=(
            *(Buffer(f"in_{name}", blocks * size) for name, size in sizes.items()),
            Buffer("out", (2 * WAVES + 1) * sizes["acc"]),
            Buffer("also", WAVES * sizes["acc"]),
        ),
        fragments=(a, b, acc, out),
        body=body,
        waves=WAVES,
    )


KINDS = ("apart", "in place", "zeros", "filled", "constants", "constants of b", "loop")
"""What is special about the addend, or about the factors."""


def _load(fragment: Fragment) -> Load:
    loop = 0 if fragment.use == "cd" else 1
    return Load(fragment.name, f"in_{fragment.name}", Affine(1, wave=1, loop=loop), data=fragment.name.upper())


def defined(program: MadProgram, signature: Signature, regime: str, seed: int, batch: int = 4) -> Defined:
    """What the oracle has of a program on data of a regime. All bytes of the views are known."""
    memory, draw = Memory(program.buffers, batch), np.random.default_rng(seed)
    byte = format_named("u8")
    held = {f"in_{fragment.name}": fragment for fragment in program.fragments}
    for buffer in program.buffers:
        found = _data(held.get(buffer.name), signature, regime, draw, batch, buffer.size)
        memory.place(buffer.name, np.arange(buffer.size), found.astype(np.uint64), byte)
    images = {name: image.copy() for name, image in memory.initial().items()}
    steps = execute(program, memory, PRACTICE, Readings({}))
    return Defined(images, memory.known, memory.owned(), steps, memory.regions())


def _data(
    fragment: Fragment | None, signature: Signature, regime: str, draw: np.random.Generator, batch: int, size: int
) -> np.ndarray:
    whole = draw.integers(0, 256, (batch, size), np.uint8)
    if fragment is None or (regime == "bytes" and FORMS[signature.form].integer):
        return whole
    bits = format_named(fragment.holds).bits
    if regime == "ends":
        integer = FORMS[signature.form].integer
        return (
            _ends(fragment, whole, draw)
            if integer
            else _packed(_exact(fragment, (batch, size * 8 // bits), draw), bits)
        )
    top = {"small": 2, "bytes": 200, "marked": 1}[regime] if bits > 8 else 1
    codes = np.array([element(fragment, value) for value in range(-top, top + 1)], np.uint64)
    chosen = codes[draw.integers(0, len(codes), (batch, size * 8 // bits))]
    if regime == "marked" and not FORMS[signature.form].integer:
        fmt = format_named(fragment.holds)
        special = np.array([0, fmt.infinity_magnitude, fmt.nan_bits, fmt.infinity_magnitude | fmt.sign_bit], np.uint64)
        chosen = np.where(draw.random(chosen.shape) < 0.02, special[draw.integers(0, 4, chosen.shape)], chosen)
    return _packed(chosen, bits)


def _ends(fragment: Fragment, whole: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Sums next to the ends of their range; factors as large as they can be, and in every other item any."""
    fmt = format_named(fragment.holds)
    if fragment.use == "cd":
        ends = np.array([fmt.max_value, fmt.max_value - 1, fmt.min_value, fmt.min_value + 1], np.int64)
        return _packed((ends[draw.integers(0, 4, (len(whole), whole.shape[1] // 4))] & fmt.mask).astype(np.uint64), 32)
    largest = fmt.sign_bit or fmt.mask
    whole[::2] = largest | largest << 4 if fmt.bits == 4 else largest
    return whole


def _exact(fragment: Fragment, shape: tuple[int, int], draw: np.random.Generator) -> np.ndarray:
    """Floats of all sizes in one factor and few ones in the other, or sums that fill the accumulator's significand."""
    fmt = format_named(fragment.holds)
    number = np.arange(shape[0])[:, None] % 4
    sign = draw.integers(0, 2, shape, np.uint64) * np.uint64(fmt.sign_bit)
    any_finite = draw.integers(0, fmt.largest_magnitude + 1, shape, np.uint64) | sign
    subnormal = draw.integers(0, 2 << fmt.fraction_bits, shape, np.uint64) | sign
    top = np.uint64(fmt.largest_magnitude) - draw.integers(0, 1 << fmt.fraction_bits, shape, np.uint64) | sign
    kind = draw.random(shape)
    any_size = np.where(kind < 0.3, subnormal, np.where(kind < 0.5, top, any_finite))
    few = np.where(draw.random(shape) < 0.1, np.uint64(element(fragment, 1)), np.uint64(0))
    if fragment.use == "cd":
        full = np.uint64(fmt.bias + fmt.fraction_bits << fmt.fraction_bits)
        held = full + draw.integers(0, 1 << fmt.fraction_bits - 1, shape, np.uint64)
        return np.where(number == 2, held | sign, np.uint64(0))
    alone = np.where(few > 0, any_size, np.uint64(0))
    a, b = (alone, np.full(shape, element(fragment, 1), np.uint64)), (few, any_size)
    return np.where(number == 0, a[fragment.use == "b"], np.where(number == 1, b[fragment.use == "b"], few))


def _packed(codes: np.ndarray, bits: int) -> np.ndarray:
    """Codes as bytes, the first in the lowest bits."""
    if bits == 4:
        return (codes[:, ::2] | codes[:, 1::2] << np.uint64(4)).astype(np.uint8)
    return codes.astype(f"<u{bits // 8}").view(np.uint8)
