"""Casts, Splats and conversions of vectors: every two types, uses and what follows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

from mmaspec.oracle.spec import Row
from mmaspec.programs.base import FromBuffer, Literal
from mmaspec.programs.formats import FORMATS
from mmaspec.programs.hlsl_linalg.caps import LinalgCaps
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, SCALARS, ComponentType, ScalarType, scalars
from mmaspec.programs.hlsl_linalg.program import Cast, Convert, Splat, Use
from mmaspec.strategies.covering import Tuple
from mmaspec.strategies.grammar import Chosen, Draft, DrawContext
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import BATCH, CannotBeMade, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import load, store
from mmaspec.strategies.hlsl_linalg.builder.constants import constant
from mmaspec.strategies.hlsl_linalg.builder.program import SCALARS_BUFFER
from mmaspec.strategies.hlsl_linalg.builder.sizes import is_short, made
from mmaspec.strategies.hlsl_linalg.builder.vectors import vector_load, vector_store
from mmaspec.strategies.hlsl_linalg.revisions import LATER, is_earlier

_TYPES: tuple[ComponentType, ...] = get_args(ComponentType)
COMPONENT: dict[str, ComponentType] = {
    COMPONENTS[name].format.name: name for name in _TYPES if "later" in COMPONENTS[name].revisions
}
"""Class of a component -> its type."""
PACKED_NAMES: dict[str, ComponentType] = {"s8": "PackedS8x32", "u8": "PackedU8x32"}
"""The same where the text of 2025-09-19 has another name."""


def component_of(name: str, caps: LinalgCaps) -> ComponentType:
    """The type of a class under the text that a device follows."""
    return PACKED_NAMES.get(name, COMPONENT[name]) if is_earlier(caps) else COMPONENT[name]


CAST_USES: dict[str, tuple[Use, Use]] = {
    "same-a": ("A", "A"), "same-b": ("B", "B"), "same-accumulator": ("Accumulator", "Accumulator"),
    "a-to-b": ("A", "B"), "b-to-a": ("B", "A"), "a-to-accumulator": ("A", "Accumulator"),
    "b-to-accumulator": ("B", "Accumulator"), "accumulator-to-a": ("Accumulator", "A"),
    "accumulator-to-b": ("Accumulator", "B"),
}  # fmt: skip
SCALAR: dict[str, ScalarType] = {
    "short": "int16_t", "ushort": "uint16_t", "int": "int", "uint": "uint", "long": "int64_t", "ulong": "uint64_t",
    "half": "half", "float": "float", "double": "double",
}  # fmt: skip
REGIMES = ("edges", "near-tie", "normal", "wild", "specials", "overflow-edge", "subnormal", "limits", "window")
WHOLE_REGIMES = ("edges", "wild", "limits", "small")
SPLAT_USES: dict[str, tuple[Use, Any]] = {
    "a-wave": ("A", "Wave"), "b-wave": ("B", "Wave"), "accumulator-wave": ("Accumulator", "Wave"),
    "a-group": ("A", "ThreadGroup"), "b-group": ("B", "ThreadGroup"),
    "accumulator-group": ("Accumulator", "ThreadGroup"),
}  # fmt: skip


def _cast(shop: Workshop, thing: Chosen) -> None:
    own: ComponentType = shop.context.row.entry.answer.component
    other = component_of(thing["cast-to"], shop.b.caps)
    source_use, use = CAST_USES[thing["cast-uses"]]
    scope = {"wave": "Wave", "group": "ThreadGroup"}[thing["cast-scope"]]
    shape = "wide" if thing["transpose"] == "oblong" else "square"
    size = shop.sides(shape, (own, source_use), (other, use), (own, use), (other, source_use))
    turned = thing["transpose"] != "no"
    source = shop.matrix(own, source_use, scope, size)  # type: ignore[arg-type]
    target = shop.matrix(other, use, scope, size[::-1] if turned else size)  # type: ignore[arg-type]
    with shop.around(thing["in-flow"]):
        shop.add(load(shop.b, source, "in"), Cast(target.name, source.name, turned))
        shop.use(target, thing["conversion-goes"])
        if thing["source-after"] == "read":
            shop.add(store(shop.b, source, "out"))
        elif thing["source-after"] != "nothing":
            changed, kept = (source, target) if thing["source-after"] == "changed" else (target, source)
            scalar = "float" if COMPONENTS[changed.component].format.is_float else "int"
            shop.add(Splat(changed.name, scalar, Literal(0)), store(shop.b, kept, "out"))  # type: ignore[arg-type]


def many(of: Any, regimes: tuple[str, ...], batch: int = BATCH, in_last: int = 0) -> Any:
    """Programs of several things, each added by ``of``; ``in_last`` lanes of the second wave, 0: all."""

    def build(context: DrawContext[Any], things: tuple[Chosen, ...]) -> Draft | None:
        shop = Workshop(context, 2, in_last)
        try:
            for thing in things:
                of(shop, thing)
        except CannotBeMade:
            return None
        whole = "matrix" in context.row.tags and not COMPONENTS[context.row.entry.answer.component].format.is_float
        return shop.draft(context.choices.one_of(WHOLE_REGIMES if whole else regimes), batch)

    return build


def _not_made(axis: str) -> Any:
    def excluded(_: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
        found = {COMPONENTS[name].format.name for name in made(caps)}
        yield from (frozenset({(axis, name)}) for name in COMPONENT if name not in found)
        if is_earlier(caps):  # whose Cast does not transpose
            yield from (frozenset({("transpose", how)}) for how in ("square", "oblong"))

    return excluded


CASTS = Packed(
    name="casts",
    focus=("LINALG-CAST", "LINALG-CAST-TRANSPOSE", "LINALG-CAST-COPY", "LINALG-CONV-INT", "LINALG-CONV-FLOAT"),
    axes={
        "cast-to": tuple(COMPONENT),
        "cast-uses": tuple(CAST_USES),
        "transpose": ("no", "square", "oblong"),
        "cast-scope": ("wave", "group"),
        "conversion-goes": ("store", "overwritten"),
        "source-after": ("nothing", "read", "changed", "result-changed"),
        "in-flow": ("straight", "first-pass", "branch-all", "branch-waves"),
    },
    build=many(_cast, REGIMES),
    groups=("cast",),
    per_case=7,
    rows=("matrix",),
    excluded=_not_made("cast-to"),
    rules=(
        "cast-scope=group with in-flow=branch-waves",
        "conversion-goes=overwritten with source-after=changed|result-changed",
    ),
)
"""Types, uses and transposes of Casts."""


def _splat(shop: Workshop, thing: Chosen) -> None:
    draw, b = shop.b.choices, shop.b
    own: ComponentType = shop.context.row.entry.answer.component
    use, scope = SPLAT_USES[thing["splat-use"]]
    scalar = SCALAR[thing["splat-scalar"]]
    matrix = shop.matrix(own, use, scope)
    fmt = FORMATS[SCALARS[scalar]]
    lanes = thing["splat-lanes"]
    step = 1 << max(fmt.fraction_bits - 2, 0)
    lane = step if lanes in ("lanes", "both") else 0
    wave = 3 * step if lanes in ("waves", "both") else 0
    value: Any = Literal(constant(draw, scalar, plain=bool(lane or wave)))
    if thing["splat-value"] == "memory":
        if SCALARS_BUFFER not in b.rooms:
            b.room(SCALARS_BUFFER, read_only=draw.chance(50))
        value = FromBuffer(SCALARS_BUFFER, b.taken(SCALARS_BUFFER, fmt.nbytes, fmt.nbytes), f"{matrix.name}-scalar")
    if thing["splat-before"] == "content":
        shop.give(matrix, "load")
    with shop.around(thing["in-flow"]):
        shop.add(Splat(matrix.name, scalar, value, lane, wave))
        shop.use(matrix, thing["conversion-goes"])


def _without_shorts(_: Row[Any], caps: LinalgCaps) -> Iterator[Tuple]:
    names = [name for name, scalar in SCALAR.items() if FORMATS[SCALARS[scalar]].nbytes == 2]
    yield from (frozenset({("splat-scalar", name)}) for name in names if not caps.native_16_bit)


SPLATS = Packed(
    name="splats",
    focus=("LINALG-SPLAT", "LINALG-SPLAT-FIRST", "LINALG-FILL-CONV"),
    axes={
        "splat-scalar": tuple(SCALAR),
        "splat-use": tuple(SPLAT_USES),
        "splat-value": ("literal", "memory"),
        "splat-lanes": ("nobody", "lanes", "waves", "both"),
        "splat-before": ("nothing", "content"),
        "conversion-goes": ("store", "overwritten"),
        "in-flow": ("straight", "first-pass", "branch-all", "branch-waves"),
    },
    build=many(_splat, ("edges", "normal", "wild", "small")),
    groups=("splat",),
    per_case=12,
    rows=("matrix",),
    excluded=_without_shorts,
    rules=(
        "splat-use=a-group|b-group|accumulator-group with splat-lanes=waves|both",
        "splat-use=a-group|b-group|accumulator-group with in-flow=branch-waves",
    ),
)
"""Types, uses and lanes of Splats."""

LENGTHS = {"even": 8, "odd": 5}


def _convert(shop: Workshop, thing: Chosen) -> None:
    b = shop.b
    source_type, target_type = COMPONENT[thing["convert-from"]], COMPONENT[thing["convert-to"]]
    if not b.caps.native_16_bit and (is_short(source_type) or is_short(target_type)):
        raise CannotBeMade
    source = b.vector(shop.name("v"), source_type, LENGTHS[thing["length"]])
    row, other = COMPONENTS[source_type], COMPONENTS[target_type]
    held = scalars(row, source.length) * row.packed
    full = scalars(other, held) * other.packed
    exact = source.length if full - other.packed < source.length <= full and other.packed > 1 else full
    target = b.vector(shop.name("v"), target_type, exact)
    with shop.around(thing["in-flow"]):
        shop.add(vector_load(b, source, "in"), Convert(target.name, source.name), vector_store(b, target, "out"))
        if thing["source-after"] == "read":
            shop.add(vector_store(b, source, "out"))


CONVERTS = Packed(
    name="vector-conversions",
    under=LATER,
    focus=("LINALG-CONVERT", "LINALG-CONV-INT", "LINALG-CONV-FLOAT", "LINALG-CONV-INT-FLOAT"),
    axes={
        "convert-from": tuple(COMPONENT),
        "convert-to": tuple(COMPONENT),
        "length": tuple(LENGTHS),
        "in-flow": ("straight", "first-pass", "branch-all", "branch-waves", "branch-lanes"),
        "source-after": ("nothing", "read"),
    },
    build=many(_convert, (*REGIMES[:5], *REGIMES[6:]), 2, in_last=2),
    groups=("convert",),
    per_case=12,
    rows=("vector",),
    one_row=True,
)
"""Every two types of vectors."""
