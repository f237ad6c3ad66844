"""Every validity clause and the forms in which it is broken, as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from mmaspec.programs.intel_subgroup_mma.program import Component
from mmaspec.strategies.grammar import Forms, NearMiss, form_of, in_forms, joined
from mmaspec.strategies.intel_subgroup_mma.near_misses.calls import Vectors, named, spelled, vectors
from mmaspec.strategies.register_kernels.near_misses import ELSEWHERE, Where

WIDTHS = {"bits-8": (16, 64, 128), "bits-4": (16, 32, 128), "bits-16": (8, 32, 64)}
"""Tag -> values of K that its elements do not have: half and twice, and those of the other widths."""

MIXES = {
    f"a-{sign}{bits}": tuple(f"{other}{4 if bits == 8 else 8}" for other in "iu") for sign in "iu" for bits in (8, 4)
}
"""Tag of A -> elements of B of the other width: all eight mixes of 8 bits and 4."""

NAMES = {
    "float": {
        "no k": "{a}_{b}_matrix_mad",
        "one element": "{a}_matrix_mad_k16",
        "tf32": "tf32_tf32_matrix_mad_k8",
        "f32": "f32_f32_matrix_mad_k8",
        "bf8": "bf8_bf8_matrix_mad_k32",
    },
    "int": {
        "no k": "{a}_{b}_matrix_mad",
        "split": "{a}_{b}_split_matrix_mad_k{k}",
        "mul": "{a}_{b}_matrix_mul_k{k}",
        "i16": "i16_i16_matrix_mad_k16",
        "i2": "i2_i2_matrix_mad_k128",
        "s8": "s8_s8_matrix_mad_k32",
    },
}
"""Names of no function, by the tag of rows."""

KINDS = {
    "a-f16": (("f16", "bf16"), ("bf16", "f16")),
    "a-bf16": (("f16", "bf16"), ("bf16", "f16")),
    "bits-8": (("i8", "f16"),),
    "bits-4": (("u4", "bf16"),),
}
"""Tag -> elements of A and B of which one is of another kind."""

_OWN_SUMS: dict[str, Component] = {"a-f16": "half", "a-bf16": "short"}

VECTOR_FORMS = dict[str, Vectors]


def _named(tag: str, table: Mapping[str, tuple[str, str, str]]) -> Forms:
    """Wrong names in the only call."""
    return in_forms(named, {f"{tag}, {name}": ("", *parts) for name, parts in table.items()}, (tag,))


def _elsewhere(tag: str, name: str, a: str, b: str, k: str) -> Forms:
    """One wrong name in a second call, and in a loop."""
    return in_forms(named, {f"{tag}, {name}, {where}": (where, a, b, k) for where in ELSEWHERE}, (tag,))


def _k(tag: str, values: Iterable[int]) -> Forms:
    return _named(tag, {f"k{k}": ("", "", str(k)) for k in values})


def _mixed(tag: str, others: Iterable[str]) -> Forms:
    return _named(tag, {f"b of {other}": ("", other, "") for other in others})


def _kinds(tag: str, pairs: Iterable[tuple[str, str]]) -> Forms:
    return _named(tag, {f"{a}_{b}": (a, b, "") for a, b in pairs})


def _names(kind: str, names: Mapping[str, str]) -> Forms:
    every: dict[str, tuple[Where, str]] = {f"{kind} name, {words}": ("", name) for words, name in names.items()}
    return in_forms(spelled, every, (kind,))


def _vectors(table: Mapping[str, Vectors], rows: tuple[str, ...] = ()) -> Forms:
    return in_forms(vectors, table, rows)


def _signs(names: str, components: Mapping[str, Component]) -> Forms:
    """The other sign of a factor's components, by the tags of its elements."""
    every = (_vectors({f"{tag}, {other}": Vectors(names, other)}, (tag,)) for tag, other in components.items())
    tag, other = next(iter(components.items()))
    places = {f"{tag}, {other}, {where}": Vectors(names, other, where=where) for where in ELSEWHERE}
    return joined(*every, _vectors(places, (tag,)))


def _turned(name: str, unsigned: Component, signed: Component) -> dict[str, Component]:
    """Tag of a factor's elements -> the components of the other sign than theirs."""
    found: dict[str, Component] = {f"{name}-{element}": unsigned for element in ("i8", "i4", "f16", "bf16")}
    found |= {f"{name}-{element}": signed for element in ("u8", "u4")}
    return found


COUNTS: VECTOR_FORMS = {
    "sixteen rows": Vectors("acd", components=16),
    "a shorter": Vectors("a", times=-1),
    "a longer": Vectors("a", times=2),
    "d a scalar": Vectors("d", components=1),
    "c shorter": Vectors("c", times=-1),
    "c longer": Vectors("c", times=2),
    "d shorter": Vectors("d", times=-1),
    "d longer": Vectors("d", times=2),
    "c and d longer": Vectors("cd", times=2),
    "a longer, zeros": Vectors("a", times=2, zeros=True),
    "sixteen rows, second call": Vectors("acd", components=16, where="second call"),
    "a longer, in a loop": Vectors("a", times=2, where="in a loop"),
    "d shorter, second call": Vectors("d", times=-1, where="second call"),
    "c longer, in a loop": Vectors("c", times=2, where="in a loop"),
}
"""Numbers of rows that there are not, and vectors that do not agree on one."""

