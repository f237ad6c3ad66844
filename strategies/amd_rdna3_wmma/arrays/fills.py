"""The array of fills: constants of every kind in A, B and C, before, between, within and after loops."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.amd_rdna3_wmma.program import Fill, Repeat, Use
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

BYTES = (0xFF, 0x80, 0x7F, 1)
HALVES = (0xFFFF, 0x8000, 0x7FFF, 0x7C00, 0xFC00, 0x7E00, 0x7C01, 0x0001, 0x03FF)
"""All ones, signs alone, NaN of both kinds, infinities, subnormals."""

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
"""Classes of ``fill-when``, by two of which the constants of a case go in turn, from either one on."""


def constants(kernel: Kernel, use: Use) -> tuple[int, ...]:
    """The bits of elements of a fragment."""
    if use == "cd":
        return INTS if kernel.integer else FLOATS
    return BYTES if kernel.integer else HALVES


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = Kernel(context)
    kernel.fragments(a="a", b="b", c="cd", d="cd", e="cd")
    when, turn = chosen["fill-when"], context.choices.integer(0, 1)
    for target in ("a", "b", "c", "d"):
        for name in ("a", "b", "c"):
            kernel.add(kernel.load(name, f"{name.upper()}-{target}", f"in-{name}"))
        for number, bits in enumerate(constants(kernel, kernel.uses[target])):
            _turn(kernel, PLACES[when][(number + turn) % 2], target, bits, f"{target}{number}")
    return kernel.draft("wild" if kernel.integer else "normal", batch=2)


def _turn(kernel: Kernel, when: str, target: str, bits: int, number: str) -> None:
    """One fill, and the product that reads what it leaves."""
    c = "d" if target == "d" else "c"
    if target == "d":
        kernel.add(kernel.wmma("d", "a", "b", "c"), kernel.store("d"))
    call = kernel.wmma("d", "a", "b", c)
    if when == "in-loop":
        passes = kernel.choices.integer(1, 2)
        kernel.add(Repeat(passes, (Fill(target, bits), call, kernel.store("d", "out", passes, by_loop=True))))
        return
    if when == "after-loop":
        other = kernel.load("b" if target == "a" else "a", f"Each{number}", "each", 2, by_loop=True)
        kernel.add(Repeat(2, (other, kernel.wmma("e", "a", "b", c))), kernel.store("e"))
    elif when == "directly-after-read":
        kernel.add(kernel.wmma("e", "a", "b", c))
    kernel.add(Fill(target, bits))
    if when == "directly-after-read":
        kernel.add(kernel.store(target, f"kept-{kernel.uses[target]}"), kernel.store("e"))
    kernel.add(call, kernel.store("d"))


FILLS = Array(
    name="fills",
    focus=("RDNA3-ZERO-C", "RDNA3-MEM-FREE", "RDNA3-MMA"),
    axes={
        "fill-when": tuple(PLACES),
    },
    build=_build,
)
"""Every constant in A, B, C and a result."""
