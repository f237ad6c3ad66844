"""Which conversions a device has, and the row that shows each: every pair of component types once, over all uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from mmaspec.oracle.nv_coopmat2.caps_support import components, listed, sizes
from mmaspec.oracle.nv_coopmat2.program_support import beside
from mmaspec.oracle.nv_coopmat2.rows import rows
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, Component, Matrix

KINDS: tuple[Component, ...] = ("f16", "bf16", "f32", "f64", "s8", "u8", "s16", "u16", "s32", "u32")

USES = {
    "accumulator-accumulator": (USE_ACCUMULATOR, USE_ACCUMULATOR),
    "a-a": (USE_A, USE_A),
    "b-b": (USE_B, USE_B),
    "accumulator-a": (USE_ACCUMULATOR, USE_A),
    "accumulator-b": (USE_ACCUMULATOR, USE_B),
}
"""Uses of source and result; with another component type the last two are ``accumulator-a-type`` and ``-b-type``."""


@dataclass(frozen=True, slots=True)
class Conversion:
    """The types of source and result."""

    source: Component
    result: Component
    uses: str

    @property
    def name(self) -> str:
        """``f32-s8 accumulator-b``."""
        return f"{self.source}-{self.result} {self.uses}"


CONVERSIONS: Mapping[str, Conversion] = {
    one.name: one
    for source in KINDS
    for result in KINDS
    for uses in USES
    for one in (Conversion(source, result, uses),)
    if source != result or uses.startswith("accumulator-")
}
"""Every one that some device could have, by name."""


def matrices(entry: Property, caps: CoopMatCaps, one: Conversion) -> tuple[Matrix, Matrix] | None:
    """Source and result in the sizes that a row has for them; None where the device lists no such types."""
    old, new = USES[one.uses]
    if old != new and not caps.features.conversions:
        return None
    for use in (new, old):
        # A size that the row itself has, of the source or of the result.
        if (one.source if use == old else one.result) in components(entry, use):
            size = sizes(entry, use)
            found = (
                Matrix("", one.source, *size, old, entry.scope),
                Matrix("", one.result, *size, new, entry.scope),
            )
            if all(listed(beside(caps, entry), matrix) for matrix in found):
                return found
    return None


@lru_cache(maxsize=16)
def owners(caps: CoopMatCaps) -> Mapping[str, str]:
    """Conversion -> the row that shows it. Of the uses that a pair of types can have, each pair shows another."""
    found: dict[str, str] = {}
    turn = 0
    for source in KINDS:
        for result in KINDS:
            able = [
                (one.name, [row.name for row in rows(caps) if matrices(row.entry, caps, one)])
                for uses in USES
                if (one := CONVERSIONS.get(f"{source}-{result} {uses}")) is not None
            ]
            able = [(name, having) for name, having in able if having]
            if not able:
                continue
            name, having = able[turn % len(able)]
            found[name] = having[turn % len(having)]
            turn += 1
    return found
