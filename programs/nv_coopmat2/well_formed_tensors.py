"""Checks that layouts, views and decode functions are well-formed. A program that fails here is bad input."""

from __future__ import annotations

from math import prod

from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Decode,
    Echo,
    Layout,
    LoadTensor,
    Nibbles,
    Slice,
    StoreTensor,
    View,
)
from mmaspec.programs.tree import walk
from mmaspec.programs.well_formed import MAX_ARGUMENT, check_argument, named, within

MAX_RANK = 16
"""Dimensions of a layout or view: three times what the document has, so that rules can see one too many."""
MAX_STRUCT = 1 << 16
"""Bytes of the largest struct of a decode function."""
MAX_VALUES = 1 << 16
"""Values of the largest block of a decode function."""
LEAST_MINUS = 16 - (1 << 31)
"""The least that is subtracted from a nibble, up to 15: the difference is a signed number of 32 bits."""


def check_layouts_and_views(program: CoopMatProgram) -> None:
    """Raise ``BadInput`` for a layout or view that starts from nothing, or with arguments out of range.

    They take the wave and pass of their use, which may be in any loop.
    """
    passes = max((count for _, _, count in walk(program)), default=1)
    for kind, declared in (("layout", program.layouts), ("view", program.views)):
        known: set[str] = set()
        for one in declared:
            _check_declaration(program, one, f"{kind} {one.name}", known, passes)
            known.add(one.name)


def _check_declaration(program: CoopMatProgram, one: Layout | View, at: str, known: set[str], passes: int) -> None:
    if one.start is not None and one.start not in known:
        raise BadInput(f"{at}: starts from {one.start!r}, which is not declared before it")
    if not 0 <= one.rank <= MAX_RANK:
        raise BadInput(f"{at}: {one.rank} dimensions; expected 0 to {MAX_RANK}")
    for call in one.calls:
        lowest = -(1 << 31) if isinstance(call, Slice) else 0
        for argument in arguments(call):
            check_argument(at, "argument", argument, program.waves, passes, lowest, MAX_ARGUMENT)


def check_tensor_access(program: CoopMatProgram, access: LoadTensor | StoreTensor, at: str) -> None:
    """Raise ``BadInput`` for a layout or view that nobody declared, and for a decode function without a meaning."""
    named(at, "layout", access.tensor, (layout.name for layout in program.layouts))
    if access.view is not None:
        named(at, "view", access.view, (view.name for view in program.views))
    if access.decode is not None:
        _check_decode(access.decode, at)


def _check_decode(decode: Decode, at: str) -> None:
    if not 1 <= decode.struct_bytes <= MAX_STRUCT:
        raise BadInput(f"{at}: a struct of {decode.struct_bytes} bytes; expected 1 to {MAX_STRUCT}")
    if isinstance(decode, Echo):
        for weight in (decode.byte, *decode.block, *decode.within):
            within(at, "a weight of the decode function,", weight, 0, MAX_ARGUMENT)
        return
    if any(extent < 1 for extent in decode.block) or prod(decode.block) > MAX_VALUES:
        raise BadInput(f"{at}: a block of {list(decode.block)}; expected 1 to {MAX_VALUES} values")
    if isinstance(decode, Nibbles):
        need, unit, multiple = -(-prod(decode.block) // 2), 1, ""
        if not LEAST_MINUS <= decode.minus < 1 << 31:
            raise BadInput(f"{at}: {decode.minus} subtracted from nibbles; expected {LEAST_MINUS} to {(1 << 31) - 1}")
    else:
        unit = format_named("f16").nbytes  # of the scale, after which the values lie
        need, multiple = unit + prod(decode.block), f", a multiple of {unit}"
    if decode.struct_bytes < need or decode.struct_bytes % unit:
        raise BadInput(f"{at}: a struct of {decode.struct_bytes} bytes; expected at least {need}{multiple}")
