"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from itertools import product

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, INSTRUCTIONS, Caps, Form


def offered(caps: Caps, supports: Supports) -> Caps | None:
    """A builtin or an instruction stays if it is supported with all of its sign flags."""

    def whole(form: Form) -> bool:
        if form.result == "i32":
            signs = [sign + form.operands.removeprefix("iu") for sign in "us"]
            return all(supports(a, b, "s32") for a, b in product(signs, repeat=2))
        return supports(form.operands, form.operands, form.result)

    builtins = tuple(name for name in caps.in_reach if whole(FORMS[name]))
    instructions = tuple(name for name in caps.instructions_in_reach if whole(INSTRUCTIONS[name]))
    return replace(caps, builtins=builtins, instructions=instructions) if builtins or instructions else None
