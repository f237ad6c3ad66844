"""The caps rows: one for each property that a device lists, fixed or flexible."""

from __future__ import annotations

from functools import lru_cache
from math import lcm

from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.nv_coopmat2.caps_report import caps_report, row_name
from mmaspec.oracle.nv_coopmat2.caps_support import other_kinds
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.spec import Row
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import USE_ACCUMULATOR, Matrix

WIDEST = 4
"""Bytes of the widest component for which a clamp value of 32 bits has one reading."""


def entries(caps: CoopMatCaps) -> dict[str, Property]:
    """Row name -> the property behind it, in the order of the caps; a property listed twice counts once.

    Those that cannot be judged make no row (``caps_report``). ``BadInput`` for what no device may list.
    """
    report = caps_report(caps)
    check_written(report)
    left_out = report.not_covered()
    listed: tuple[Property, ...] = (*report.usable.fixed, *report.usable.flexible)
    named = {row_name(entry): entry for entry in listed}
    return {name: entry for name, entry in named.items() if name not in left_out}


@lru_cache(maxsize=16)
def rows(caps: CoopMatCaps) -> tuple[Row[Property], ...]:
    """One row per property: ``f16-f32-16x8x16``, ``s8-s32-multiples-32x32x32-workgroup-of-128``.

    Tags: ``int`` or ``float``, the operands' and the accumulator's format, the scope, ``fixed`` or ``flexible``,
    ``saturates`` or ``wraps`` for integers, ``extends-a`` and ``extends-b`` for those of A and B that are narrower than
    the result (of others the low bits are the same with either sign), and what depends on more than the types:

    ``untyped``       the first row of each scope: rules in which neither types nor sizes matter are shown there
    ``addresses``     the first row with a component of some width up to 32 bits, or of some scope: where elements
                      lie in memory depends on nothing else, so these rows show it (NVCM2-AMB-13 leaves wider ones out)
    ``shared``        those of subgroup scope: how much shared memory workgroup scope leaves, every device has its own
    ``wide``          the first row with a component of more: what a clamp value of 32 bits gives there has two readings
    ``arithmetic``    there is arithmetic on its accumulators, which bf16 does not have
    ``per-element``   there are functions of elements, and those that add
    ``converts``      an accumulator has the rows and columns of one in another component type
    ``converts-use``  an accumulator has the rows and columns of some A or B
    ``transposes``    the transpose of an accumulator is a B of this row
    ``reduces``, ``halves``  there are reductions of its accumulators, and one that halves rows and columns; of
                      integers, which are alike wherever they come from, the first row of each type and scope
    ``sums``          sums of its accumulators depend on the order, and are precise enough to show something
    """
    found = []
    seen: set[object] = set()
    for name, entry in entries(caps).items():
        shapes = {format_named(kind).nbytes for kind in (entry.a, entry.b, entry.c)} | {entry.scope}
        untyped = set() if entry.scope in seen else {"untyped"}
        tags = untyped | _kind_tags(entry) | _operation_tags(caps, entry)
        if format_named(entry.c).is_float or ("reduces", entry.c, entry.scope) not in seen:
            tags |= _reduce_tags(caps, entry)
            seen.add(("reduces", entry.c, entry.scope))
        wide = max(format_named(kind).nbytes for kind in (entry.a, entry.c)) > WIDEST
        if not shapes <= seen:
            tags.add("wide" if wide else "addresses")
            if not wide and entry.scope == "subgroup":
                tags.add("shared")
        seen |= shapes
        types = f"{entry.a}-{entry.c}" if entry.a == entry.b else f"{entry.a}-{entry.b}-{entry.c}"
        found.append(Row(name, types, frozenset(tags), entry))
    return tuple(found)


def _kind_tags(entry: Property) -> set[str]:
    tags = {
        "float" if format_named(entry.a).is_float else "int",
        entry.a,
        entry.b,
        f"acc-{entry.c}",
        entry.scope,
        "flexible" if isinstance(entry, FlexibleSize) else "fixed",
    }
    if "int" in tags:
        tags.add("saturates" if entry.saturating else "wraps")
        tags |= {"signed" if format_named(kind).signed else "unsigned" for kind in (entry.a, entry.b)}
        width = format_named(entry.c).bits
        tags |= {f"extends-{use}" for use in "ab" if format_named(getattr(entry, use)).bits < width}
    return tags


def _operation_tags(caps: CoopMatCaps, entry: Property) -> set[str]:
    tags: set[str] = set()
    features = caps.features
    flexible = isinstance(entry, FlexibleSize)
    if entry.c != "bf16":
        tags |= {"arithmetic", "per-element"} if features.per_element else {"arithmetic"}
    own = Matrix("", entry.c, entry.m, entry.n, USE_ACCUMULATOR, entry.scope)
    if other_kinds(beside(caps, entry), own):
        tags.add("converts")
    square = entry.m == entry.n == entry.k
    if features.conversions:
        if lcm(entry.m, entry.n, entry.k) <= caps.maximum if flexible else entry.k in (entry.m, entry.n):
            tags.add("converts-use")
        if entry.b == entry.c and (square or (flexible and lcm(entry.m, entry.n, entry.k) <= caps.maximum)):
            tags.add("transposes")
    return tags


def _reduce_tags(caps: CoopMatCaps, entry: Property) -> set[str]:
    if not caps.features.reductions:
        return set()
    tags = {"reduces"}
    if format_named(entry.c).is_float and entry.c != "bf16":
        tags.add("sums")
    if isinstance(entry, FlexibleSize) and 2 * max(entry.m, entry.n) <= caps.maximum:
        tags.add("halves")
    return tags
