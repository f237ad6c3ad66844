"""The catalogue put together from its parts."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import msgspec

from mmaspec.oracle.clauses import Catalogue

PACKAGE = "mmaspec.oracle.hlsl_linalg"


def parts() -> dict[str, dict[str, Any]]:
    """What stands in each file of the catalogue."""
    files = [entry for entry in resources.files(PACKAGE).iterdir() if entry.name.startswith("clauses")]
    return {entry.name: msgspec.toml.decode(entry.read_bytes()) for entry in files if entry.name.endswith(".toml")}


@cache
def catalogue() -> Catalogue:
    """All parts as one catalogue; AssertionError for an entry that stands in two of them."""
    whole: dict[str, Any] = {}
    for name, found in sorted(parts().items()):
        for key, value in found.items():
            if not isinstance(value, dict):
                assert key not in whole, (name, key)
                whole[key] = value
                continue
            known = whole.setdefault(key, {})
            assert known.keys().isdisjoint(value), (name, key)
            known.update(value)
    return msgspec.convert(whole, type=Catalogue)
