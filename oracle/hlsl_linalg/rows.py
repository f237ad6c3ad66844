"""The caps rows: one for each component type, product by waves and by groups, outer product and atomic sum."""

from __future__ import annotations

from functools import lru_cache

from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.hlsl_linalg.caps_report import (
    FP8,
    REQUIRED_PRODUCTS,
    REQUIRED_VECTOR_PRODUCTS,
    Line,
    Support,
    caps_report,
    lines,
    named,
    short,
    types_of,
)
from mmaspec.oracle.hlsl_linalg.caps_support import construction
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg.caps import (
    AtomicSum,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
)
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, ComponentType

_SUMMED = frozenset({"wave", "group", "vector"})
"""Kinds of rows about sums of products."""


@lru_cache(maxsize=16)
def rows(caps: LinalgCaps) -> tuple[Row[Line], ...]:
    """One row per answer, in the order of the caps: ``matrix-f16``, ``wave-u8-u8-s32``, ``vector-f16-e4m3-f16``.

    ``BadInput`` where the answers are none that the document allows. Tags: the kind of row (``matrix``, ``wave``,
    ``group``, ``vector``, ``outer``, ``atomic``), the revision, ``fp8`` where a type is one, and

    ``untyped``        the first matrix row: rules in which neither types nor sizes matter are shown there
    ``addresses``      the first matrix row of each width of a component: where elements lie depends on nothing else
    ``elements``       matrices whose component HLSL has as a scalar, ``packed-matrix`` the others
    ``transposes``     matrix rows: the transpose of a matrix that can be made can be made
    ``to-int``, ``int-to-float`` ...  matrix rows: there is a type from which a conversion of that kind leads here
    ``float``, ``int`` rows about sums of products: what they are made of
    ``acc-f16`` ...    rows of products: the format of the result
    ``product``        rows of waves and groups; ``int-product``, ``float-product``; ``mixed-signs``;
                       ``distinct-types`` where not all three are one; ``tier1-product`` where tier 1 requires it
    ``int-vector``, ``float-vector``  products with vectors; ``packed-vector``; ``converts-vector`` where the vector
                       has another type than the matrix; ``bias``; ``bias-converts``; ``emulated``; ``transpose``, or
                       ``no-transpose``; ``optimal`` where sizes in that layout are known; ``tier1-vector``
    ``functions``      of the text of 2025-09-19: matrices of floats for which HLSL has sines; there packed matrices
                       have the tag ``packed-vector``: threads give and take their columns and rows as vectors
    ``plain-depth``    products with vectors whose matrix has a K as scalars have, ``thread-outer`` outer products that
                       there are at Thread scope only: all of the later text
    ``buffer-sums``, ``array-sums``   atomic rows; ``matrix-sums``: matrices of that type can be made and added in
                       buffers; ``converting-sums``: in arrays of another type of the same size as well
    """
    report = caps_report(caps)
    check_written(report)
    left_out = report.not_covered()
    found: dict[str, Row[Line]] = {}
    widths: set[int] = set()
    for line in lines(report.usable):
        types = types_of(line.answer)
        name = named(line.kind, types, caps.revision)
        if name in left_out or name in found:
            continue
        tags = {line.kind, caps.revision, *_tags(line, caps)}
        if any(one in FP8 for one in types):
            tags.add("fp8")
        if line.kind in _SUMMED:
            tags.add("float" if _is_float(types[-1]) else "int")
        if line.kind == "matrix":
            width = COMPONENTS[types[0]].format.nbytes
            tags |= set() if widths else {"untyped"}
            tags |= set() if width in widths else {"addresses"}
            tags |= _of_source(types[0]) if caps.revision == "2025-09-19" else set()
            widths.add(width)
        found[name] = Row(name, f"{line.kind}-{short(types[-1])}", frozenset(tags), line)
    return tuple(found.values())


def _tags(line: Line, caps: LinalgCaps) -> set[str]:
    answer: Support = line.answer
    match answer:
        case Construction():
            return _matrix(answer, caps)
        case MatrixProduct():
            return _product(answer, line.kind)
        case VectorProduct():
            return _vector(answer, caps)
        case OuterProductSupport():
            return {"thread-outer"} if caps.revision == "later" else set()
        case AtomicSum():
            return _atomic(answer, caps)


def _of_source(component: ComponentType) -> set[str]:
    if not COMPONENTS[component].native:
        return {"packed-vector"}
    return {"functions"} if component in ("F16", "F32") else set()


def _is_float(component: ComponentType) -> bool:
    return COMPONENTS[component].format.is_float


def _matrix(answer: Construction, caps: LinalgCaps) -> set[str]:
    tags = {"elements" if COMPONENTS[answer.component].native else "packed-matrix", "transposes"}
    into = "float" if _is_float(answer.component) else "int"
    made = [one for one in caps.construction if one.min_m and caps.revision in COMPONENTS[one.component].revisions]
    for one in made:
        if one.component != answer.component:
            out_of = "float" if _is_float(one.component) else "int"
            tags.add(f"to-{into}" if out_of == into else f"{out_of}-to-{into}")
    return tags


def _product(answer: MatrixProduct, kind: str) -> set[str]:
    whole = not _is_float(answer.accumulator)
    tags = {"product", "int-product" if whole else "float-product", f"acc-{short(answer.accumulator)}"}
    types = types_of(answer)
    if whole and COMPONENTS[answer.a].format.signed != COMPONENTS[answer.b].format.signed:
        tags.add("mixed-signs")
    if len(set(types)) > 1:
        tags.add("distinct-types")
    if kind == "wave" and types in REQUIRED_PRODUCTS:
        tags.add("tier1-product")
    return tags


def _vector(answer: VectorProduct, caps: LinalgCaps) -> set[str]:
    tags = {
        "float-vector" if _is_float(answer.result) else "int-vector",
        "transpose" if answer.transpose else "no-transpose",
        f"acc-{short(answer.result)}",
    }
    for tag, there in (
        ("packed-vector", not COMPONENTS[answer.vector].native),
        ("converts-vector", answer.vector != answer.matrix),
        ("bias", bool(answer.biases)),
        ("bias-converts", any(one != answer.result for one in answer.biases)),
        ("plain-depth", caps.revision == "later" or COMPONENTS[answer.matrix].native),
        ("emulated", answer.emulated_inputs),
        ("never-emulated", answer.matrix not in FP8),
        ("optimal", any(one.component == answer.matrix and one.layout == "MulOptimal" for one in caps.optimal)),
        ("tier1-vector", types_of(answer) in REQUIRED_VECTOR_PRODUCTS),
    ):
        if there:
            tags.add(tag)
    return tags


def _atomic(answer: AtomicSum, caps: LinalgCaps) -> set[str]:
    tags = set()
    made = construction(caps, answer.component) is not None
    if answer.buffers:
        tags |= {"buffer-sums", "matrix-sums"} if made else {"buffer-sums"}
    if answer.arrays and made:
        tags.add("array-sums")
        width = COMPONENTS[answer.component].format.bits
        if width in (16, 32) and COMPONENTS[answer.component].native:
            tags.add("converting-sums")
    return tags