OF_INTEGERS: VECTOR_FORMS = {
    "sums of float": Vectors("cd", "float"),
    "sums of uint": Vectors("cd", "uint"),
    "sums of half": Vectors("cd", "half"),
    "c of float": Vectors("c", "float"),
    "d of float": Vectors("d", "float"),
    "sums of float, second call": Vectors("cd", "float", where="second call"),
    "c of uint, in a loop": Vectors("c", "uint", where="in a loop"),
}
"""Sums of integers that are not int."""

_FLOAT_SUMS: VECTOR_FORMS = {
    "sums of int": Vectors("cd", "int"),
    "c of int": Vectors("c", "int"),
    "sums of int, second call": Vectors("cd", "int", where="second call"),
    "d of int, in a loop": Vectors("d", "int", where="in a loop"),
}
_OTHER_SUMS: dict[str, tuple[Component, Component]] = {"a-f16": ("short", "half"), "a-bf16": ("half", "short")}
"""Tag -> 16-bit components of the other format's sums, and those of its own."""


def _float_sums(tag: str, other: Component, own: Component) -> Forms:
    """Sums of the other 16-bit format; and addend and result that differ, one of them wide and one narrow."""
    halves = {f"{tag}, {name} of {own}, the other wide": Vectors(name, own) for name in "cd"}
    wide = (form_of(vectors, one, name, (tag,), lambda row, _: "acc-f32" in row.tags) for name, one in halves.items())
    table = {f"{tag}, {sums} of {other}": Vectors(sums, other) for sums in ("cd", "d")}
    return joined(_vectors(table, (tag,)), Forms(tuple(wide)))


def _narrow(tag: str, component: Component) -> Forms:
    """Sums of 16 bits, which only devices with sub-groups of 16 have."""
    name = f"{tag}, sums of {component} in sub-groups of 8"
    return Forms((form_of(vectors, Vectors("cd", component), name, (tag,), lambda row, _: "n8" in row.tags),))


OF_B: VECTOR_FORMS = {
    "b of four words": Vectors("b", components=4),
    "b of sixteen words": Vectors("b", components=16),
    "b of float": Vectors("b", "float"),
    "b of sixteen short": Vectors("b", "short", components=16),
    "b of eight short": Vectors("b", "short"),
    "b of sixteen half": Vectors("b", "half", components=16),
    "b of sixteen words, second call": Vectors("b", components=16, where="second call"),
    "b of float, in a loop": Vectors("b", "float", where="in a loop"),
}


def _of_a(component: Component) -> Forms:
    table = {
        f"a of {component}": Vectors("a", component),
        f"a of {component}, second call": Vectors("a", component, where="second call"),
    }
    return _vectors(table)


NEAR_MISSES: Mapping[str, NearMiss] = MappingProxyType(
    {
        "ISGMMA-FUNCS": joined(
            *(_names(kind, names) for kind, names in NAMES.items()),
            *(_kinds(tag, pairs) for tag, pairs in KINDS.items()),
            _elsewhere("bits-8", "i8_f16", "i8", "f16", ""),
            _vectors(OF_INTEGERS, ("int",)),
        ),
        "ISGMMA-K-BY-TYPE": joined(
            *(_k(tag, values) for tag, values in WIDTHS.items()), _elsewhere("bits-8", "k64", "", "", "64")
        ),
        "ISGMMA-INT-COMBOS": joined(
            *(_mixed(tag, other) for tag, other in MIXES.items()),
            _elsewhere("a-u8", "b of u4", "", "u4", ""),
            _named("float", {"i8_i4": ("i8", "i4", "32"), "u4_u8": ("u4", "u8", "64")}),
        ),
        "ISGMMA-M": _vectors(COUNTS),
        "ISGMMA-FP-ACC": joined(
            _vectors(_FLOAT_SUMS),
            *(_float_sums(tag, *pair) for tag, pair in _OTHER_SUMS.items()),
            *(_narrow(tag, component) for tag, component in _OWN_SUMS.items()),
            _vectors({"sums of ushort": Vectors("cd", "ushort")}, ("acc-bf16",)),
        ),
        "ISGMMA-ARG-A8": joined(
            _signs("a", _turned("a", "uint", "int")),
            _of_a("float"),
        ),
        "ISGMMA-ARG-A16": joined(
            _signs("a", _turned("a", "ushort", "short")),
            _of_a("half"),
        ),
        "ISGMMA-ARG-B": joined(
            _signs("b", _turned("b", "uint", "int")),
            _vectors(OF_B),
        ),
    }
)
"""Validity clause -> how to break it."""
