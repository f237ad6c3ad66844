"""The arrays of halves: 16-bit C beside every kind of other half, and sums in both halves of one fragment."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.program import Load
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

NARROW = ("acc-f16", "acc-bf16")

_FILLED = {
    "ones": lambda fmt: fmt.mask,
    "nan": lambda fmt: fmt.nan_bits,
    "infinity": lambda fmt: fmt.infinity_magnitude,
}
"""Class of ``c-other-half`` -> the bits of a constant C, which the other half has as well."""


def _other_half(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """One product whose C has a drawn kind of other half; of a tied one D is the C of the next."""
    kernel = WmmaKernel(context, context.choices.one_of((1, 3)))
    opsel, kind = chosen["opsel"] == "high", chosen["c-other-half"]
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    for name in ("a", "b", "d"):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    if kind in _FILLED:
        kernel.add(Fill("c", _FILLED[kind](kernel.element("cd"))))
    elif kind == "zeros":
        kernel.add(Fill("c", 0))
    else:
        load = kernel.load("c", "C", "in-c", by_wave=True)
        assert isinstance(load, Load)
        kernel.add(replace(load, high=load.data) if kind == "same" else load)
    d = "c" if chosen["destination"] == "in-place" else "d"
    kernel.add(kernel.wmma(d, "a", "b", "c", opsel=opsel), kernel.store(d))
    if kernel.form.tied:
        kernel.fragment("e", "cd")
        kernel.add(kernel.wmma("e", "a", "b", d, opsel=not opsel), kernel.store("e"))
    return kernel.draft(kernel.sums, batch=4)


OTHER_HALVES = Array(
    name="other-halves",
    focus=("RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH", "RDNA3-OPSEL-SLOT", "RDNA3-CD-UNPACKED", "RDNA3-OPSEL-OTHER"),
    axes={
        "opsel": ("low", "high"),
        "c-other-half": ("zeros", "same", "other-matrix", "ones", "nan", "infinity"),
        "destination": ("in-place", "apart-old"),
    },
    build=_other_half,
    rows=NARROW,
)
"""What C's registers hold beside C."""

_TURNS = {
    "all-low": (False, False, False),
    "all-high": (True, True, True),
    "low-then-high": (False, True),
    "high-then-low": (True, False),
    "alternating": (False, True, False, True),
}
"""Class of ``opsel-sequence`` -> OPSEL of the products of a chain."""


def _chain(context: DrawContext[Any], chosen: Chosen) -> Draft:
    """Products in one fragment, in its halves by turns, in a line or in a loop; new factors each time."""
    kernel = WmmaKernel(context, context.choices.one_of((1, 2)))
    kernel.fragments(a="a", b="b", c="cd")
    kernel.add(kernel.load("c", "C", "in-c", by_wave=True))
    turns = _TURNS[chosen["opsel-sequence"]]
    passes = 2 if chosen["in-loop"] == "first-in-loop" else 0
    steps: list[Any] = []
    for number, opsel in enumerate(turns):
        for name in ("a", "b"):
            data = f"{name.upper()}{number}"
            count = max(passes, 1)
            steps.append(kernel.load(name, data, f"in-{name}", count, by_wave=True, by_loop=passes > 0))
        steps.append(kernel.wmma("c", "a", "b", "c", opsel=opsel))
    kernel.add(*([kernel.repeat(passes, steps)] if passes else steps), kernel.store("c"))
    return kernel.draft(kernel.sums, batch=4)


HALVES_IN_TURN = Array(
    name="halves-in-turn",
    focus=("RDNA3-OPSEL-OTHER", "RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH", "RDNA3-TILE", "RDNA3-INPLACE"),
    axes={"opsel-sequence": tuple(_TURNS), "in-loop": ("no", "first-in-loop")},
    build=_chain,
    rules=("in-loop=first-in-loop with opsel-sequence=low-then-high|high-then-low",),
    rows=("tied",),
)
"""Two sums that grow in one fragment."""
