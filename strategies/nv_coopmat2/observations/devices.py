"""The axes of devices: the properties that they list, and what programs want of them."""

from __future__ import annotations

from mmaspec.oracle.nv_coopmat2.caps_support import is_power_of_two
from mmaspec.oracle.nv_coopmat2.program_support import workgroup_of
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Features, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import Convert, LoadTensor, PerElement, Reduce, StoreTensor, Transpose
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.nv_coopmat2.observations.facts import Facts, every, facts


def _listed(caps: CoopMatCaps) -> tuple[Property, ...]:
    return (*caps.fixed, *caps.flexible)


def granularity(subject: Subject, _: Thing) -> Answer:
    """M, N and K of properties against powers of two."""
    caps: CoopMatCaps = subject.caps
    whole = _listed(caps)
    sizes = [(one.m, one.n, one.k) for one in whole]
    powers = [is_power_of_two(*each) for each in sizes]
    fixed = [is_power_of_two(one.m, one.n, one.k) for one in caps.fixed]
    flexible = [is_power_of_two(one.m, one.n, one.k) for one in caps.flexible]
    return every(
        ("equal-powers", any(p and len(set(each)) == 1 for each, p in zip(sizes, powers, strict=True))),
        ("different-powers", any(p and len(set(each)) > 1 for each, p in zip(sizes, powers, strict=True))),
        ("k-larger", any(k > max(m, n) for m, n, k in sizes)),
        ("m-larger", any(m > n for m, n, _ in sizes)),
        ("n-larger", any(n > m for m, n, _ in sizes)),
        ("one", any(1 in (one.m, one.n, one.k) for one in caps.flexible)),
        ("not-a-power", not all(fixed)),
        ("none-of-powers", fixed and not any(fixed)),
        ("flexible-not-a-power", not all(flexible)),
    )


def types(subject: Subject, _: Thing) -> Answer:
    """How the four component types of properties relate."""
    whole = _listed(subject.caps)
    return every(
        ("all-one", any(len({one.a, one.b, one.c, one.result}) == 1 for one in whole)),
        ("wide-accumulator", any(one.a == one.b != one.c == one.result for one in whole)),
        ("a-unlike-b", any(one.a != one.b for one in whole)),
        ("c-unlike-result", any(one.c != one.result for one in whole)),
    )


def saturating(subject: Subject, _: Thing) -> Answer:
    """Whether properties saturate."""
    whole = _listed(subject.caps)
    by_types: dict[tuple[str, ...], set[bool]] = {}
    by_sizes: dict[tuple[object, ...], set[bool]] = {}
    for one in whole:
        kinds = (one.a, one.b, one.c, one.result)
        by_types.setdefault(kinds, set()).add(one.saturating)
        by_sizes.setdefault((*kinds, one.m, one.n, one.k, one.scope), set()).add(one.saturating)
    return every(
        ("never", {False} in by_types.values()),
        ("always", {True} in by_types.values()),
        ("both", {True, False} in by_sizes.values()),
    )


def scopes(subject: Subject, _: Thing) -> Answer:
    """The scopes of a device's properties."""
    caps: CoopMatCaps = subject.caps
    by_types: dict[tuple[str, ...], set[str]] = {}
    by_sizes: dict[tuple[object, ...], set[str]] = {}
    for one in _listed(caps):
        kinds = (one.a, one.b, one.c, one.result)
        by_types.setdefault(kinds, set()).add(one.scope)
        by_sizes.setdefault((*kinds, one.m, one.n, one.k), set()).add(one.scope)
    found = {one.scope for one in _listed(caps)}
    same = any(len(each) > 1 for each in by_sizes.values())
    return every(
        ("subgroup-only", found == {"subgroup"}),
        ("workgroup-only", {"workgroup"} in by_types.values()),
        ("same-sizes", same),
        ("different-sizes", not same and any(len(each) > 1 for each in by_types.values())),
        ("feature-off", "workgroup" in found and not caps.features.workgroup_scope),
    )


def invocations(subject: Subject, thing: Thing) -> Answer:
    """Workgroup sizes that matrices of workgroup scope fix."""
    caps, known = subject.caps, facts(subject)
    counts = sorted({one.invocations for one in caps.flexible if one.scope == "workgroup"})
    if not counts:
        return None
    above = counts[-1] > caps.workgroup_size
    if thing.group == "device":
        return every(("one", len(counts) == 1), ("several", len(counts) > 1), ("above", above))
    if all(matrix.scope != "workgroup" for matrix in known.program.matrices):
        return None
    used = workgroup_of(known.program, caps)
    return every(
        ("one", len(counts) == 1),
        ("several", len(counts) > 1 and used == counts[0]),
        ("middle", len(counts) > 2 and used in counts[1:-1]),
        ("largest", used == caps.workgroup_size),
        ("above", used is not None and used > caps.workgroup_size),
    )


def reserve(subject: Subject, _: Thing) -> Answer:
    """Shared memory that the program wants beside the reserve of workgroup scope."""
    program = facts(subject).program
    if not program.shared:
        return "none-wanted"
    if all(matrix.scope != "workgroup" for matrix in program.matrices):
        return None
    return "little"


FEATURES = tuple(Features.__struct_fields__)


def missing(subject: Subject, thing: Thing) -> Answer:
    """Which part of the extension the device lacks; of a program that must be rejected, which it uses too."""
    features: Features = subject.caps.features
    lacking = [name for name in FEATURES if not getattr(features, name)]
    if thing.group == "invalid":
        used = _used(subject, facts(subject))
        lacking = [name for name in lacking if used[name]]
    return [name.replace("_", "-") for name in lacking] or "none"


def _used(subject: Subject, known: Facts) -> dict[str, bool]:
    loads = known.of_kind(LoadTensor)
    converts = known.of_kind(Convert)
    uses = any(known.matrix(one.matrix).use != known.matrix(one.result).use for one in converts)
    flexible = any(
        isinstance(one, FlexibleSize) and one.scope == matrix.scope and matrix.component in (one.a, one.b, one.c)
        for one in subject.caps.flexible
        for matrix in known.program.matrices
    )
    return {
        "workgroup_scope": any(matrix.scope == "workgroup" for matrix in known.program.matrices),
        "flexible_dimensions": flexible,
        "reductions": bool(known.of_kind(Reduce)),
        "conversions": uses or bool(known.of_kind(Transpose)),
        "per_element": bool(known.of_kind(PerElement)),
        "tensor_addressing": bool(loads) or bool(known.of_kind(StoreTensor)),
        "block_loads": any(load.decode is not None for load in loads),
    }


LOOKS: dict[str, Look] = {
    "granularity": granularity,
    "property-types": types,
    "property-saturating": saturating,
    "property-scope": scopes,
    "invocation-counts": invocations,
    "reserved-shared": reserve,
    "missing-feature": missing,
}
"""Axis -> how its class is seen."""
