"""Coverage points: the clauses that an executed instruction carries out, and in which circumstance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from mmaspec.oracle.hlsl_linalg.addresses import UNTURNED, Access, access_format, format_of, layout_of, unit_bytes
from mmaspec.oracle.hlsl_linalg.practice import FP8
from mmaspec.oracle.numerics.legal import Legal
from mmaspec.programs.base import Literal, Place
from mmaspec.programs.formats import Format
from mmaspec.programs.hlsl_linalg.components import COMPONENTS, Revision
from mmaspec.programs.hlsl_linalg.program import (
    Beyond,
    Branch,
    Cast,
    ConvertLayout,
    InterlockedAccumulate,
    Layout,
    LinalgProgram,
    Load,
    Matrix,
    MemoryBias,
    Multiply,
    MultiplyAccumulate,
    MultiplyVector,
    Scope,
    SharedArray,
    Splat,
    Store,
    Vector,
)
from mmaspec.programs.hlsl_linalg.threads import by_instance

Points = tuple[str, ...]

PACKED = frozenset(name for name, row in COMPONENTS.items() if row.fmt and not row.native)
"""Component types that are packed into words in vectors (LINALG-PACK-COUNT)."""


@dataclass(frozen=True, slots=True)
class LoadedAt:
    """A matrix was loaded from a buffer: offsets and strides by instance, and the layout."""

    offsets: tuple[int, ...]
    strides: tuple[int, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class CastFrom:
    """A matrix was cast from another one."""

    source: str


@dataclass(frozen=True, slots=True)
class ThreadVectors:
    """A matrix was made of the vectors of threads."""

    source: str


Origin = LoadedAt | CastFrom | ThreadVectors


def loaded_at(program: LinalgProgram, access: Load | Store, matrix: Matrix, place: Place) -> LoadedAt:
    """Offsets, strides and layout of an access."""
    offsets = by_instance(program, matrix.scope, access.offset, place.loop)
    return LoadedAt(offsets, by_instance(program, matrix.scope, access.stride, place.loop), access.layout)


OUTSIDE: Mapping[Revision, Mapping[str, str]] = MappingProxyType(
    {
        "later": MappingProxyType({"load": "LINALG-OOB-LOAD", "store": "LINALG-OOB-STORE", "sum": "LINALG-OOB-ACC"}),
        "2025-09-19": MappingProxyType(
            {"load": "LINALG-LOAD-OOB-ZERO", "store": "LINALG-STORE-OOB-NOOP", "sum": "LINALG-ACC-OOB-NOOP"}
        ),
    }
)
"""Revision -> what an access does -> the clause about elements outside a buffer."""


def of_access(
    program: LinalgProgram,
    access: Access,
    matrix: Matrix,
    place: Place,
    *,
    outside: bool = False,
    revision: Revision = "later",
) -> Points:
    """Bounds where they act, addresses, and what the elements become on their way."""
    verb = {Load: "load", Store: "store", InterlockedAccumulate: "sum"}[type(access)]
    row = layout_of(access, matrix) == "RowMajor"
    array = program.array(access.memory)
    held = access_format(program, access, matrix, revision) if revision != "later" else format_of(matrix.component)
    line = (matrix.n if row else matrix.m) * held.nbytes
    unit = unit_bytes(program, access, held)
    padded = any(stride * unit > line for stride in by_instance(program, matrix.scope, access.stride, place.loop))
    width, way = "padded" if padded else "tight", "row" if row else "column"
    found = []
    if outside:
        found.append(f"{OUTSIDE[revision][verb]}/{matrix.scope}-{way}")
    if array is not None:
        found += _of_array(array, matrix, verb, f"{way}-{width}", held, revision)
    else:
        if revision != "later" and access.align:
            found.append(f"LINALG-ALIGN-PARAMETER/{verb}")
        found.append(f"LINALG-LOAD-ADDR/{verb}-{way}-{width}")
    if verb == "load":
        source = "array" if array is not None else "read-only" if access.memory in program.read_only else "read-write"
        if source != "array" or revision == "later":
            found.append(f"LINALG-LOAD-NOCONV/{matrix.component}-{source}")
    elif verb == "store":
        if array is None or held == format_of(matrix.component):
            found.append(f"LINALG-STORE-NOCONV/{matrix.component}")
        found.append(f"LINALG-STORE-ONLY-ELEMS/{'array-' * (array is not None)}{width}")
    return tuple(found)


def _of_array(
    array: SharedArray, matrix: Matrix, verb: str, how: str, held: Format, revision: Revision
) -> Iterator[str]:
    """Places in an array, and what elements become between it and the matrix; of sums `of_sum` says that."""
    if revision == "later":
        yield f"LINALG-GS-UNITS/{verb}-{how}"
        if verb != "sum":
            yield f"LINALG-GS-NOCONV/{verb}-{matrix.component}-{array.element}"
        return
    yield f"LINALG-GS-PLACES/{verb}-{how}"
    own = format_of(matrix.component)
    if own != held and verb != "sum":
        yield from of_conversion(*((held, own) if verb == "load" else (own, held)))
        clause = "LINALG-LOAD-GS-CONV" if verb == "load" else "LINALG-STORE-GS-CONV"
        yield f"{clause}/{array.element}-{matrix.component}"


def of_origin(origin: Origin | None, program: LinalgProgram, store: Store, place: Place) -> Points:
    """How a store stands to what filled the matrix: the same place and layout, or a Cast whose source stays."""
    matrix = program.matrix(store.matrix)
    if isinstance(origin, LoadedAt):
        now = loaded_at(program, store, matrix, place)
        return (f"LINALG-ROUNDTRIP/{matrix.use}-{matrix.scope}",) if now == origin else ()
    return ()


def of_scope(program: LinalgProgram, scope: Scope, place: Place, verb: str) -> Points:
    """Matrices of several instances, flow that diverges, and threads that are synchronised."""
    found = []
    around = program.body[place.path[0]]
    if scope == "Thread":
        if isinstance(around, Branch) and around.lanes:
            found.append(f"LINALG-THREAD-FLOW/{verb}")
        if program.group > 1:
            found.append(f"LINALG-SCOPE-THREAD-UNIQUE/{verb}")
    elif program.waves > 1:
        found.append(f"LINALG-SCOPE-OWN/{verb}" if scope == "Wave" else f"LINALG-IMPLICIT-SYNC/{verb}")
    return tuple(found)


def of_optimal_load(load: Load, matrix: Matrix) -> Points:
    """LINALG-OPT-LOAD, through a transposed layout LINALG-OPT-TRANSPOSE."""
    turned = load.layout in UNTURNED
    return (f"{'LINALG-OPT-TRANSPOSE' if turned else 'LINALG-OPT-LOAD'}/{load.layout}-{matrix.component}",)


def of_layouts(conversion: ConvertLayout) -> Points:
    """LINALG-LAYOUT-CONVERT, by both layouts."""
    return (f"LINALG-LAYOUT-CONVERT/{conversion.source_layout}-{conversion.target_layout}",)


def of_splat(program: LinalgProgram, splat: Splat, matrix: Matrix, source: Format) -> Points:
    """The first lane where lanes disagree, the conversion where there is one, and the splat."""
    found = [f"LINALG-SPLAT-FIRST/{matrix.scope}"] if splat.lane else []
    if source != format_of(matrix.component):
        found += of_conversion(source, format_of(matrix.component))
        found.append(f"LINALG-FILL-CONV/{splat.scalar}-{matrix.component}")
    origin = "constant" if isinstance(splat.value, Literal) else "from-buffer"
    found.append(f"LINALG-SPLAT/{matrix.use}-{origin}")
    if program.waves > 1 and matrix.scope == "Wave":
        found.append("LINALG-SCOPE-OWN/splat")
    return tuple(found)


def of_conversion(source: Format, target: Format) -> Points:
    """The rule of the section on conversions that is applied, by both types."""
    if source == target:
        return ()
    clause = {
        (False, False): "LINALG-CONV-INT",
        (False, True): "LINALG-CONV-INT-FLOAT",
        (True, False): "LINALG-CONV-FLOAT-INT",
        (True, True): "LINALG-CONV-FLOAT",
    }[source.is_float, target.is_float]
    return (f"{clause}/{source.name}-{target.name}", *_fp8(source, target))


def _fp8(*formats: Format) -> Points:
    return tuple(f"LINALG-FP8-FORMATS/{fmt.name}" for fmt in dict.fromkeys(formats) if fmt.name in FP8)


def of_cast(cast: Cast, matrix: Matrix, source: Matrix) -> Points:
    """The conversion, the transposition, then the cast by both uses; its source is another matrix afterwards."""
    found = [*of_conversion(format_of(source.component), format_of(matrix.component))]
    if cast.transpose:
        found.append(f"LINALG-CAST-TRANSPOSE/{source.use}-{matrix.use}")
    return (*found, f"LINALG-CAST-COPY/{matrix.scope}", f"LINALG-CAST/{source.use}-{matrix.use}")


def of_elements(program: LinalgProgram, matrix: Matrix, place: Place, verb: str, *, partly: bool = False) -> Points:
    """Get or Set, and the coordinates that they go by."""
    way = "partly" if partly else "whole"
    own = f"LINALG-GET/{matrix.component}" if verb == "get" else f"LINALG-SET/{matrix.component}-{way}"
    return (own, f"LINALG-COORD/{verb}-{matrix.use}", *of_scope(program, matrix.scope, place, verb))


def of_beyond(beyond: Beyond, matrix: Matrix) -> Points:
    """Each method with an index from Length on."""
    how = "far" if beyond.past else "next"
    clauses = ("LINALG-COORD-BEYOND", "LINALG-GET-BEYOND", "LINALG-SET-BEYOND")
    return tuple(f"{clause}/{matrix.scope}-{how}" for clause in clauses)


def of_count(matrix: Matrix) -> Points:
    """LINALG-LENGTH."""
    return (f"LINALG-LENGTH/{matrix.use}-{matrix.scope}",)


def of_accumulator_layout() -> Points:
    """LINALG-ACCLAYOUT."""
    return ("LINALG-ACCLAYOUT",)


def _of_arithmetic(a: Format, b: Format, c: Format, legal: Legal, verb: str) -> list[str]:
    found: list[str] = []
    if c.is_float:
        if legal.some_nan():
            found.append(f"LINALG-FP-NAN/{verb}")
        found.append(f"LINALG-FP-SUM/{a.name}-{b.name}-{c.name}")
        found += _fp8(a, b)
    else:
        if not a.is_float and not b.is_float and a.signed != b.signed:
            found.append(f"LINALG-MIXED-SIGNS/{a.name}-{b.name}")
        found.append(f"LINALG-INT-EXACT/{a.name}-{b.name}")
    return found


def of_product(
    product: Multiply | MultiplyAccumulate,
    matrix: Matrix,
    a: Matrix,
    b: Matrix,
    legal: Legal,
    *,
    emulated: bool,
) -> Points:
    """The clauses of its arithmetic, narrowest first, then the product's own."""
    formats = (format_of(a.component), format_of(b.component), format_of(matrix.component))
    found = ["LINALG-FP8-EMULATE/product"] if emulated else []
    found += _of_arithmetic(*formats, legal, "product")
    if isinstance(product, Multiply):
        found.append(f"LINALG-MUL/{'typed' if product.typed else 'inferred'}-{matrix.scope}")
    else:
        found.append(f"LINALG-MAC/{matrix.scope}")
    if max(matrix.m, matrix.n, a.n) > 16:
        found.append(f"LINALG-TILING/{matrix.m}x{a.n}x{matrix.n}")
    return tuple(found)


