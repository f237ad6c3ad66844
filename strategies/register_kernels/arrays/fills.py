"""The array of fills: constants of every kind in A, B and C, before, between, within and after loops."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import Fits, Kernel

NIBBLES = (0xF, 0x8, 0x7, 1)
BYTES = (0xFF, 0x80, 0x7F, 1)
HALVES = (0xFFFF, 0x8000, 0x7FFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0xFC01, 0x03FF, 0x3C00, 1, 64)
BRAINS = (0xFFFF, 0x8000, 0x7FFF, 0x7F80, 0xFF80, 0x7FC0, 0x7F81, 0xFF81, 0x007F, 0x3F80, 1, 64)
"""All ones, signs alone, NaN of both kinds, infinities, subnormals, one, and low bits alone."""

_INTEGERS = (65, 0xFFF0, 0xFFEF)
"""With 1 and 64 the ends of the integers that an instruction can hold inline, and what is next to them, in 16 bits."""
_HALVES = (*_INTEGERS, 0x3800, 0x4000, 0x4400, 0xB800, 0xBC00, 0xC000, 0xC400, 0x3118)
_BRAINS = (*_INTEGERS, 0x3F00, 0x4000, 0x4080, 0xBF00, 0xBF80, 0xC000, 0xC080, 0x3E22)
"""Numbers that it can hold: 0.5, 2, 4, the negatives of these and of one, and 1/(2 pi)."""

_WORDS = (
    0xFFFF_FFFF,
    0x8000_0000,
    0x7FFF_FFFF,
    64,
    65,
    0xFFFF_FFFB,
    0xFFFF_FFF0,
    0xFFFF_FFEF,
    0x3E22_F983,
    0x1234_5678,
)
INTS = (*_WORDS, 0x3F80_0000, 0xC000_0000)
_SIZES = (0x3F00_0000, 0x3F80_0000, 0x4000_0000, 0x4080_0000)
INLINE = (*_SIZES, *(1 << 31 | bits for bits in _SIZES))
"""0.5, 1, 2, 4 and their negatives."""
FLOATS = (*_WORDS, 0x7F80_0000, 0x7FC0_0000, 0x7F80_0001, 0x0000_0001, 0x0000_3C00, *INLINE)
"""What an instruction can hold inline, what lies next to it, and special bits."""

PLACES = {"in-loop": ("in-loop", "directly-before"), "after-loop": ("after-loop", "directly-after-read")}
"""Classes of ``fill-when``, by two of which the constants of a case go in turn."""

TARGETS = ("a", "b", "c", "d")
"""Fragments that are filled: the factors, the addend, and a result that the next product adds to."""

CONSTANTS: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        **dict.fromkeys(("s4", "u4"), NIBBLES),
        **dict.fromkeys(("s8", "u8"), BYTES),
        "f16": HALVES,
        "bf16": BRAINS,
        "s32": INTS,
        "f32": FLOATS,
    }
)
"""Format -> the bits of elements."""

INLINE_ONLY: Mapping[str, tuple[int, ...]] = MappingProxyType({"f16": _HALVES, "bf16": _BRAINS})
"""Format -> what is told from other bits only where it is added, which takes more of them than factors do."""


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = make(context)
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    when = chosen["fill-when"]
    mine = tuple(PLACES).index(when)
    for turn, target in enumerate(TARGETS):
        for name in ("a", "b", "c"):
            kernel.add(kernel.load(name, f"{name.upper()}-{target}", f"in-{name}"))
        element = kernel.element(kernel.uses[target]).name
        added = INLINE_ONLY.get(element, ()) if kernel.uses[target] == "cd" else ()
        for number, bits in enumerate((*CONSTANTS[element], *added)):
            # The other case of the row has the other half, and of each constant the other targets.
            if (number + turn) % 2 == mine:
                _turn(kernel, PLACES[when][(number // 2 + turn // 2) % 2], target, bits, f"{target}{number}")
    if when == "in-loop":
        _folded(kernel)
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=1)


def _turn(kernel: Kernel, when: str, target: str, bits: int, number: str) -> None:
    """One fill, and the product that reads what it leaves."""
    c = "d" if target == "d" else "c"
    if target == "d":
        kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))
    call = kernel.product("d", "a", "b", c)
    if when == "in-loop":
        passes = kernel.choices.integer(1, 2)
        kernel.add(kernel.repeat(passes, (Fill(target, bits), call, kernel.store("d", "out", passes, by_loop=True))))
        return
    if when == "after-loop":
        other = kernel.load("b" if target == "a" else "a", f"Each{number}", "each", 2, by_loop=True)
        kernel.add(kernel.repeat(2, (other, kernel.product("e", "a", "b", c))), kernel.store("e"))
    elif when == "directly-after-read":
        kernel.add(kernel.product("e", "a", "b", c))
    kernel.add(Fill(target, bits))
    if when != "directly-before":
        # Of a constant that is only added to rounded sums little would show.
        kernel.add(kernel.store(target, f"kept-{kernel.uses[target]}"))
    if when == "directly-after-read":
        kernel.add(kernel.store("e"))
    kernel.add(call, kernel.store("d"))


def _folded(kernel: Kernel) -> None:
    """Constants as both factors, which a compiler may multiply itself: all ones, the sign alone, the largest."""
    for left, right in product(range(3), repeat=2):
        for use, number in (("a", left), ("b", right)):
            kernel.add(Fill(use, CONSTANTS[kernel.element(kernel.uses[use]).name][number]))
        kernel.add(kernel.product("d", "a", "b", "c"), kernel.store("d"))


def fills(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Every constant in A, B, C and a result."""
    return Array(
        name="fills",
        focus=focus,
        axes={
            "fill-when": tuple(PLACES),
        },
        build=partial(_build, make),
        fits=fits,
    )
