"""What the looks at kernels on fragments have to know of the sub-group matrix functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.intel_subgroup_mma import addresses
from mmaspec.oracle.intel_subgroup_mma.functions import Signature
from mmaspec.oracle.intel_subgroup_mma.rule_context import meant
from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.programs.formats import Format
from mmaspec.programs.intel_subgroup_mma.caps import FORMS
from mmaspec.programs.intel_subgroup_mma.program import COMPONENT_BYTES, Fragment, Mad, MadProgram
from mmaspec.programs.register_kernels import Load
from mmaspec.strategies.register_kernels.observations.dialect import Form, Place

Integers = NDArray[np.int64]

WORD = 32
"""Bits of a component of B."""
HALF = 16
"""Bits of a component of A where sub-groups have sixteen work-items: half of a word of B."""


class _SubGroups:
    component_axis = "component-position"
    range_axis = "wrap-spread"

    def form(self, program: MadProgram, product: Mad) -> Form:
        name = signature_of(program, product).form
        return Form(name.replace("_", "-"), FORMS[name].integer)

    def function(self, product: Mad) -> object:
        return product.function

    def immediates(self, _product: Mad) -> tuple[object, ...]:
        return ()

    def saturates(self, _product: Mad) -> bool:
        """ISGMMA-INT-WRAP."""
        return False

    def element_format(self, fragment: Fragment) -> Format:
        return addresses.element_format(fragment)

    def extent(self, fragment: Fragment, lanes: int) -> tuple[int, int]:
        return addresses.extent(fragment, lanes)

    def operand(self, program: MadProgram, product: Mad, role: str) -> tuple[Format, bool]:
        """What the fragment holds: a function that takes it for something else is out of reach."""
        return addresses.element_format(program.fragment(product.a if role == "a" else product.b)), False

    def component_bits(self, fragment: Fragment) -> int:
        return 8 * COMPONENT_BYTES[fragment.component]

    def columns(self, _product: Mad) -> slice:
        return slice(None)

    def places(self, fragment: Fragment, _lanes: int) -> Callable[[int, int], tuple[Place, ...]]:
        def where(row: int, col: int) -> tuple[Place, ...]:
            found = addresses.place(fragment, row, col)
            return (Place(found.item, found.component, found.bit),)

        return where

    def part(self, bits: int, width: int, bit: int) -> str:
        return _part(bits, width, bit)

    def addresses(self, program: MadProgram, load: Load, pass_number: int) -> Integers:
        bits = addresses.access_bits(program, load, program.waves, range(pass_number, pass_number + 1))
        found: Integers = bits[:, 0] // 8
        return found

    def mismatch(self, bits: int, depth: int, a: Integers, b: Integers) -> Mapping[str, Flags]:
        """By the words of B: of a row of A one work-item of eight has a word, one of sixteen has half of one."""
        word, half = WORD // bits, HALF // bits
        unequal = a != b
        return {
            "equal": a == b,
            "same-byte": unequal & (a * bits // 8 == b * bits // 8),
            "same-half": unequal & (a // half == b // half) & (a * bits // 8 != b * bits // 8),
            "other-half": (a // word == b // word) & (a // half != b // half),
            "next-word": b == a + word,
            "reversed": b == depth - 1 - a,
            "half-apart": np.abs(a - b) == depth // 2,
        }


@cache
def _part(bits: int, width: int, bit: int) -> str:
    if bits == width:
        return {32: "whole-word", 16: "whole-short"}[width]
    kind = {16: "half", 8: "byte", 4: "nibble"}[bits]
    return f"{kind}-{bit // bits}"


def signature_of(program: MadProgram, product: Mad) -> Signature:
    """The function that a call of a valid program means."""
    found = meant(program, product)
    assert found is not None
    return found


DIALECT = _SubGroups()
"""The kernels of these functions."""