def of_accumulate(matrix: Matrix, operand: Matrix, legal: Legal) -> Points:
    """The conversion where there is one, then the sum by use and type."""
    found = [*of_conversion(format_of(operand.component), format_of(matrix.component))]
    if legal.fmt.is_float and bool((legal.nan & (legal.lo > legal.hi)).any()):
        found.append("LINALG-FP-NAN/accumulate")
    return (*found, f"LINALG-ACCUMULATE/{operand.use}-{matrix.component}")


def of_vector_move(program: LinalgProgram, vector: Vector, place: Place, verb: str) -> Points:
    """Packed components, and that each thread has its own."""
    found = [f"LINALG-PACK-COUNT/{verb}-{vector.component}"] if vector.component in PACKED else []
    around = program.body[place.path[0]]
    if isinstance(around, Branch) and around.lanes:
        found.append(f"LINALG-THREAD-FLOW/vector-{verb}")
    return (*found, f"LINALG-VEC-OWN/{verb}") if program.group > 1 else tuple(found)


def of_convert(source: Vector, vector: Vector) -> Points:
    """The rule, and the conversion by both types."""
    found = [*of_conversion(format_of(source.component), format_of(vector.component))]
    if {source.component, vector.component} & PACKED:
        found.append(f"LINALG-PACK-COUNT/convert-{source.component}-{vector.component}")
    return (*found, f"LINALG-CONVERT/{source.component}-{vector.component}")


