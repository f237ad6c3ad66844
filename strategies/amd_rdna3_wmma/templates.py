"""Templates: a family of kernels for each group of clauses."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma
from mmaspec.strategies.amd_rdna3_wmma import halves, modifiers
from mmaspec.strategies.amd_rdna3_wmma.arrays import copies
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.grammar import Draft, DrawContext, Template
from mmaspec.strategies.register_kernels import templates as shared
from mmaspec.strategies.register_kernels.templates import FRAGMENTS, Build

HALVES = ("RDNA3-CD-UNPACKED", "RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH", "RDNA3-OPSEL-SLOT")
"""Where 16-bit C and D stand in their registers."""

LAYOUT = (
    "RDNA3-AB-ROWCOL",
    "RDNA3-AB-PACK16",
    "RDNA3-AB-PACK8",
    "RDNA3-AB-PACK4",
    "RDNA3-W32-REPLICATE",
    "RDNA3-W64-REPLICATE",
    "RDNA3-CD-W32",
    "RDNA3-CD-W64",
    "RDNA3-CD-NOREP",
    *HALVES,
)


def of(family: shared.Family) -> Build:
    """A shared family of kernels, with RDNA3's builder."""
    return partial(family, ProgramBuilder)


def product(regime: str = "") -> Build:
    """D = A*B + C, every fragment one of its own; flags are drawn."""

    def build(context: DrawContext[Any]) -> Draft:
        return shared.product(ProgramBuilder, context, regime=regime)

    return build


def clamp_idle(context: DrawContext[Any]) -> Draft:
    """Clamp where no sum leaves its range."""

    def clamped(builder: ProgramBuilder, d: str, a: str, b: str, c: str) -> AnyWmma:
        return builder.wmma(d, a, b, c, clamp=True)

    return shared.product(ProgramBuilder, context, regime="small", call=clamped)


def signs(regime: str, clamp: bool | None = None) -> Build:
    """Four products, one for each pair of signs, every one of factors and of an addend of its own."""

    def build(context: DrawContext[Caps]) -> Draft:
        builder = ProgramBuilder(context)
        for name, use in FRAGMENTS:
            builder.fragment(name, use)
        left = [(False, False), (False, True), (True, False), (True, True)]
        for n in range(4):
            pair = context.choices.one_of(left)
            left.remove(pair)
            builder.add(builder.load("a", f"A{n}", "left", by_wave=True))
            builder.add(builder.load("b", f"B{n}", "right", by_wave=True))
            builder.add(builder.load("c", f"C{n}", "addend", by_wave=True))
            builder.add(builder.wmma("d", "a", "b", "c", pair, clamp), builder.store("d"))
        return builder.draft(regime)

    return build


NARROW = ("acc-f16", "acc-bf16", "v-acc-f16", "v-acc-bf16")
"""Tags of the rows whose C and D have 16 bits an element."""
FLOAT, INT = ("float", "v-float"), ("int", "v-int")
"""Tags of the rows of builtins and of instructions."""

_MMA = ("RDNA3-MMA", *LAYOUT)

TEMPLATES = (
    Template("product", _MMA, product()),
    Template("product-normal", (*_MMA, "RDNA3-FP-ACC"), product("normal"), FLOAT),
    Template("product-wild", ("RDNA3-FP-ACC",), product("wild"), FLOAT),
    Template("product-subnormal", ("RDNA3-FP-ACC",), product("subnormal"), FLOAT),
    Template("product-cancelling", ("RDNA3-FP-ACC",), product("cancelling"), FLOAT),
    Template("product-near-tie", ("RDNA3-FP-ACC",), product("near-tie"), FLOAT),
    Template("product-overflow-edge", ("RDNA3-FP-ACC", "RDNA3-FP-NAN"), product("overflow-edge"), FLOAT),
    Template("product-specials", ("RDNA3-FP-NAN",), product("specials"), FLOAT),
    Template("product-window", (*_MMA, "RDNA3-FP-ACC"), product("window"), NARROW),
    Template("each-half", (*HALVES, "RDNA3-ZERO-C"), halves.each_half, NARROW),
    Template("two-sums", (*HALVES, "RDNA3-OPSEL-OTHER", "RDNA3-INPLACE"), halves.two_sums, NARROW),
    Template("few-terms", ("RDNA3-FP-ACC", "RDNA3-MMA"), halves.sparse, NARROW),
    Template("kept-apart", ("RDNA3-OPSEL-OTHER",), halves.kept_apart, ("tied",)),
    Template("beside-literal", ("RDNA3-OPSEL-OTHER", "RDNA3-ZERO-C"), halves.beside_literal, ("tied",)),
    Template("signs", ("RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"), signs("wild"), INT),
    Template("sums-wrap", ("RDNA3-IU-NOCLAMP", "RDNA3-IU-ACC"), signs("overflow", clamp=False), INT),
    Template("sums-clamp", ("RDNA3-IU-CLAMP", "RDNA3-IU-ACC"), signs("overflow", clamp=True), INT),
    Template("clamp-idle", ("RDNA3-IU-CLAMP",), clamp_idle, INT),
    Template("in-place", ("RDNA3-INPLACE",), of(shared.in_place)),
    Template("zero-literal", ("RDNA3-ZERO-C",), of(shared.zero_literal)),
    Template("zero-filled", ("RDNA3-ZERO-C", "RDNA3-INPLACE"), of(shared.zero_filled)),
    Template("filled", ("RDNA3-MEM-FREE", "RDNA3-MMA"), of(shared.filled)),
    Template("tiles", ("RDNA3-TILE",), of(shared.tiles), weight=2),
    Template("chain", ("RDNA3-TILE", "RDNA3-INPLACE"), of(shared.chain)),
    Template("reuse", ("RDNA3-TILE", "RDNA3-MEM-FREE"), of(shared.reuse)),
    Template("registers", ("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"), of(shared.registers)),
    Template("sums-at-ends", ("RDNA3-IU-DOT-RANGE",), signs("integer-ends"), ("v-int",)),
    Template("signed-operands", ("RDNA3-FP-NEG",), modifiers.signed_operands, ("v-float",), weight=2),
    Template("inline-constants", ("RDNA3-C-INLINE",), modifiers.inline_constants, ("v-float", "v-int"), weight=2),
    Template("copies-apart", ("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"), copies.drawn),
    Template("constants", ("RDNA3-AB-PACK16", "RDNA3-ZERO-C"), of(shared.constants), ("f16", "bf16")),
    Template("product-met-infinities", ("RDNA3-FP-NAN",), product("met-infinities"), FLOAT),
)
