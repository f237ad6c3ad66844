"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps, Form

FORMATS = {"i8": "s8", "i4": "s4", "i32": "s32"}
"""What is called otherwise in functions' names than among the formats."""


def offered(caps: Caps, supports: Supports) -> Caps | None:
    """A form stays if its types are supported."""

    def whole(form: Form) -> bool:
        a, b, acc = (FORMATS.get(element, element) for element in form)
        return supports(a, b, acc)

    kept = tuple(name for name in caps.in_reach if whole(FORMS[name]))
    return replace(caps, forms=kept) if kept else None
