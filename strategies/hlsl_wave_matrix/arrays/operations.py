"""Operations: what they work on, what that came from, and what follows, every two of these together."""

from __future__ import annotations

from collections.abc import Callable

from mmaspec.oracle.hlsl_wave_matrix.rows import Entry
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps
from mmaspec.programs.hlsl_wave_matrix.program import (
    Add,
    Instruction,
    MatrixKind,
    Multiply,
    MultiplyAccumulate,
    ScalarAdd,
    ScalarDivide,
    ScalarMultiply,
    ScalarSubtract,
    Scaling,
    SumAccumulate,
)
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_wave_matrix.arrays.packed import Packed
from mmaspec.strategies.hlsl_wave_matrix.arrays.workshop import Workshop
from mmaspec.strategies.hlsl_wave_matrix.builder.program import ProgramBuilder
from mmaspec.strategies.hlsl_wave_matrix.builder.shared_arrays import fitting

FACTOR_FROM = ("buffer-row", "buffer-col", "array-row", "array-col", "fill", "result")
NONE = "none"
"""Of a sum, the factor that it is not of."""
ROWED_FROM = (
    "buffer-row", "buffer-col", "array-row", "array-col", "fill", "multiply", "accumulate", "add", "scalar",
)  # fmt: skip
FRAGMENT_FROM = ("buffer-fragment", "array-fragment", "fill", "sum", "scalar")
ROWED_GOES = (
    "buffer-row", "buffer-col", "array-row", "array-col", "accumulate", "multiply-over", "add-object", "add-operand",
    "scalar", "overwritten", "nothing",
)  # fmt: skip
FRAGMENT_GOES = (
    "buffer-fragment", "array-fragment", "sum", "add-operand", "scalar", "overwritten", "nothing",
)  # fmt: skip
UNSEEN = ("multiply-over", "overwritten", "nothing")
"""Where results go that nobody sees."""
FRAGMENT_KINDS: dict[str, MatrixKind] = {"left-col-acc": "left-col-acc", "right-row-acc": "right-row-acc"}
SCALAR_OPS: dict[str, type[Scaling]] = {
    "multiply": ScalarMultiply, "divide": ScalarDivide, "add": ScalarAdd, "subtract": ScalarSubtract,
}  # fmt: skip
BATCH = 4

Operation = Callable[[Workshop, Chosen], None]


def _product(shop: Workshop, thing: Chosen) -> None:
    left, right, total = shop.matrix("left"), shop.matrix("right"), shop.matrix("accumulator")
    shop.give(total, thing["object-from"])
    shop.give(left, thing["left-from"])
    shop.give(right, thing["right-from"])
    method = Multiply if thing["product-method"] == "multiply" else MultiplyAccumulate
    shop.body.append(method(total.name, left.name, right.name))
    shop.use(total, thing["result-goes"])


def _sum(shop: Workshop, thing: Chosen) -> None:
    left = thing["left-from"] != NONE
    operand, fragment = (
        shop.matrix("left" if left else "right"),
        shop.matrix("left-col-acc" if left else "right-row-acc"),
    )
    shop.give(fragment, thing["object-from"])
    shop.give(operand, thing["left-from" if left else "right-from"])
    shop.body.append(SumAccumulate(fragment.name, operand.name))
    shop.use(fragment, thing["result-goes"])


def _addition(shop: Workshop, thing: Chosen) -> None:
    kind = FRAGMENT_KINDS.get(thing["addend-kind"], "accumulator")
    total, addend = shop.matrix("accumulator"), shop.matrix(kind)
    shop.give(addend, thing["addend-from"])
    shop.give(total, thing["object-from"])
    shop.body.append(Add(total.name, addend.name))
    shop.use(total, thing["result-goes"])


def _scalar(shop: Workshop, thing: Chosen) -> None:
    matrix = shop.matrix(FRAGMENT_KINDS.get(thing["scalar-kind"], "accumulator"))
    shop.give(matrix, thing["object-from"])
    shop.body.append(shop.builder.scaled(SCALAR_OPS[thing["scalar-op"]], matrix))
    shop.use(matrix, thing["result-goes"])


