"""A case as a backend can take it: with the windows of sparse buffers alone, or with whole buffers."""

from __future__ import annotations

from mmaspec.backends.protocol import Description
from mmaspec.oracle.case import Case, check_size
from mmaspec.programs.errors import BadInput
from mmaspec.programs.windows import dense, largest, sparse

NOT_POSSIBLE = "not possible on this backend"
"""How the reason begins why a case was never sent."""


def suited(case: Case, description: Description) -> Case | None:
    """The case itself, or with whole buffers for a backend that takes no windows; None where these are too large.

    What the specification demands of the two is the same, but that all of the whole buffers is compared.
    """
    if not sparse(case.program) or largest(case.program) <= description.sparse:
        return case
    whole = case.with_program(dense(case.program))
    try:
        check_size(whole.program, whole.batch, "")
    except BadInput:
        return None
    return whole


def not_possible(case: Case, description: Description) -> str:
    """Why a case cannot be put to a backend, which `suited` has found."""
    size, most = largest(case.program), description.sparse
    limit = f"sparse ones of at most {most} bytes" if most else "whole ones only"
    return f"{NOT_POSSIBLE}: a buffer of {size} bytes; it takes {limit}"
