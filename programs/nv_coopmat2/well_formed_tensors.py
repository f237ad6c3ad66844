"""Whether layouts, views and decode functions can be read at all. What fails here is a bad file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod

from mmaspec.oracle.nv_coopmat2.tensors.decoding import SCALE_BYTES
from mmaspec.oracle.nv_coopmat2.tensors.layouts import arguments
from mmaspec.oracle.nv_coopmat2.tensors.views import view_arguments
from mmaspec.programs.base import Index
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram, Decode, Echo, LoadTensor, Nibbles, Slice, StoreTensor

MOST_RANK = 16
MOST_STRUCT = 1 << 16
"""Bytes of the largest struct of a decode function."""
MOST_VALUES = 1 << 16
"""Values of the largest block of a decode function."""
LEAST_MINUS = 16 - (1 << 31)
"""The least that is subtracted from a nibble, up to 15: the difference is a signed number of 32 bits."""

CheckArguments = Callable[[Iterable[Index], str, int], None]
"""Checks arguments; where they stand, for the message; the least one that is allowed."""


def check_layouts_and_views(program: CoopMatProgram, check_arguments: CheckArguments) -> None:
    """Raise ``BadInput`` for a layout or view that starts from nothing, or with arguments out of range."""
    known: set[str] = set()
    for layout in program.layouts:
        where = f"layout {layout.name}"
        _check_start(layout.start, layout.rank, known, where)
        known.add(layout.name)
        for call in layout.calls:
            check_arguments(arguments(call), where, -(1 << 31) if isinstance(call, Slice) else 0)
    known = set()
    for view in program.views:
        where = f"view {view.name}"
        _check_start(view.start, view.rank, known, where)
        known.add(view.name)
        for view_call in view.calls:
            check_arguments(view_arguments(view_call), where, 0)


def _check_start(start: str | None, rank: int, known: set[str], where: str) -> None:
    if start is not None and start not in known:
        raise BadInput(f"{where}: starts from {start!r}, which is not declared before it")
    if not 0 <= rank <= MOST_RANK:
        raise BadInput(f"{where}: {rank} dimensions; expected 0 to {MOST_RANK}")


def check_tensor_access(program: CoopMatProgram, access: LoadTensor | StoreTensor, where: str) -> None:
    """Raise ``BadInput`` for a layout or view that nobody declared, and for a decode function without a meaning."""
    layouts = [layout.name for layout in program.layouts]
    if access.tensor not in layouts:
        raise BadInput(f"{where}: no layout named {access.tensor!r}; there are {_list(layouts)}")
    views = [view.name for view in program.views]
    if access.view is not None and access.view not in views:
        raise BadInput(f"{where}: no view named {access.view!r}; there are {_list(views)}")
    if access.decode is not None:
        _check_decode(access.decode, where)


def _check_decode(decode: Decode, where: str) -> None:
    if not 1 <= decode.struct_bytes <= MOST_STRUCT:
        raise BadInput(f"{where}: a struct of {decode.struct_bytes} bytes; expected 1 to {MOST_STRUCT}")
    if isinstance(decode, Echo):
        if not all(0 <= weight < 1 << 32 for weight in (decode.byte, *decode.block, *decode.within)):
            raise BadInput(f"{where}: a weight of the decode function; expected 0 to {(1 << 32) - 1}")
        return
    if any(extent < 1 for extent in decode.block) or prod(decode.block) > MOST_VALUES:
        raise BadInput(f"{where}: a block of {list(decode.block)}; expected 1 to {MOST_VALUES} values")
    if isinstance(decode, Nibbles):
        need, odd = -(-prod(decode.block) // 2), False
        if not LEAST_MINUS <= decode.minus < 1 << 31:
            raise BadInput(
                f"{where}: {decode.minus} subtracted from nibbles; expected {LEAST_MINUS} to {(1 << 31) - 1}"
            )
    else:
        need, odd = SCALE_BYTES + prod(decode.block), decode.struct_bytes % SCALE_BYTES != 0
    if decode.struct_bytes < need or odd:
        multiple = "" if isinstance(decode, Nibbles) else f", a multiple of {SCALE_BYTES}"
        raise BadInput(f"{where}: a struct of {decode.struct_bytes} bytes; expected at least {need}{multiple}")


def _list(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
