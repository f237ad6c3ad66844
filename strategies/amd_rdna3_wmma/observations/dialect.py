"""What the looks at kernels on fragments have to know of the RDNA3 builtins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma import addresses
from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.oracle.amd_rdna3_wmma.modifiers import as_builtin
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fragment, VWmma, WmmaProgram
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.register_kernels import Load
from mmaspec.strategies.register_kernels.observations.dialect import Form, Place

_PARTS = {
    32: ("whole-word",), 16: ("low-half", "high-half"), 8: ("byte-0", "byte-1", "byte-2", "byte-3"),
    4: ("low-nibble", "high-nibble") * 4,
}  # fmt: skip
"""Bits of an element -> the parts of a VGPR that one has, from its low end."""

Integers = NDArray[np.int64]

NIBBLE = 4
"""Bits of an element of which two share a byte."""


class _Rdna3:
    component_axis = "vgpr-position"
    range_axis = "clamp-spread"

    def form(self, program: WmmaProgram, product: AnyWmma) -> Form:
        found = as_builtin(product, program.wave_size) if isinstance(product, VWmma) else _builtin(product.builtin)
        name = f"{found.accumulator}-{found.operand}"
        return Form(f"{name}-tied" if found.tied else name, found.integer)

    def function(self, product: AnyWmma) -> object:
        return product.opcode if isinstance(product, VWmma) else product.builtin

    def immediates(self, product: AnyWmma) -> tuple[object, ...]:
        if isinstance(product, VWmma):
            return product.op_sel, product.neg_lo, product.neg_hi, product.clamp, product.inline
        return product.a_sign, product.b_sign, product.clamp, product.opsel

    def saturates(self, product: AnyWmma) -> bool:
        return bool(product.clamp)

    def element_format(self, fragment: Fragment) -> Format:
        return addresses.element_format(fragment)

    def extent(self, fragment: Fragment, lanes: int) -> tuple[int, int]:
        return addresses.extent(fragment, lanes)

    def operand(self, program: WmmaProgram, product: AnyWmma, role: str) -> tuple[Format, bool]:
        """Integers by the sign flags. A fragment of a left factor that is read as B is that matrix transposed."""
        fragment = program.fragment(product.a if role == "a" else product.b)
        fmt = addresses.element_format(fragment)
        if not fmt.is_float:
            signed = product.a_sign if role == "a" else product.b_sign
            fmt = format_named(f"{'s' if signed else 'u'}{fmt.bits}")
        return fmt, fragment.use != role

    def columns(self, product: AnyWmma) -> slice:
        """Both matrices of a fragment of 16-bit C stand side by side."""
        if not (product.halves if isinstance(product, VWmma) else _builtin(product.builtin).halves):
            return slice(None)
        return slice(addresses.TILE, 2 * addresses.TILE) if product.opsel else slice(0, addresses.TILE)

    def component_bits(self, _fragment: Fragment) -> int:
        return 8 * addresses.VGPR_BYTES

    def places(self, fragment: Fragment, lanes: int) -> Callable[[int, int], tuple[Place, ...]]:
        where = addresses.places(fragment, lanes)
        return lambda row, col: tuple(Place(one.lane, one.vgpr, one.bit) for one in where(row, col))

    def part(self, bits: int, _width: int, bit: int) -> str:
        return _PARTS[bits][bit // bits]

    def addresses(self, program: WmmaProgram, load: Load, pass_number: int) -> Integers:
        passes = range(pass_number, pass_number + 1)
        fragment = program.fragment(load.into)
        found = addresses.access_bits(load, fragment, program.wave_size, program.waves, passes)  # type: ignore[arg-type]
        return found[0, :, 0] // 8

    def mismatch(self, bits: int, depth: int, a: Integers, b: Integers) -> Mapping[str, Flags]:
        each = 32 // bits
        swapped = (a != b) & (a // 2 == b // 2) if bits == NIBBLE else np.zeros_like(a == b)
        return {
            "equal": a == b,
            "nibbles-swapped": swapped,
            "same-word": (a != b) & (a // each == b // each) & ~swapped,
            "next-word": b == a + each,
            "reversed": b == depth - 1 - a,
            "plus-eight": np.abs(a - b) == 8,
        }


@cache
def _builtin(name: str) -> Builtin:
    found = parse(name)
    assert found is not None
    return found


DIALECT = _Rdna3()
"""The kernels of these builtins."""
