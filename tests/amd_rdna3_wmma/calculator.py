"""The register layouts that AMD's matrix instruction calculator prints, read from ``tests/data``."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .registers import Element, Field

TABLE = Path(__file__).parents[1] / "data" / "rdna3_registers.toml"


class Use(NamedTuple):
    """What is laid out: a matrix of an instruction; ``opsel`` None where the instruction has no such bit."""

    instruction: str
    matrix: str
    wave: int
    opsel: int | None = None


@cache
def layouts() -> dict[Use, dict[Field, Element]]:
    """Every layout, field by field."""
    found: dict[Use, dict[Field, Element]] = {}
    for layout in tomllib.loads(TABLE.read_text(encoding="utf-8"))["layout"]:
        elements = _elements(layout)
        for of in layout["of"]:
            assert Use(**of) not in found
            found[Use(**of)] = elements
    return found


def _elements(layout: dict[str, Any]) -> dict[Field, Element]:
    fields = [_field(text) for text in layout["fields"].split()]
    return {
        field._replace(lane=lane): (int(cell[0], 16), int(cell[1], 16))
        for lane, line in enumerate(layout["lanes"].split("\n")[:-1])
        for field, cell in zip(fields, line.split(), strict=True)
    }


def _field(text: str) -> Field:
    match = re.fullmatch(r"v(\d+)(?:\[(\d+):(\d+)\])?", text)
    assert match is not None, text
    vgpr, last, first = (int(group or default) for group, default in zip(match.groups(), (0, 31, 0), strict=True))
    return Field(0, vgpr, first, last + 1 - first)
