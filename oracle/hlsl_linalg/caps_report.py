"""What a device may report of linear algebra, one function a clause, and which of it can be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, Breach, CapsReport
from mmaspec.oracle.hlsl_linalg.caps_support import atomic_sum, multiplied
from mmaspec.programs.hlsl_linalg.caps import (
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
)
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType, Revision
from mmaspec.programs.hlsl_linalg.program import Layout

Support = Construction | MatrixProduct | VectorProduct | OuterProductSupport | AtomicSum
"""One answer of a query."""

SMALL_EXTENT, SMALL_BITS = 16, 256
"""What some shape of every product stays within: extents of wide types, bits of an extent of narrow ones."""
WIDE_BITS = 16
"""From which on a type is wide."""
FP8: tuple[ComponentType, ...] = ("F8_E4M3FN", "F8_E5M2")
WAVE_SIZES = (4, 8, 16, 32, 64, 128)
"""The waves that shaders can be compiled for."""

REQUIRED_PRODUCTS: tuple[tuple[ComponentType, ...], ...] = (("U8", "U8", "I32"), ("I8", "I8", "I32"))
"""LINALG-TIER1-PRODUCTS: A, B and accumulator."""
REQUIRED_VECTOR_PRODUCTS: tuple[tuple[ComponentType, ...], ...] = (
    ("I8", "I8", "I32"),
    ("U8", "U8", "I32"),
    ("F32", "I8", "I32"),
    ("F16", "F16", "F16"),
    ("F16", "F8_E4M3FN", "F16"),
    ("F16", "F8_E5M2", "F16"),
)
"""LINALG-TIER1-VECTORS: vector, matrix and result."""


class Line(NamedTuple):
    """One answer together with the kind of row that it makes: a product makes one for waves, and one for groups."""

    kind: str
    answer: Support


def short(component: ComponentType) -> str:
    """A component type in the name of a row: that of its format where it has one."""
    return COMPONENTS[component].fmt or component.lower()


def types_of(answer: Support) -> tuple[ComponentType, ...]:
    """The component types of an answer, in the order of its question."""
    match answer:
        case Construction() | AtomicSum():
            return (answer.component,)
        case MatrixProduct():
            return answer.a, answer.b, answer.accumulator
        case VectorProduct():
            return answer.vector, answer.matrix, answer.result
        case OuterProductSupport():
            return answer.vector, answer.matrix


def named(kind: str, types: Iterable[ComponentType], revision: Revision = "later") -> str:
    """The name of a row: ``wave-f16-f16-f32``, of the text of 2025-09-19 ``wave-f16-f16-f32-2025``."""
    return "-".join((kind, *map(short, types), *(["2025"] if revision == "2025-09-19" else [])))


def lines(caps: LinalgCaps) -> Iterator[Line]:
    """Every row that the answers make, in their order; those about products of groups after those about waves."""
    yield from (Line("matrix", one) for one in caps.construction if any((one.min_m, one.min_k, one.min_n)))
    yield from (Line("wave", one) for one in caps.products)
    yield from (Line("group", one) for one in caps.products if one.group_threads != (0, 0))
    yield from (Line("vector", one) for one in caps.vector_products)
    yield from (Line("outer", one) for one in caps.outer_products)
    yield from (Line("atomic", one) for one in caps.atomics)


def construct(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-CONSTRUCT: least sizes are all zero or all above; a type has one answer."""
    if not isinstance(one := line.answer, Construction):
        return
    sizes = (one.min_m, one.min_k, one.min_n)
    if any(sizes) and min(sizes) <= 0:
        found = f"least M, K, N = {one.min_m}, {one.min_k}, {one.min_n}"
        yield Breach("LINALG-CAPS-CONSTRUCT", found, "all zero, or all above zero")
    elif any(other != one and other.component == one.component for other in caps.construction):
        yield Breach("LINALG-CAPS-CONSTRUCT", "different sizes for one component type", "a single answer")


