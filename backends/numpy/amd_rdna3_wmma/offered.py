"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from itertools import product

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps, Form


def offered(caps: Caps, supports: Supports) -> Caps | None:
    """A builtin stays if it is supported with all of its sign flags."""

    def whole(form: Form) -> bool:
        if form.result == "i32":
            signs = [sign + form.operands.removeprefix("iu") for sign in "us"]
            return all(supports(a, b, "s32") for a, b in product(signs, repeat=2))
        return supports(form.operands, form.operands, form.result)

    kept = tuple(builtin for builtin in caps.in_reach if whole(FORMS[builtin]))
    return replace(caps, builtins=kept) if kept else None