def of_vector_product(program: LinalgProgram, product: MultiplyVector, place: Place, legal: Legal) -> Points:
    """The clauses of its arithmetic, of its vector and its bias, then the product's own."""
    vector, source = program.vector(product.vector), program.vector(product.source)
    matrix = program.matrix(product.matrix)
    v, s, m = (format_of(one.component) for one in (vector, source, matrix))
    multiplied = m if s.is_float != m.is_float else s
    factors = (multiplied, m) if matrix.use == "B" else (m, multiplied)  # a row times B, or A times a column
    found = _of_arithmetic(*factors, v, legal, "vector")
    if s != m:
        found.append(f"LINALG-VEC-INPUT-CONV/{source.component}-{matrix.component}")
    if source.component in PACKED:
        found.append(f"LINALG-PACK-COUNT/vector-{source.component}")
    bias = product.bias
    if bias is None:
        found.append(f"LINALG-VECMUL/{source.component}-{matrix.component}-{vector.component}")
    else:
        given = bias.component if isinstance(bias, MemoryBias) else program.vector(bias).component
        if isinstance(bias, MemoryBias):
            found.append(f"LINALG-BIAS-MEMORY/{given}")
        if given != vector.component:
            found.append(f"LINALG-BIAS-CONV/{given}-{vector.component}")
        found.append(f"LINALG-VECMULADD/{source.component}-{matrix.component}-{vector.component}")
    if program.group > 1:
        found.append("LINALG-VEC-OWN/product")
    return (*found, *of_scope(program, matrix.scope, place, "vector"))