def shapes(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-SHAPES: a product has shapes, of at least 1 by 1 by 1, and one answer for its types."""
    if not isinstance(one := line.answer, MatrixProduct) or line.kind != "wave":
        return
    if not one.shapes:
        yield Breach("LINALG-CAPS-SHAPES", "a product without a shape", "one at least")
    elif min(extent for shape in one.shapes for extent in shape) < 1:
        yield Breach("LINALG-CAPS-SHAPES", "a shape with an extent below 1", "at least 1 each")
    elif any(other != one and types_of(other) == types_of(one) for other in caps.products):
        yield Breach("LINALG-CAPS-SHAPES", "different answers for one product", "a single answer")


def small(line: Line, _: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-SMALL: some shape has no extent above 16, or, of types below 16 bits, above 256 bits."""
    one = line.answer
    if not isinstance(one, MatrixProduct) or line.kind != "wave" or not one.shapes:
        return
    widths = [COMPONENTS[name].format.bits for name in (one.a, one.b) if COMPONENTS[name].fmt]
    if not widths:
        return
    most = SMALL_EXTENT if max(widths) >= WIDE_BITS else SMALL_BITS // max(widths)
    if not any(max(shape) <= most for shape in one.shapes):
        largest = "x".join(map(str, one.shapes[0]))
        yield Breach("LINALG-CAPS-SMALL", f"no shape smaller than {largest}", f"one with no extent above {most}")


def group(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-GROUP: threads from a least number above zero to a most within the group, not below the least."""
    if not isinstance(one := line.answer, MatrixProduct) or line.kind != "group":
        return
    low, high = one.group_threads
    if not 0 < low <= high <= caps.largest_group:
        yield Breach(
            "LINALG-CAPS-GROUP", f"groups of {low} to {high} threads", f"a range within 1 to {caps.largest_group}"
        )


def emulated(line: Line, _: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-EMULATED: only inputs of FP8 matrices are emulated."""
    if isinstance(one := line.answer, VectorProduct) and one.emulated_inputs and one.matrix not in FP8:
        yield Breach("LINALG-CAPS-EMULATED", f"emulated inputs of {one.matrix} matrices", "none but of FP8")


def bias(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-BIAS: in a product of tier 1 the result's type is one of the biases."""
    if not isinstance(one := line.answer, VectorProduct) or types_of(one) not in REQUIRED_VECTOR_PRODUCTS:
        return
    if caps.revision != "later":
        return
    if one.result not in one.biases:
        found = ", ".join(one.biases) or "no"
        yield Breach("LINALG-CAPS-BIAS", f"{found} bias for {one.result} results", f"{one.result} among the biases")


def outer(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-OUTER: the result of an outer product can be accumulated in buffers."""
    if isinstance(one := line.answer, OuterProductSupport):
        answer = atomic_sum(caps, one.matrix)
        if answer is None or not answer.buffers:
            found = f"outer products of {one.matrix} without atomic sums of it in buffers"
            yield Breach("LINALG-CAPS-OUTER", found, "both, or neither")


def size(line: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-SIZE: sizes in optimal layouts of a row's matrices are multiples of 16 bytes above zero."""
    one = line.answer
    if not isinstance(one, VectorProduct | OuterProductSupport):
        return
    for entry in caps.optimal:
        if entry.component == one.matrix and (entry.nbytes <= 0 or entry.nbytes % 16):
            found = f"{entry.nbytes} bytes for {entry.m} x {entry.n} {entry.component} in {entry.layout}"
            yield Breach("LINALG-CAPS-SIZE", found, "a multiple of 16 above zero")
            return


def tier(_: Line, caps: LinalgCaps) -> Iterator[Breach]:
    """LINALG-CAPS-TIER: nothing is supported at tier 0."""
    if caps.tier < 1:
        yield Breach("LINALG-CAPS-TIER", f"support at tier {caps.tier}", "none, or tier 1")


RULES: tuple[Callable[[Line, LinalgCaps], Iterator[Breach]], ...] = (
    construct,
    shapes,
    small,
    group,
    emulated,
    bias,
    outer,
    size,
    tier,
)
"""In the order in which a report names what is broken."""


def tier_1(caps: LinalgCaps) -> Iterator[Answer]:
    """LINALG-TIER1-PRODUCTS, LINALG-TIER1-VECTORS: an answer for each row that a device of tier 1 has to have.

    The tier speaks of the later text: the one of 2025-09-19 requires nothing.
    """
    if caps.tier < 1 or caps.revision != "later":
        return
    for kind, clause, required, reported in (
        ("wave", "LINALG-TIER1-PRODUCTS", REQUIRED_PRODUCTS, caps.products),
        ("vector", "LINALG-TIER1-VECTORS", REQUIRED_VECTOR_PRODUCTS, caps.vector_products),
    ):
        for types in required:
            there = any(types_of(one) == types for one in reported)
            found = f"tier 1 without a product of {' and '.join(types[:2])} into {types[2]}"
            breaches = () if there else (Breach(clause, found, "one", spoils=False),)
            yield Answer((named(kind, types),), breaches)


def not_covered(line: Line, caps: LinalgCaps) -> str:
    """Why no program of a row can be judged; empty if some can."""
    types = types_of(line.answer)
    for name in types:
        if caps.revision not in COMPONENTS[name].revisions:
            return f"no program has components of type {name}"
        if not caps.native_16_bit and COMPONENTS[name].native and COMPONENTS[name].format.bits == 16:
            return f"{name} has no meaning where 16-bit types are not enabled"
    if not any(lanes in WAVE_SIZES for lanes in caps.wave_sizes):
        known = " or ".join(map(str, caps.wave_sizes)) or "no"
        return f"no shader has waves of {known} lanes"
    floats = [COMPONENTS[name].format.is_float for name in types]
    match line.answer:
        case MatrixProduct():
            return _product(floats, line.answer.accumulator)
        case VectorProduct():
            if not COMPONENTS[line.answer.result].native:
                return "no vector product of the language has a packed result"
            if caps.revision != "later" and not COMPONENTS[line.answer.vector].native:
                return "no vector product of that text has a packed vector"
            if line.answer.emulated_inputs and not _sizes(line.answer.matrix, "MulOptimal", caps):
                return f"it has to come from the MulOptimal layout, of which no size of {line.answer.matrix} is known"
            return _product(floats[1:], line.answer.result)
        case OuterProductSupport() if not COMPONENTS[line.answer.vector].native:
            return "no outer product of the language has packed vectors"
        case OuterProductSupport():
            return _outer(line.answer.matrix, caps)
        case _:
            return ""


def _sizes(matrix: ComponentType, layout: Layout, caps: LinalgCaps) -> bool:
    """Whether the size of some matrix in an optimal layout is known."""
    return any((one.component, one.layout) == (matrix, layout) for one in caps.optimal)


def _outer(matrix: ComponentType, caps: LinalgCaps) -> str:
    if not _sizes(matrix, "OuterProductOptimal", caps):
        return f"the size of no {matrix} matrix in OuterProductOptimal layout is known, so that none can be seen"
    return "" if matrix in multiplied(caps) else f"no conversion of layouts has {matrix}, so that none can be seen"


def _product(floats: list[bool], result: ComponentType) -> str:
    if len(set(floats)) > 1:
        return "products that mix integers and floats are not modelled"
    fmt = COMPONENTS[result].format
    return "sums in a format without infinities are not modelled" if fmt.is_float and not fmt.infinities else ""


@lru_cache(maxsize=16)
def caps_report(caps: LinalgCaps) -> CapsReport[LinalgCaps]:
    """The answers of a device, judged one by one, after what its tier requires.

    What cannot be judged stays usable: it is supported. Of waves only those are usable that a shader can ask for.
    """
    answers = list(tier_1(caps))
    spoilt: list[Line] = []
    for line in lines(caps):
        breaches = tuple(breach for rule in RULES for breach in rule(line, caps))
        answers.append(
            Answer(
                (named(line.kind, types_of(line.answer), caps.revision),),
                breaches,
                "" if breaches else not_covered(line, caps),
            )
        )
        if breaches:
            spoilt.append(line)
    usable = _without(caps, spoilt)
    sizes = tuple(lanes for lanes in caps.wave_sizes if lanes in WAVE_SIZES)
    if sizes and sizes != caps.wave_sizes:
        usable = replace(usable, wave_sizes=sizes)
    return CapsReport(usable, caps, tuple(answers))


def _without(caps: LinalgCaps, spoilt: list[Line]) -> LinalgCaps:
    """The caps without these rows; a product that only groups cannot have stays one of waves."""
    if not spoilt:
        return caps
    out = [line.answer for line in spoilt if line.kind != "group"]
    no_group = [line.answer for line in spoilt if line.kind == "group"]
    products = (
        replace(one, group_threads=(0, 0)) if one in no_group else one for one in caps.products if one not in out
    )
    return replace(
        caps,
        construction=tuple(one for one in caps.construction if one not in out),
        products=tuple(products),
        vector_products=tuple(one for one in caps.vector_products if one not in out),
        outer_products=tuple(one for one in caps.outer_products if one not in out),
        atomics=tuple(one for one in caps.atomics if one not in out),
    )
