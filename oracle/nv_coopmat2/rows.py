"""The rows of coverage: one per property that a device lists, fixed or flexible."""

from __future__ import annotations

from mmaspec.oracle.errors import BadInput
from mmaspec.oracle.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.oracle.spec import Row

CUT = (("f16", "f16", "f32", "f32"), ("s8", "s8", "s32", "s32"))
"""Component types of A, B, C and the result that the model covers; other properties make no row."""


def _covered(entry: Property) -> bool:
    return (entry.a, entry.b, entry.c, entry.result) in CUT and not entry.saturating


def _name(entry: Property) -> str:
    size = f"{entry.m}x{entry.n}x{entry.k}"
    if isinstance(entry, FlexibleSize):
        of = f"-of-{entry.invocations}" if entry.scope == "workgroup" else ""
        return f"{entry.a}-{entry.c}-multiples-{size}-{entry.scope}{of}"
    return f"{entry.a}-{entry.c}-{size}" + ("" if entry.scope == "subgroup" else f"-{entry.scope}")


def entries(caps: CoopMatCaps) -> dict[str, Property]:
    """Row name -> the property behind it, in the order of the caps; a property listed twice counts once."""
    return {_name(entry): entry for entry in caps.properties if _covered(entry)}


def entry_of(caps: CoopMatCaps, row: str) -> Property:
    """The property behind a row; ``BadInput`` if the caps have none of that name."""
    found = entries(caps).get(row)
    if found is None:
        raise BadInput(f"nv-coopmat2: no caps row named {row!r}")
    return found


def rows(caps: CoopMatCaps) -> tuple[Row, ...]:
    """One row per property: ``f16-f32-16x8x16``, ``s8-s32-multiples-32x32x32-workgroup-of-128``.

    Tags: ``int`` or ``float``, the operands' and the accumulator's format, the scope, ``fixed`` or ``flexible``.
    """
    found = []
    for name, entry in entries(caps).items():
        flexible = isinstance(entry, FlexibleSize)
        tags = {
            "int" if entry.a == "s8" else "float",
            entry.a,
            f"acc-{entry.c}",
            entry.scope,
            "flexible" if flexible else "fixed",
        }
        found.append(Row(name, f"{entry.a}-{entry.c}", frozenset(tags)))
    return tuple(found)
