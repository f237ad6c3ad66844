"""What a device may list as its properties, one function a clause, and which of them can be judged."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, Breach, CapsReport
from mmaspec.oracle.numerics.integer_dot import MAX_K
from mmaspec.oracle.nv_coopmat2.caps_support import COMPONENTS, is_power_of_two
from mmaspec.oracle.nv_coopmat2.matrices.product import WIDEST_FACTOR
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FixedSize, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.well_formed import MAX_MATRIX


def row_name(entry: Property) -> str:
    """The row of a property: ``f16-f32-16x8x16``, ``s8-s32-multiples-32x32x32-workgroup-of-128``."""
    size = f"{entry.m}x{entry.n}x{entry.k}"
    types = f"{entry.a}-{entry.c}" if entry.a == entry.b else f"{entry.a}-{entry.b}-{entry.c}"
    types += "" if entry.c == entry.result else f"-to-{entry.result}"
    end = "-saturating" if entry.saturating else ""
    if isinstance(entry, FlexibleSize):
        of = f"-of-{entry.invocations}" if entry.scope == "workgroup" else ""
        return f"{types}-multiples-{size}-{entry.scope}{of}{end}"
    return f"{types}-{size}" + ("" if entry.scope == "subgroup" else f"-{entry.scope}") + end


def fixed_sizes(entry: Property, caps: CoopMatCaps) -> Iterator[Breach]:
    """KHRCM-CAPS-SIZES: sizes are at least 1, and some fixed property has powers of two alone.

    For the latter the first property stands: it is tested nevertheless.
    """
    if not isinstance(entry, FixedSize):
        return
    if min(entry.m, entry.n, entry.k) < 1:
        yield Breach("KHRCM-CAPS-SIZES", f"M, N, K = {entry.m}, {entry.n}, {entry.k}", "at least 1 each")
    elif entry == caps.fixed[0] and not any(is_power_of_two(each.m, each.n, each.k) for each in caps.fixed):
        found = "no property with three powers of two as its sizes"
        yield Breach("KHRCM-CAPS-SIZES", found, "at least one", spoils=False)


def granularities(entry: Property, _: CoopMatCaps) -> Iterator[Breach]:
    """NVCM2-FLEX-POW2: granularities are powers of two."""
    if isinstance(entry, FlexibleSize) and not is_power_of_two(entry.m, entry.n, entry.k):
        yield Breach("NVCM2-FLEX-POW2", f"granularities {entry.m}, {entry.n}, {entry.k}", "powers of two")


def workgroups(entry: Property, caps: CoopMatCaps) -> Iterator[Breach]:
    """NVCM2-WG-SHARED: matrices of workgroup scope need some invocations, not more than a workgroup with them has."""
    if not isinstance(entry, FlexibleSize) or entry.scope != "workgroup" or not caps.features.workgroup_scope:
        return
    if not 1 <= entry.invocations <= caps.workgroup_size:
        found = f"workgroups of {entry.invocations} invocations"
        yield Breach("NVCM2-WG-SHARED", found, f"1 to {caps.workgroup_size}, the most with such matrices")


RULES = (fixed_sizes, granularities, workgroups)


def not_covered(entry: Property, caps: CoopMatCaps) -> str:
    """Why no program of a property can be judged; empty if some can."""
    flexible = isinstance(entry, FlexibleSize)
    if flexible and not caps.features.flexible_dimensions:
        return "the device lists it without the feature of flexible dimensions"
    if entry.scope == "workgroup" and not caps.features.workgroup_scope:
        return "the device lists it without the feature of workgroup scope"
    if other := _other_kinds(entry):
        return f"no program has {other}"
    if entry.c != entry.result:
        return "no product of the language has a result of another type than C"
    factors = [format_named(entry.a), format_named(entry.b)]
    formats = [*factors, format_named(entry.c)]
    if len({fmt.is_float for fmt in formats}) > 1:
        return "products that mix integers and floats are not modelled"
    if formats[0].is_float:
        return "saturation is stated of integers only" if entry.saturating else _too_large(entry, caps)
    if max(fmt.bits for fmt in factors) > WIDEST_FACTOR:
        return f"products of integers of more than {WIDEST_FACTOR} bits are not modelled"
    if entry.k > MAX_K:
        return f"sums of more than {MAX_K} integer products are not modelled"
    return _too_large(entry, caps)


def _other_kinds(entry: Property) -> str:
    kinds = dict.fromkeys(kind for kind in (entry.a, entry.b, entry.c, entry.result) if kind not in COMPONENTS)
    if kinds:
        return f"components of type {', '.join(kinds)}"
    return "" if entry.scope in {"subgroup", "workgroup"} else f"matrices of scope {entry.scope}"


def _too_large(entry: Property, caps: CoopMatCaps) -> str:
    if isinstance(entry, FlexibleSize) and max(entry.m, entry.n, entry.k) > caps.maximum:
        return f"no multiple of its granularities is within the maximum of {caps.maximum}"
    if max(entry.m * entry.k, entry.k * entry.n, entry.m * entry.n) > MAX_MATRIX:
        return f"matrices of more than {MAX_MATRIX} elements are not modelled"
    return ""


@lru_cache(maxsize=16)
def caps_report(caps: CoopMatCaps) -> CapsReport[CoopMatCaps]:
    """The properties that a device lists, judged one by one, the fixed ones first.

    What programs can be written for stays usable even where it cannot be judged: it is supported. A property of which
    some component types are out of reach is claimed nevertheless: its other matrices are supported.
    """
    answers = []
    spoilt: list[Property] = []
    sizeless: list[Property] = []
    listed: tuple[Property, ...] = (*caps.fixed, *caps.flexible)
    for entry in listed:
        breaches = tuple(breach for rule in RULES for breach in rule(entry, caps))
        broken = any(breach.spoils for breach in breaches)
        why = "" if broken else not_covered(entry, caps)
        answers.append(Answer((row_name(entry),), breaches, why))
        if min(entry.m, entry.n, entry.k) < 1:
            sizeless.append(entry)
        elif broken or _other_kinds(entry):
            spoilt.append(entry)
    claimed = _without(caps, sizeless)
    return CapsReport(_without(claimed, spoilt), claimed, tuple(answers))


def _without(caps: CoopMatCaps, left_out: list[Property]) -> CoopMatCaps:
    if not left_out:
        return caps
    return replace(
        caps,
        fixed=tuple(entry for entry in caps.fixed if entry not in left_out),
        flexible=tuple(entry for entry in caps.flexible if entry not in left_out),
    )
