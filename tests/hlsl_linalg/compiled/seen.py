"""Which clauses a compiler can see in a printed program: those of types, template arguments and literal arguments.

Of the others the answer depends on a device, on an address, or on what happens beside the shader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

SEEN = frozenset(
    {
        "LINALG-ACC-GS-TARGET", "LINALG-ACC-LAYOUT", "LINALG-ACC-USE", "LINALG-ACCUMULATE-SHAPE",
        "LINALG-ACCUMULATE-USES", "LINALG-ALIGN", "LINALG-BIAS-SOURCE", "LINALG-CAST-SCOPE", "LINALG-CAST-SHAPE",
        "LINALG-CONVERT-LEN", "LINALG-DIM-GROUP", "LINALG-DIM-THREAD-WAVE", "LINALG-ELEM-NATIVE", "LINALG-GS-TYPE",
        "LINALG-LOAD-LAYOUT", "LINALG-LOAD-SRC", "LINALG-LOAD-USE", "LINALG-MUL-INFER", "LINALG-MUL-SCOPE",
        "LINALG-MUL-SHAPE", "LINALG-MUL-USES", "LINALG-OUTER-LEN", "LINALG-OUTER-TYPES", "LINALG-OUTER-USE",
        "LINALG-SCOPE-TABLE", "LINALG-STORE-LAYOUT", "LINALG-STORE-TARGET", "LINALG-VEC-LEN", "LINALG-VEC-NATIVE",
        "LINALG-VEC-USE",
    }
)  # fmt: skip
"""In whatever form they are broken."""

_AT_RUN_TIME = "at run time|other lanes|(first|last) (wave|pass)"
NOT_SEEN: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": re.compile("^conversion of"),
        "LINALG-LOAD-STRIDE0": re.compile(f"^load.*({_AT_RUN_TIME})|at run time"),
        "LINALG-STRIDE-16": re.compile(_AT_RUN_TIME),
        "LINALG-VEC-ACC-ALIGN": re.compile("^(?!alignment )"),
        "LINALG-VEC-INTERP": re.compile(" declared$"),
    }
)
"""Clauses that are seen except in some forms, by the names of these: a stride that is no literal, an address, a command
of the command list, a vector that is only words where nothing uses it."""


def is_seen(clause: str, form: str) -> bool:
    """Whether a near miss of a clause, in a form, shows in its text."""
    pattern = NOT_SEEN.get(clause)
    return clause in SEEN if pattern is None else pattern.search(form) is None
