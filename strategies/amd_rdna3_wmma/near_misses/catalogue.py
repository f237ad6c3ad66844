"""Every validity clause and the forms in which it is broken, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.strategies.amd_rdna3_wmma.near_misses.calls import (
    flag,
    has_both,
    immediate,
    modifier,
    named,
    of_waves,
    opsel,
    other_call,
    slots_left,
    tied,
    vector,
    wave_size,
)
from mmaspec.strategies.grammar import Forms, NearMiss, form_of, in_forms, joined
from mmaspec.strategies.register_kernels.near_misses import ELSEWHERE, Where

FLAGS = ("a_sign", "b_sign", "clamp")
SIZES = (
    "8x16x16",
    "32x16x16",
    "16x8x16",
    "16x32x16",
    "16x16x8",
    "16x16x32",
    "32x32x8",
    "4x4x4",
    "15x16x16",
    "16x16x17",
)
"""M, N and K: each below and above 16."""
FLOAT_PAIRS = (
    ("bf16", "f16"),
    ("f16", "bf16"),
    ("f64", "f16"),
    ("f32", "f32"),
    ("f32", "iu8"),
    ("i32", "f16"),
    ("f32", "f8"),
)
INTEGER_PAIRS = (
    ("i32", "f16"),
    ("f32", "iu8"),
    ("f32", "iu4"),
    ("i16", "iu8"),
    ("u32", "iu8"),
    ("i32", "iu16"),
    ("i32", "i8"),
    ("i64", "iu8"),
)
"""Format of C and D, format of A and B: no builtin joins them."""
LENGTHS = tuple((name, how) for how in ("shorter", "longer", "of another width") for name in "abcd")
"""Argument, and what is wrong with it."""
HALVES = ("acc-f16", "acc-bf16")
WORDS = ("acc-f32", "acc-s32")
"""Tags of the rows whose C and D have 16 bits, and 32."""


def _pairs(pairs: tuple[tuple[str, str], ...], rows: tuple[str, ...]) -> Forms:
    table: dict[str, tuple[Where, str, str, str]] = {f"{c} from {a}, {rows[0]} row": ("", c, "", a) for c, a in pairs}
    results, operands = pairs[0]
    table |= {
        f"{results} from {operands}, {rows[0]} row, {where}": (where, results, "", operands) for where in ELSEWHERE
    }
    return in_forms(named, table, rows)


def _flags(words: str) -> dict[str, tuple[Where, tuple[str, ...]]]:
    table: dict[str, tuple[Where, tuple[str, ...]]] = {f"{name} {words}": ("", (name,)) for name in FLAGS}
    table[f"all flags {words}"] = ("", FLAGS)
    table[f"b_sign {words}, second call"] = ("second call", ("b_sign",))
    table[f"clamp {words}, in a loop"] = ("in a loop", ("clamp",))
    return table


_LENGTHS = Forms(
    tuple(form_of(vector, (name, how), f"{name} {how}", possible=slots_left(name, how)) for name, how in LENGTHS)
)
_OPSEL: Mapping[str, tuple[Where, bool]] = {
    "set": ("", True),
    "clear": ("", False),
    "set, second call": ("second call", True),
    "set, in a loop": ("in a loop", True),
}

_NO_OPSEL: Mapping[str, tuple[Where, bool | None]] = {
    "no OPSEL": ("", None), "no OPSEL, second call": ("second call", None), "no OPSEL, in a loop": ("in a loop", None)
}  # fmt: skip
_LOADED: Mapping[str, tuple[Where, tuple[str, ...]]] = {
    "OPSEL loaded": ("", ("opsel",)),
    "OPSEL loaded, second call": ("second call", ("opsel",)),
    "OPSEL loaded, in a loop": ("in a loop", ("opsel",)),
}
_TIED: Mapping[str, Where] = {"tied": "", "tied, second call": "second call", "tied, in a loop": "in a loop"}

_FIRST, _SECOND, _THIRD = ((True, False, False), (False, True, False), (False, False, True))
_BITS: Mapping[str, tuple[Where, dict[str, object]]] = {
    "OPSEL of C": ("", {"op_sel": _THIRD}),
    "OPSEL of A": ("", {"op_sel": _FIRST}),
    "OPSEL of B": ("", {"op_sel": _SECOND}),
    "all bits of OPSEL": ("", {"op_sel": (True, True, True)}),
    "OPSEL of C, second instruction": ("second call", {"op_sel": _THIRD}),
    "OPSEL of C, in a loop": ("in a loop", {"op_sel": _THIRD}),
}
"""Only where C and D have 32 bits: with 16 bits LLVM's assembler takes those of A and B."""
_CLAMP: Mapping[str, tuple[Where, dict[str, object]]] = {
    "clamp": ("", {"clamp": True}),
    "clamp, second instruction": ("second call", {"clamp": True}),
    "clamp, in a loop": ("in a loop", {"clamp": True}),
}

NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "RDNA3-SHAPE": joined(
            in_forms(named, {size: ("", "", size, "") for size in SIZES}),
            in_forms(of_waves, ("w16", "w128")),
            in_forms(named, {f"16x16x32, {where}": (where, "", "16x16x32", "") for where in ELSEWHERE}),
        ),
        "RDNA3-OPS": joined(
            _pairs(FLOAT_PAIRS, ("float",)),
            _pairs(INTEGER_PAIRS, ("int",)),
            in_forms(tied, _TIED, WORDS),
        ),
        "RDNA3-WAVE-SIZE": joined(
            in_forms(wave_size, ("w32 in a kernel of wave64",), ("w32",)),
            in_forms(wave_size, ("w64 in a kernel of wave32",), ("w64",)),
            Forms(tuple(form_of(other_call, where, f"other call, {where}", possible=has_both) for where in ELSEWHERE)),
        ),
        "RDNA3-SIG": joined(
            _LENGTHS,
            in_forms(flag, _flags("missing"), ("int",)),
            in_forms(flag, _flags("too many"), ("float",)),
            in_forms(opsel, _NO_OPSEL, HALVES),
        ),
        "RDNA3-OPSEL-ONLY16": in_forms(opsel, _OPSEL, WORDS),
        "RDNA3-OPSEL-IMMEDIATE": in_forms(immediate, _LOADED, HALVES),
        "RDNA3-OPSEL-BITS": in_forms(modifier, _BITS, ("v-acc-f32", "v-acc-s32")),
        "RDNA3-FP-CLAMP": in_forms(modifier, _CLAMP, ("v-float",)),
        "RDNA3-IU-IMMEDIATE": in_forms(immediate, _flags("loaded"), ("int",)),
    }
)
"""Validity clause -> how to break it."""
