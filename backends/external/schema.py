"""JSON schemas of the protocol, made from the structs that read and write it."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from mmaspec.backends.external.messages import (
    Failure,
    Hello,
    Introduction,
    Mma,
    Product,
    Ran,
    Refusal,
    Run,
)
from mmaspec.oracle.spec import SPECS, spec_named

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_REQUESTS = {"hello": Hello, "run": Run, "mma": Mma}
_REPLIES = {"hello": Introduction, "ran": Ran, "product": Product, "refused": Refusal, "error": Failure}


def schemas() -> dict[str, bytes]:
    """File name -> JSON text: the messages, and for each specification its programs and caps."""
    found = {"protocol.json": _messages()}
    for name in SPECS:
        spec = spec_named(name)
        parts, components = msgspec.json.schema_components([spec.program_type, spec.caps_type])
        described = f"A program of {name}, as a run request has it, and the caps that hello reports."
        found[f"{name}.json"] = _text(described, dict(zip(("program", "caps"), parts, strict=True)), components)
    return found


def _messages() -> bytes:
    types = [*_REQUESTS.values(), *_REPLIES.values()]
    parts, components = msgspec.json.schema_components(types)
    requests, replies = parts[: len(_REQUESTS)], parts[len(_REQUESTS) :]
    return _text("Lines of protocol 1.", {"request": {"anyOf": requests}, "reply": {"anyOf": replies}}, components)


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
