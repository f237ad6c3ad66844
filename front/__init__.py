"""mmaspec: the executable specification and conformance suite for GPU matrix multiply-accumulate.

``expect`` answers what a specification demands of a case, ``assert_conforms`` holds a backend to it,
``read_case`` reads a case file. Everything else is in the sub-packages; they are imported when used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmaspec.api import assert_conforms, read_case
    from mmaspec.oracle.expect import expect
    from mmaspec.programs.errors import BadInput

__all__ = ["BadInput", "assert_conforms", "expect", "read_case"]

_HOMES = {
    "BadInput": "mmaspec.programs.errors",
    "assert_conforms": "mmaspec.api",
    "expect": "mmaspec.oracle.expect",
    "read_case": "mmaspec.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``mmaspec --help`` must stay fast."""
    if name not in _HOMES:
        raise AttributeError(f"module 'mmaspec' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