def _program(operation: Operation) -> Callable[[DrawContext[WaveMmaCaps], tuple[Chosen, ...]], Draft | None]:
    """The things in turn, with a product or a Load of a factor that decides the wave size where accumulators do not."""

    def build(context: DrawContext[WaveMmaCaps], things: tuple[Chosen, ...]) -> Draft | None:
        shop = Workshop(ProgramBuilder(context))
        if not shop.builder.agrees():
            shop.factors()
        for thing in things:
            operation(shop, thing)
        body: list[Instruction] = shop.body
        return fitting(shop.builder.draft(body, regime_of(context.row), batch=BATCH))

    return build


def regime_of(row: Row[Entry]) -> str:
    """Data whose sums are exact, so that every element is judged sharply."""
    return "full" if "int" in row.tags else "window"


_FRAGMENT_RULES = (
    "{kind}=accumulator with {axis}=buffer-fragment|array-fragment|sum",
    "{kind}=left-col-acc|right-row-acc with {axis}=buffer-row|buffer-col|array-row|array-col|multiply|accumulate|add",
)


def _fragments(kind: str, axis: str) -> tuple[str, ...]:
    """What fragments do not come from, and accumulators do not (WM-METHODS)."""
    return tuple(rule.format(kind=kind, axis=axis) for rule in _FRAGMENT_RULES)


def _packed(
    name: str,
    focus: tuple[str, ...],
    axes: dict[str, tuple[str, ...]],
    operation: Operation,
    groups: tuple[str, ...],
    rules: tuple[str, ...] = (),
    per_case: int = 7,
) -> Packed:
    unused = tuple(f"result-goes={goes}" for goes in UNSEEN if goes in axes["result-goes"])
    return Packed(name, focus, axes, _program(operation), groups, per_case, rules, unused=unused)


PRODUCTS = _packed(
    "product-operands",
    ("WM-MUL", "WM-MAC", "WM-MUL-USE"),
    {
        "product-method": ("multiply", "multiply-accumulate"),
        "object-from": ("nothing", *ROWED_FROM),
        "result-goes": ROWED_GOES,
        "left-from": FACTOR_FROM,
        "right-from": FACTOR_FROM,
    },
    _product,
    ("float-product", "integer-product"),
    ("product-method=multiply-accumulate with object-from=nothing",),  # WM-UNSET
)
"""Products."""
SUMS = _packed(
    "sum-operands",
    ("WM-SUMACC-LEFT", "WM-SUMACC-RIGHT", "WM-SUMACC-SIDE"),
    {
        "object-from": FRAGMENT_FROM,
        "result-goes": FRAGMENT_GOES,
        "left-from": (*FACTOR_FROM, NONE),
        "right-from": (*FACTOR_FROM, NONE),
    },
    _sum,
    ("float-sum", "integer-sum"),
    (
        "left-from={0} with right-from={0}".format("|".join(FACTOR_FROM)),
        f"left-from={NONE} with right-from={NONE}",
    ),
)
"""Sums of one operand."""
ADDITIONS = _packed(
    "addition-operands",
    ("WM-ADD-FULL", "WM-ADD-COL", "WM-ADD-ROW"),
    {
        "addend-from": (*ROWED_FROM, "buffer-fragment", "array-fragment", "sum"),
        "object-from": ROWED_FROM,
        "result-goes": ROWED_GOES,
        "addend-kind": ("accumulator", *FRAGMENT_KINDS),
    },
    _addition,
    ("float-addition", "integer-addition"),
    _fragments("addend-kind", "addend-from"),
)
"""Additions."""
SCALARS = _packed(
    "scalar-operands",
    ("WM-SCALAR-OPS", "WM-DIVIDE-INT"),
    {
        "object-from": (*ROWED_FROM, "buffer-fragment", "array-fragment", "sum"),
        "result-goes": (*ROWED_GOES, "buffer-fragment", "array-fragment", "sum"),
        "scalar-kind": ("accumulator", *FRAGMENT_KINDS),
        "scalar-op": tuple(SCALAR_OPS),
    },
    _scalar,
    ("float-scalar-operation", "integer-scalar-operation"),
    (
        *_fragments("scalar-kind", "object-from"),
        "scalar-kind=accumulator with result-goes=buffer-fragment|array-fragment|sum",
        "scalar-kind=left-col-acc|right-row-acc"
        " with result-goes=buffer-row|buffer-col|array-row|array-col|accumulate|multiply-over|add-object",
    ),
)
"""Operations with scalars."""
