"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property


def offered(caps: CoopMatCaps, supports: Supports) -> CoopMatCaps | None:
    """A property stays if its product is supported, does not saturate, and leaves a result like C."""

    def plain(entry: Property) -> bool:
        return entry.c == entry.result and not entry.saturating and supports(entry.a, entry.b, entry.c)

    fixed = tuple(entry for entry in caps.fixed if plain(entry))
    flexible = tuple(entry for entry in caps.flexible if plain(entry))
    return replace(caps, fixed=fixed, flexible=flexible) if fixed or flexible else None
