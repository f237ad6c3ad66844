"""JSON schemas of the protocol, made from the structs that read and write it."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any, get_args

import msgspec

from mmaspec.backends.external.messages import PROTOCOL, Reply, Request
from mmaspec.oracle.spec import specs_at_hand

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, bytes]:
    """File name -> JSON text: the messages, and for each specification its programs and caps."""
    found = {"protocol.json": _messages()}
    for spec in specs_at_hand():
        parts, components = msgspec.json.schema_components([spec.program_type, spec.caps_type])
        described = f"A program of {spec.name}, as a run request has it, and the caps that hello reports."
        found[f"{spec.name}.json"] = _text(described, dict(zip(("program", "caps"), parts, strict=True)), components)
    return found


def _messages() -> bytes:
    requests, replies = get_args(Request), get_args(Reply)
    parts, components = msgspec.json.schema_components([*requests, *replies])
    lines = {"request": {"anyOf": parts[: len(requests)]}, "reply": {"anyOf": parts[len(requests) :]}}
    return _text(f"Lines of protocol {PROTOCOL}.", lines, components)


def _text(described: str, properties: dict[str, Any], components: dict[str, Any]) -> bytes:
    components = _dedented(components)
    whole = {"$schema": _DIALECT, "description": described, "properties": properties, "$defs": components}
    return msgspec.json.format(msgspec.json.encode(whole, order="deterministic"), indent=1) + b"\n"


def _dedented(node: Any) -> Any:
    """Descriptions without indentation, which not every version of Python removes from docstrings."""
    if isinstance(node, dict):
        return {
            key: cleandoc(value) if key == "description" and isinstance(value, str) else _dedented(value)
            for key, value in node.items()
        }
    return [_dedented(item) for item in node] if isinstance(node, list) else node
