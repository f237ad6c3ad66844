"""The arrays of instructions: signs of A, B and C in all pairs, and every kind of constant for C."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Form
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.modifiers import KINDS, OF_C, SIGNS, constant, takes, with_signs
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

_HALVES = {"low": False, "high": True}


def _signed(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """One product with the chosen signs; C is loaded, the result of another product, or a constant fragment."""
    kernel = WmmaKernel(context, context.choices.one_of((1, 3)))
    opsel = _HALVES.get(chosen["op-sel"])
    if (opsel is not None) is not kernel.form.halves:
        return None
    kernel.fragments(a="a", b="b", c="cd")
    kernel.add(*(kernel.load(name, name.upper(), f"in-{name}", by_wave=True) for name in "abc"))
    if chosen["instruction-c"] == "result":
        kernel.add(kernel.wmma("c", "a", "b", "c", opsel=opsel))
    d = "c" if chosen["instruction-d"] == "in-place" else kernel.fragment("d", "cd")
    step = with_signs(
        kernel.wmma(d, "a", "b", "c", opsel=opsel), chosen["a-signs"], chosen["b-signs"], chosen["c-sign"]
    )
    kernel.add(step, kernel.store(d))
    return kernel.draft(kernel.sums, batch=4)


def _fits_halves(row: Row[Form], _: object, axis: str, name: str) -> bool:
    """OPSEL has a meaning with 16-bit C and D only."""
    return axis != "op-sel" or (name != "none") is row.entry.halves


SIGNS_OF_OPERANDS = Array(
    name="signs-of-operands",
    focus=("RDNA3-FP-NEG", "RDNA3-OPSEL-OTHER", "RDNA3-INPLACE"),
    axes={
        "a-signs": tuple(SIGNS),
        "b-signs": tuple(SIGNS),
        "c-sign": tuple(OF_C),
        "op-sel": ("none", "low", "high"),
        "instruction-c": ("loaded", "result"),
        "instruction-d": ("in-place", "apart"),
    },
    build=_signed,
    rows=("v-float",),
    fits=_fits_halves,
)
"""Every change of sign of a factor with every one of the other and of C."""


def _inline(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    """A constant for C over what D held, of factors that are loaded, and of an A of zeros."""
    kernel = WmmaKernel(context, context.choices.one_of((1, 3)))
    opsel = _HALVES.get(chosen["op-sel"])
    if (opsel is not None) is not kernel.form.halves:
        return None
    kernel.fragments(a="a", b="b", d="cd")
    kernel.add(*(kernel.load(name, name.upper(), f"in-{name}", by_wave=True) for name in "abd"))
    inline = constant(kernel.choices, chosen["inline-constant"])
    for product in ("of-loaded", "of-zeros"):
        if product == "of-zeros":
            kernel.add(Fill("a", 0))
        step = kernel.wmma("d", "a", "b", None, opsel=opsel)
        kernel.add(replace(step, inline=inline), kernel.store("d"))
    return kernel.draft("small" if kernel.integer else kernel.sums, batch=4)


def _fits_constants(row: Row[Form], caps: object, axis: str, name: str) -> bool:
    """Numbers are constants for C of f32 and f16 only."""
    if axis == "inline-constant":
        return takes(row.entry, name)
    return _fits_halves(row, caps, axis, name)


CONSTANTS_FOR_C = Array(
    name="constants-for-c",
    focus=("RDNA3-C-INLINE", "RDNA3-ZERO-C"),
    axes={"inline-constant": KINDS, "op-sel": ("none", "low", "high")},
    build=_inline,
    rules=tuple(f"inline-constant={kind} with op-sel=high" for kind in KINDS if kind != "integer-zero"),
    rows=("v-float", "v-int"),
    fits=_fits_constants,
)
"""Every constant; what one is in high halves no text says but for zero."""