def of_outer_product(program: LinalgProgram, matrix: Matrix, column: Vector) -> Points:
    """LINALG-OUTER, by the types of vectors and matrix."""
    own = ("LINALG-VEC-OWN/outer",) if program.group > 1 else ()
    return (*own, f"LINALG-OUTER/{column.component}-{matrix.component}")


def of_sum(program: LinalgProgram, access: InterlockedAccumulate, matrix: Matrix, fmt: Format, shared: bool) -> Points:
    """Addends that meet, the conversion where there is one, and where the sum is."""
    found = [f"LINALG-ATOMIC/{matrix.scope}-{fmt.name}"] if shared else []
    if program.array(access.memory) is None:
        return (*found, f"LINALG-ACC-ADD/{matrix.component}")
    own = format_of(matrix.component)
    if own != fmt:
        found += [*of_conversion(own, fmt), f"LINALG-ACC-GS-CONV/{own.name}-{fmt.name}"]
    return (*found, f"LINALG-ACC-GS-ADD/{fmt.name}")


def of_outer_sum(matrix: Matrix) -> Points:
    """LINALG-OUTER-SUM."""
    return (f"LINALG-OUTER-SUM/{matrix.component}",)


def of_vector_sum(vector: Vector, *, shared: bool, outside: bool) -> Points:
    """LINALG-VEC-ACC, and what it meets."""
    found = [f"LINALG-ATOMIC/vector-{vector.component}"] if shared else []
    found += ["LINALG-OOB-ACC/vector"] if outside else []
    return (*found, f"LINALG-VEC-ACC/{vector.component}")
