"""Instructions as they are outside loops, where the index of the pass is 0 and no text declares a name for it."""

from __future__ import annotations

from typing import TypeVar

from msgspec import Struct, structs

from mmaspec.programs.base import Affine

Node = TypeVar("Node")


def outside_loops(node: Node) -> Node:
    """An instruction, argument or tuple of these whose arguments do not name the pass; their values there are kept."""
    found: object = node
    if isinstance(found, tuple):
        found = tuple(outside_loops(one) for one in found)
    elif isinstance(found, Affine):
        found = structs.replace(found, loop=0)
    elif isinstance(found, Struct):
        fields = {name: getattr(found, name) for name in found.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := outside_loops(old)) != old}
        found = structs.replace(found, **changed) if changed else found
    return found  # type: ignore[return-value]


def names_pass(node: object) -> bool:
    """Whether some argument of an instruction, or of a tuple of instructions, depends on the pass."""
    if isinstance(node, tuple):
        return any(names_pass(one) for one in node)
    if isinstance(node, Affine):
        return node.loop != 0
    return isinstance(node, Struct) and any(names_pass(getattr(node, name)) for name in node.__struct_fields__)
