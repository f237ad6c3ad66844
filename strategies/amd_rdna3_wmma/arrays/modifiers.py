"""The arrays of instructions: their modifiers, where C comes from, and every kind of constant for it."""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec.structs import replace

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Form
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.modifiers import KINDS, OF_C, SIGNS, constant, takes, with_signs
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

NO_CONSTANT = "none"
"""Class of ``inline-constant`` of a C that is a fragment."""

INTEGER_SIGNS = {"uu": (False, False), "us": (False, True), "su": (True, False), "ss": (True, True)}
"""Class of ``instruction-signs`` -> whether A is signed, and B."""

_ENDS = ((1 << 31) - 1, -(1 << 31))
"""The ends of the range of a C of integers."""

_OPSEL = {"low": False, "high": True}

_C = {
    "instruction-c": ("loaded", "result", "filled", "constant"),
    "instruction-d": ("in-place", "apart"),
    "instruction-passes": ("once", "looped"),
    "instruction-factors": ("two", "one"),
}


class _Signed(WmmaKernel):
    """A kernel that says itself how the signs of its operands change."""

    free_signs: ClassVar[bool] = False


def _kernel(context: DrawContext[Any], chosen: Chosen, **flags: Any) -> tuple[WmmaKernel, Any]:
    """A kernel in which everything is loaded, and one instruction as chosen, which is not in it yet."""
    kernel = _Signed(context, context.choices.one_of((1, 3)))
    kernel.fragments(a="a", c="cd", d="cd")
    b = "a" if chosen["instruction-factors"] == "one" else kernel.fragment("b", "b")
    for name in sorted(kernel.declared):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    if chosen["instruction-c"] == "result":
        kernel.add(kernel.wmma("c", "a", b, "c", **flags))
    elif chosen["instruction-c"] == "filled":
        kernel.add(Fill("c", kernel.number("cd", kernel.choices.one_of(_ENDS if kernel.integer else (3, -3)))))
    constants = chosen["inline-constant"] != NO_CONSTANT
    step: Any = kernel.wmma("c" if chosen["instruction-d"] == "in-place" else "d", "a", b, "c", **flags)
    if constants:
        step = replace(step, c=None, inline=constant(kernel.choices, chosen["inline-constant"]))
    return kernel, step


def _finished(kernel: WmmaKernel, step: Any, chosen: Chosen, regime: str) -> Draft:
    """The instruction, and with a constant the same of an A of zeros, so that D is just that.

    No integer that is a constant takes a sum beyond its range, so that clamp is idle: beside it there is a C that does.
    """
    executed = kernel.repeat(2, (step,)) if chosen["instruction-passes"] == "looped" else step
    kernel.add(executed, kernel.store(step.d))
    if step.c is None:
        if kernel.integer:
            kernel.add(replace(step, c="c", inline=0), kernel.store(step.d))
        kernel.add(Fill("a", 0), executed, kernel.store(step.d))
    return kernel.draft(regime, batch=4)


def _floats(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel, step = _kernel(context, chosen, opsel=_OPSEL.get(chosen["op-sel"]))
    signed = with_signs(step, chosen["a-signs"], chosen["b-signs"], chosen["c-sign"])
    return _finished(kernel, signed, chosen, kernel.sums)


def _integers(context: DrawContext[Any], chosen: Chosen) -> Draft:
    signs, clamp = INTEGER_SIGNS[chosen["instruction-signs"]], chosen["instruction-clamp"] == "on"
    kernel, step = _kernel(context, chosen, signs=signs, clamp=clamp)
    if step.a == step.b:
        # Beside it the same of two matrices, to which clamp does what it does to one.
        kernel.fragments(e="cd", other="b")
        kernel.add(kernel.load("other", "Other", "in-b", by_wave=True))
        kernel.add(replace(step, d="e", b="other", c="c", inline=0), kernel.store("e"))
    return _finished(kernel, step, chosen, "overflow")


def _fits(row: Row[Form], _: object, axis: str, name: str) -> bool:
    """OPSEL has a meaning with 16-bit C and D only; numbers are constants for C of f32 and f16 only."""
    if axis == "inline-constant":
        return name == NO_CONSTANT or takes(row.entry, name)
    return axis != "op-sel" or (name != "none") is row.entry.halves


_CONSTANTS = "|".join(KINDS)
_NOT_ZERO = "|".join(kind for kind in KINDS if kind != "integer-zero")
_RULES = (
    f"inline-constant={_CONSTANTS} with instruction-c=loaded|result|filled",
    f"inline-constant={NO_CONSTANT} with instruction-c=constant",
    "instruction-c=constant with instruction-d=in-place",
)

FLOAT_INSTRUCTIONS = Array(
    name="float-instructions",
    focus=("RDNA3-FP-NEG", "RDNA3-C-INLINE", "RDNA3-OPSEL-OTHER", "RDNA3-INPLACE"),
    axes={
        "a-signs": tuple(SIGNS),
        "b-signs": tuple(SIGNS),
        "c-sign": tuple(OF_C),
        "op-sel": ("none", "low", "high"),
        "inline-constant": (NO_CONSTANT, *KINDS),
        **_C,
    },
    build=_floats,
    rules=(*_RULES, f"inline-constant={_NOT_ZERO} with op-sel=high"),
    rows=("v-float",),
    fits=_fits,
)
"""Every change of sign and every constant with each other; what constants but 0 are in high halves no text says."""

INTEGER_INSTRUCTIONS = Array(
    name="integer-instructions",
    focus=("RDNA3-C-INLINE", "RDNA3-IU-SIGN", "RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP", "RDNA3-INPLACE"),
    axes={
        "instruction-signs": tuple(INTEGER_SIGNS),
        "instruction-clamp": ("off", "on"),
        "inline-constant": (NO_CONSTANT, *(kind for kind in KINDS if kind.startswith("integer-"))),
        **_C,
    },
    build=_integers,
    rules=(
        f"inline-constant={'|'.join(kind for kind in KINDS if kind.startswith('integer-'))}"
        " with instruction-c=loaded|result|filled",
        *_RULES[1:],
    ),
    rows=("v-int",),
)
"""Signs, clamp and constants of integers."""
