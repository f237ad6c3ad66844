"""Near misses of decode functions and of stores of blocks."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.base import Buffer
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Decode,
    Echo,
    Layout,
    Load,
    LoadTensor,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    StoreTensor,
    View,
)
from mmaspec.strategies.circumstances import When, argument
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.nv_coopmat2.builder.program import with_program
from mmaspec.strategies.nv_coopmat2.near_misses.edits import (
    changed,
    first,
    number_of,
    repeated,
    stored_apart,
    unfitted,
    with_words,
)
from mmaspec.strategies.nv_coopmat2.near_misses.functions import KINDS, other
from mmaspec.strategies.nv_coopmat2.near_misses.tensors import with_layout

SHARED_LINE = 16
"""A stride that is long enough for a row of any matrix of a fixed size, in elements of 16 bytes."""
ECHO = Echo(4, (1, 1), (1, 1))
NIBBLES = Nibbles(4, (1, 1))
SCALED = ScaleAndBytes(4, (1, 1))

DECODERS: Mapping[str, Decode] = MappingProxyType(
    {
        "block coordinate of one": Echo(4, (1,), (1, 1)),
        "block coordinate of three": Echo(4, (1, 1, 1), (1, 1)),
        "coordinate in the block of one": Echo(4, (1, 1), (1,)),
        "coordinate in the block of three": Echo(4, (1, 1), (1, 1, 1)),
        "nibbles, coordinates of three": Nibbles(4, (1, 1, 1)),
        "scaled, coordinates of one": ScaleAndBytes(4, (1,)),
        "by value": replace(ECHO, by_value=True),
        "nibbles by value": replace(NIBBLES, by_value=True),
        "scaled by value": replace(SCALED, by_value=True),
        "parameters in": replace(ECHO, qualifier="in"),
        "parameters inout": replace(ECHO, qualifier="inout"),
    }
)
"""NVCM2-DECODE-SIG, of a layout of two dimensions, whatever the component type."""


def decoding(_: DrawContext[CoopMatCaps], draft: Draft, decode: Decode) -> Draft:
    """A load with a decode function of a signature that there is not."""
    return changed(draft, LoadTensor, decode=decode, fit=False)


RETURNS: Mapping[str, tuple[Decode, str]] = MappingProxyType(
    {**{f"returns {kind}": (ECHO, kind) for kind in KINDS[:2]}, "nibbles, returns narrower": (NIBBLES, "narrower")}
)


def returning(context: DrawContext[CoopMatCaps], draft: Draft, wrong: tuple[Decode, str]) -> Draft:
    """A decode function that returns another type than the matrix has."""
    decode, kind = wrong
    own = draft.program.matrix(first(draft, LoadTensor).matrix).component
    changes: dict[str, Any] = {"component": other(context, own, kind)}
    return changed(draft, LoadTensor, decode=replace(decode, **changes), fit=False)


def under_a_view(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """Coordinates of as many dimensions as the view has, not the layout."""
    view = View("v", rank=3)
    loaded = changed(draft, LoadTensor, decode=Echo(4, (1, 1, 1), (1, 1, 1)), view=view.name, fit=False)
    return unfitted(loaded, views=(view,))


ARRAYS: Mapping[str, str] = MappingProxyType({"from a shared array": "", "from the second shared array": "second"})


def decode_shared(_: DrawContext[CoopMatCaps], draft: Draft, where: str) -> Draft:
    """A decode function that is to point into a shared array, or into the second one."""
    echo = Echo(1, (1, 1), (1, 1))
    loaded = changed(draft, LoadTensor, fit=False, buffer="staged", offset=0, array="uvec4", decode=echo)
    program: CoopMatProgram = loaded.program
    names = ("before", "staged") if where == "second" else ("staged",)
    buffers = (*program.buffers, *(Buffer(name, 0) for name in names))
    if where != "second":
        return with_program(loaded, replace(program, buffers=buffers, shared=names))
    first = Load(program.matrices[0].name, "before", 0, SHARED_LINE, array="uvec4", data="first")
    grown = replace(program, buffers=buffers, shared=names, body=(first, *program.body))
    return with_program(loaded, grown)


STORES: Mapping[str, Decode] = MappingProxyType(
    {"store with echo": replace(ECHO, struct_bytes=16), "store with nibbles": NIBBLES, "store with scale": SCALED}
)


def store_decoding(_: DrawContext[CoopMatCaps], draft: Draft, decode: Decode) -> Draft:
    """A store with a decode function."""
    return changed(draft, StoreTensor, decode=decode)


def store_blocks(_: DrawContext[CoopMatCaps], draft: Draft, blocks: tuple[int, int]) -> Draft:
    """A store through a layout with blocks."""
    layout: Layout = draft.program.layouts[0]
    return with_layout(draft, replace(layout, calls=(SetBlockSize(blocks), *layout.calls)))


def store_blocks_when(_: DrawContext[CoopMatCaps], draft: Draft, when: When) -> Draft:
    """A store through a layout that has blocks in one wave or pass, or as it finds at run time."""
    layout: Layout = draft.program.layouts[0]
    calls = (SetBlockSize((argument(1, 2, when), 1)), *layout.calls)
    own = replace(layout, name="blocks", calls=calls)
    program = replace(draft.program, layouts=(*draft.program.layouts, own))
    number = number_of(draft, StoreTensor)
    store = repeated(replace(stored_apart(draft, program.body[number], when), tensor=own.name), when)
    program = replace(program, body=(*program.body[:number], store, *program.body[number + 1 :]))
    return with_words(draft, program, 2, when)


def store_derived(_: DrawContext[CoopMatCaps], draft: Draft, __: str) -> Draft:
    """A store through a layout that takes its blocks from the one that it starts from."""
    layout: Layout = draft.program.layouts[0]
    blocks = replace(layout, name="blocks", calls=(SetBlockSize((1, 2)), *layout.calls))
    own = Layout("derived", (), layout.rank, layout.clamp_mode, "blocks")
    grown = with_program(draft, replace(draft.program, layouts=(*draft.program.layouts, blocks, own)))
    return changed(grown, StoreTensor, tensor=own.name)


WHENS: tuple[When, ...] = ("at run time", "first wave", "last wave", "first pass", "last pass")
