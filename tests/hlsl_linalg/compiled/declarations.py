"""The header of linear algebra, made from the oracle's tables: a matrix has the methods that its scope has there.

Names, template parameters and the order of arguments are the document's; which of them there are, and when, is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import get_args

from mmaspec.oracle.hlsl_linalg.scopes import SCOPES
from mmaspec.oracle.hlsl_linalg.validity.memory import MATRIX_ALIGNMENT, STRIDE_ALIGNMENT, SUM_ALIGNMENT
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.programs.hlsl_linalg.program import Scope

from .tables import enumerations, traits

MATRICES = "ALIGNED(ALIGN, {alignment})"
PLACE = "uint offset, uint stride, MatrixLayoutEnum layout"
CHECKED = "ONLY_IF(LINEAR(layout))"

_ELEMENTS = "template <ComponentEnum C = COMPONENT> WHEN(C == COMPONENT && component<C>::native, {result}) {call};"
_SUMS = "USE == MatrixUse::Accumulator && U == USE"

METHODS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Cast": (
            "template <ComponentEnum C, MatrixUseEnum U = USE, bool TURNED = false>"
            " Matrix<C, turned<TURNED, M, N>::m, turned<TURNED, M, N>::n, U, SCOPE> Cast();",
        ),
        "Length": (_ELEMENTS.format(result="uint", call="Length()"),),
        "GetCoordinate": (_ELEMENTS.format(result="uint2", call="GetCoordinate(uint index)"),),
        "Get": (_ELEMENTS.format(result="typename component<C>::type", call="Get(uint index)"),),
        "Set": (_ELEMENTS.format(result="void", call="Set(uint index, typename component<C>::type value)"),),
        "Splat": ("template <typename T> static WHEN(arithmetic<T>::value, Matrix) Splat(T value);",),
        "Load(ByteAddressBuffer)": (
            f"template <uint ALIGN = 128> static WHEN(MATRIX_ALIGNED(ALIGN), Matrix)"
            f" Load(ByteAddressBuffer from, {PLACE}) STRIDES {CHECKED};",
        ),
        "Load(RWByteAddressBuffer)": (
            f"template <uint ALIGN = 128> static WHEN(MATRIX_ALIGNED(ALIGN), Matrix)"
            f" Load(RWByteAddressBuffer from, {PLACE}) STRIDES {CHECKED};",
        ),
        "Load(groupshared)": (
            f"template <typename ARRAY> static WHEN((may_hold<ELEMENT(ARRAY), COMPONENT>::value), Matrix)"
            f" Load(ARRAY from, {PLACE}) {CHECKED};",
        ),
        "Store(RWByteAddressBuffer)": (
            f"template <uint ALIGN = 128> WHEN(MATRIX_ALIGNED(ALIGN), void)"
            f" Store(RWByteAddressBuffer to, {PLACE}) STRIDES {CHECKED};",
        ),
        "Store(groupshared)": (
            f"template <typename ARRAY> WHEN((may_hold<ELEMENT(ARRAY), COMPONENT>::value), void)"
            f" Store(ARRAY to, {PLACE}) {CHECKED};",
        ),
        "InterlockedAccumulate(RWByteAddressBuffer)": (
            f"template <uint ALIGN = 128, MatrixUseEnum U = USE> WHEN(MATRIX_ALIGNED(ALIGN) && {_SUMS}, void)"
            f" InterlockedAccumulate(RWByteAddressBuffer to, {PLACE}) {CHECKED};",
        ),
        "InterlockedAccumulate(groupshared)": (
            f"template <typename ARRAY, MatrixUseEnum U = USE> WHEN(arithmetic<ELEMENT(ARRAY)>::value && {_SUMS}, void)"
            f" InterlockedAccumulate(ARRAY to, {PLACE}) {CHECKED};",
            f"template <ComponentEnum TARGET = COMPONENT, typename ARRAY, MatrixUseEnum U = USE>"
            f" WHEN((may_sum<ELEMENT(ARRAY), TARGET>::value) && {_SUMS}, void)"
            f" InterlockedAccumulate(ARRAY to, {PLACE}) {CHECKED};",
        ),
        "Accumulate": tuple(
            f"template <ComponentEnum C, MatrixUseEnum U = USE> WHEN({_SUMS}, void)"
            f" Accumulate(const Matrix<C, M, N, MatrixUse::{use}, SCOPE> addend);"
            for use in ("A", "B")
        ),
        "MultiplyAccumulate": (
            f"template <ComponentEnum LEFT, ComponentEnum RIGHT, SIZE K, MatrixUseEnum U = USE> WHEN({_SUMS}, void)"
            " MultiplyAccumulate(const Matrix<LEFT, M, K, MatrixUse::A, SCOPE> a,"
            " const Matrix<RIGHT, K, N, MatrixUse::B, SCOPE> b);",
        ),
    }
)  # fmt: skip
"""Operation of the table of scopes -> the methods that it is above Thread scope."""

THREAD: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Load(ByteAddressBuffer)": (
            "template <MatrixLayoutEnum LAYOUT, uint ALIGN = 128, MatrixUseEnum U = USE>"
            " static WHEN(MATRIX_ALIGNED(ALIGN) && USE == MatrixUse::A && U == USE, Matrix)"
            " Load(ByteAddressBuffer from, uint offset, uint stride)"
            ' NEVER_IF(LINEAR(LAYOUT) ? stride % STRIDE != 0 : stride != 0);',
        ),
        "InterlockedAccumulate(RWByteAddressBuffer)": (
            f"template <uint ALIGN = 128, MatrixUseEnum U = USE> WHEN(MATRIX_ALIGNED(ALIGN) && {_SUMS}, void)"
            " InterlockedAccumulate(RWByteAddressBuffer to, uint offset);",
        ),
    }
)  # fmt: skip
"""The same of methods that Thread scope has with other parameters."""

PRODUCTS = (
    "template <ComponentEnum OUT, ComponentEnum LEFT, ComponentEnum RIGHT, SIZE M, SIZE N, SIZE K>"
    " Matrix<OUT, M, N, MatrixUse::Accumulator, SCOPE>"
    " Multiply(const Matrix<LEFT, M, K, MatrixUse::A, SCOPE> a, const Matrix<RIGHT, K, N, MatrixUse::B, SCOPE> b);",
    "template <ComponentEnum C, SIZE M, SIZE N, SIZE K> Matrix<C, M, N, MatrixUse::Accumulator, SCOPE>"
    " Multiply(const Matrix<C, M, K, MatrixUse::A, SCOPE> a, const Matrix<C, K, N, MatrixUse::B, SCOPE> b);",
)
_MATRIX = "Matrix<C, M, K, MatrixUse::A, SCOPE> matrix"
_HEAD = "template <typename OUT, typename IN, {more}SIZE M, SIZE K, {last}ComponentEnum C>"
_PLAIN, _PACKED = "vector<IN, K> factor", "InterpretedVector<IN, COUNT, INTERPRETED> factor"
_WHOLE_WORDS = "InterpretedVector<IN, COUNT, INTERPRETED>::Size == K"
_OWN_WORDS = "(COUNT == words<INTERPRETED, K>::value)"
_INTERPRETED, _COUNTED = "ComponentEnum INTERPRETED, ", "SIZE COUNT, "


def _with_vector(name: str, condition: str, factor: str, more: str, last: str, bias: str = "") -> str:
    head = _HEAD.format(more=more, last=last)
    addend = f", {bias}" if bias else ""
    return f"{head} WHEN({condition}, COLUMN(OUT, M)) {name}({_MATRIX}, {factor}{addend});"


_BIAS, _REFERENCE = "vector<ADDEND, M> bias", "VectorRef<ADDEND, M> bias"
FUNCTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "Multiply(Matrix, Matrix)": PRODUCTS,
        "Multiply(Matrix, vector)": (
            _with_vector("Multiply", "arithmetic<IN>::value", _PLAIN, "", ""),
            _with_vector("Multiply", f"({_WHOLE_WORDS})", _PACKED, _INTERPRETED, _COUNTED),
        ),
        "MultiplyAdd(Matrix, vector, vector)": (
            _with_vector(
                "MultiplyAdd", "arithmetic<IN>::value && arithmetic<ADDEND>::value", _PLAIN, "typename ADDEND, ", "",
                _BIAS,
            ),
            _with_vector(
                "MultiplyAdd", f"{_OWN_WORDS} && arithmetic<ADDEND>::value", _PACKED,
                f"{_INTERPRETED}typename ADDEND, ", _COUNTED, _BIAS,
            ),
            _with_vector("MultiplyAdd", "arithmetic<IN>::value", _PLAIN, "ComponentEnum ADDEND, ", "", _REFERENCE),
            _with_vector(
                "MultiplyAdd", f"({_WHOLE_WORDS})", _PACKED, f"{_INTERPRETED}ComponentEnum ADDEND, ", _COUNTED,
                _REFERENCE,
            ),
        ),
        "OuterProduct": (
            "template <ComponentEnum OUT, typename IN, SIZE M, SIZE N>"
            " WHEN(arithmetic<IN>::value, MATRIX(OUT, M, N, MatrixUse::Accumulator, SCOPE))"
            " OuterProduct(vector<IN, M> column, vector<IN, N> row);",
        ),
    }
)  # fmt: skip
"""Operation of the table of scopes -> the functions that it is."""

VECTORS = """
template <ComponentEnum C, SIZE COUNT> struct VectorRef { ByteAddressBuffer Buf; uint Offset; };
template <typename T, SIZE COUNT, ComponentEnum C> struct InterpretedVector {
  vector<T, COUNT> Data;
  static const SIZE Size = component<C>::packed * COUNT;
};
template <ComponentEnum C, typename T, SIZE COUNT>
InterpretedVector<T, COUNT, C> MakeInterpretedVector(vector<T, COUNT> given);
template <ComponentEnum TO, ComponentEnum FROM, SIZE COUNT> struct converted {
  using type = InterpretedVector<typename component<TO>::type, words<TO, COUNT * component<FROM>::packed>::value, TO>;
};
template <ComponentEnum TO, ComponentEnum FROM, typename T, SIZE COUNT>
WHEN((same<T, typename component<FROM>::type>::value), CONVERTED(TO, FROM, COUNT)) Convert(vector<T, COUNT> given);
template <uint ALIGN = 64, typename T, SIZE M>
WHEN(arithmetic<T>::value && ALIGN >= SUMS, void)
InterlockedAccumulate(RWByteAddressBuffer to, uint offset, vector<T, M> addend);
MatrixUseEnum AccumulatorLayout();
"""

MACROS = f"""
#define WHEN(condition, ...) typename when<(condition), __VA_ARGS__>::type
#define COLUMN(t, n) vector<t, n>
#define MATRIX(c, m, n, u, s) Matrix<c, m, n, u, s>
#define CONVERTED(to, from, n) typename converted<to, from, n>::type
#define MATRIX_ALIGNED(align) (align % {MATRIX_ALIGNMENT} == 0)
#define STRIDE {STRIDE_ALIGNMENT}
#define SUMS {SUM_ALIGNMENT}
#define STRIDES NEVER_IF(stride % STRIDE != 0)
"""


def _classes(revision: Revision) -> Iterator[str]:
    """The type of matrices; where K is out of range there is none."""
    yield (
        "template <ComponentEnum COMPONENT, SIZE M, SIZE N, MatrixUseEnum USE, MatrixScopeEnum SCOPE,"
        " bool KNOWN = fits<USE, SCOPE, M, N>::value> struct Matrix;"
    )
    for scope in get_args(Scope):
        yield f"#define SCOPE MatrixScope::{scope}"
        yield "template <ComponentEnum COMPONENT, SIZE M, SIZE N, MatrixUseEnum USE>"
        yield "struct Matrix<COMPONENT, M, N, USE, SCOPE, true> {"
        for operation, scopes in SCOPES[revision].items():
            if scope in scopes and operation not in FUNCTIONS:
                yield from (THREAD if scope == "Thread" else METHODS)[operation]
        yield from ("};", "#undef SCOPE")


def _functions(revision: Revision) -> Iterator[str]:
    for operation, declarations in FUNCTIONS.items():
        for scope in sorted(SCOPES[revision][operation]):
            yield f"#define SCOPE MatrixScope::{scope}"
            yield from declarations
            yield "#undef SCOPE"


def header(revision: Revision) -> str:
    """All declarations; what the front end itself lacks has to stand before them."""
    inside = [*enumerations(revision), *MACROS.strip().splitlines(), *traits(revision), *_classes(revision)]
    inside += [*VECTORS.strip().splitlines(), *_functions(revision)]
    return "\n".join(["namespace dx { namespace linalg {", *inside, "} }", ""])
