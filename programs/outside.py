"""Instructions as they are outside loops and in programs of one wave, where no text declares a name for either."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, TypeVar

from msgspec import Struct, structs

from mmaspec.programs.base import Affine, at

Node = TypeVar("Node")


def outside_loops(node: Node) -> Node:
    """An instruction, argument or tuple of these without the pass in its arguments; their values in pass 0 are kept."""
    return _changed(node, {"loop": 0})


def in_one_wave(node: Node) -> Node:
    """The same without the wave; the values in wave 0 are kept."""
    return _changed(node, {"wave": 0, "grid": 0, "row": 0})


def as_wave(node: Node, wave: int) -> Node:
    """The same without the wave, with the values that one of them has."""
    found: object = node
    if isinstance(found, tuple):
        found = tuple(as_wave(one, wave) for one in found)
    elif isinstance(found, Affine):
        base = at(structs.replace(found, lane=0), wave, 0)
        found = structs.replace(found, base=base, wave=0, grid=0, row=0)
    elif isinstance(found, Struct):
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := as_wave(old, wave)) != old}
        found = structs.replace(found, **changed) if changed else found
    return found  # type: ignore[return-value]


def with_waves(program: Node, waves: int) -> Node:
    """A program that so many waves execute: a thread group whose size it states is as large as they are."""
    found: Any = program
    sized = {"threads": 0} if "threads" in found.__struct_fields__ else {}
    new: Node = structs.replace(found, waves=waves, **sized)
    return new


def in_pass(node: Node, number: int, data: Container[str] = ()) -> Node:
    """An instruction as it is in one pass of its loop, without naming it.

    ``data`` are the names of values of which each pass finds its own: they get a name for this pass.
    """
    found: object = node
    if isinstance(found, tuple):
        found = tuple(in_pass(one, number, data) for one in found)
    elif isinstance(found, Affine):
        found = structs.replace(found, base=found.base + found.loop * number, loop=0) if found.loop else found
    elif isinstance(found, Struct):
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := in_pass(old, number, data)) != old}
        if isinstance(name := fields.get("data"), str) and name in data:
            changed["data"] = f"{name} of pass {number}"
        found = structs.replace(found, **changed) if changed else found
    return found  # type: ignore[return-value]


def _changed(node: Node, parts: Mapping[str, int]) -> Node:
    """A node with these parts of every ``Affine`` in it set."""
    found: object = node
    if isinstance(found, tuple):
        found = tuple(_changed(one, parts) for one in found)
    elif isinstance(found, Affine):
        found = structs.replace(found, **parts)
    elif isinstance(found, Struct):
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := _changed(old, parts)) != old}
        found = structs.replace(found, **changed) if changed else found
    return found  # type: ignore[return-value]
