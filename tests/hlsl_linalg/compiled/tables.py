"""The tables of the oracle as templates of HLSL: enumerations, traits of component types, scopes, depths.

Everything else that is declared asks these.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

from mmaspec.oracle.hlsl_linalg.validity.arrays import PACKED
from mmaspec.oracle.hlsl_linalg.validity.types import DIMENSIONS
from mmaspec.programs.hlsl_linalg.components import NATIVE, Revision, ScalarType, components_of
from mmaspec.programs.hlsl_linalg.program import LINEAR, Layout, Scope, Use


def _enumeration(name: str, values: dict[str, int]) -> Iterator[str]:
    """One of the document's enumerations: nested in a structure, with a name for the type beside it."""
    listed = ", ".join(f"{value} = {code}" for value, code in values.items())
    kind = f"{'Component' if name == 'ComponentType' else name}Enum"
    yield f"struct {name} {{ enum {kind} {{ {listed} }}; }};"
    yield f"using {kind} = {name}::{kind};"


def enumerations(revision: Revision) -> Iterator[str]:
    """Component types, uses, scopes and layouts, by their codes."""
    yield from _enumeration("ComponentType", {row.name: row.code for row in components_of(revision)})
    for name, values in (("MatrixUse", Use), ("MatrixScope", Scope), ("MatrixLayout", Layout)):
        yield from _enumeration(name, {value: code for code, value in enumerate(get_args(values))})


TRAITS = """
template <bool B, typename T> struct when {};
template <typename T> struct when<true, T> { using type = T; };
template <typename T, typename U> struct same { static const bool value = false; };
template <typename T> struct same<T, T> { static const bool value = true; };
template <typename T> struct scalar_of { using type = T; };
template <typename T, int N> struct scalar_of<vector<T, N> > { using type = T; };
template <typename T> struct arithmetic { static const bool value = false; };
template <typename T> struct whole { static const bool value = false; };
template <ComponentEnum C> struct component;
template <MatrixUseEnum U, SIZE M, SIZE N> struct depth { static const uint value = U == MatrixUse::A ? N : M; };
template <MatrixScopeEnum S> struct least;
template <MatrixScopeEnum S> struct most;
template <MatrixUseEnum U, MatrixScopeEnum S, SIZE M, SIZE N> struct fits {
  static const bool value = U == MatrixUse::Accumulator ||
      (depth<U, M, N>::value >= least<S>::value && depth<U, M, N>::value <= most<S>::value);
};
template <ComponentEnum C, SIZE COUNT> struct words {
  static const SIZE value = (COUNT + component<C>::packed - 1) / component<C>::packed;
};
template <bool TURNED, SIZE M, SIZE N> struct turned { static const SIZE m = M; static const SIZE n = N; };
template <SIZE M, SIZE N> struct turned<true, M, N> { static const SIZE m = N; static const SIZE n = M; };
template <typename T, ComponentEnum C> struct may_hold {
  static const bool value = whole<T>::value || same<T, typename component<C>::type>::value;
};
template <typename T, ComponentEnum TARGET> struct may_sum {
  static const bool value = same<T, packed_word>::value && !component<TARGET>::native;
};
"""


def traits(revision: Revision) -> Iterator[str]:
    """What is asked of types: of which scalar a component is, which scalars are integers, the range of K."""
    yield f"using packed_word = {PACKED};"
    yield from TRAITS.strip().splitlines()
    for scalar in get_args(ScalarType):
        yield f"template <> struct arithmetic<{scalar}> {{ static const bool value = true; }};"
    integers = [scalar for scalar in get_args(ScalarType) if NATIVE[scalar][0] in "IU"]
    for scalar in (*integers, PACKED):
        yield f"template <> struct whole<{scalar}> {{ static const bool value = true; }};"
    for row in components_of(revision):
        body = f"using type = {row.scalar}; static const bool native = {str(row.native).lower()}; "
        body += f"static const SIZE packed = {row.packed};"
        yield f"template <> struct component<ComponentType::{row.name}> {{ {body} }};"
    for scope, (low, high) in DIMENSIONS.items():
        yield f"template <> struct least<MatrixScope::{scope}> {{ static const uint value = {low}; }};"
        yield f"template <> struct most<MatrixScope::{scope}> {{ static const uint value = {high}; }};"
    linear = " || ".join(f"(layout) == MatrixLayout::{layout}" for layout in LINEAR)
    yield f"#define LINEAR(layout) ({linear})"
