"""Forms of the text of 2025-09-19: of the clauses that it alone has, and of shared ones beside those of the later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_linalg.components import Revision
from mmaspec.strategies.grammar import Form, Forms, NearMiss, forms_of
from mmaspec.strategies.hlsl_linalg.near_misses.earlier import declarations, operations, vectors
from mmaspec.strategies.hlsl_linalg.near_misses.earlier.later_alone import LATER_ALONE
from mmaspec.strategies.hlsl_linalg.revisions import EARLIER, LATER

OWN: Mapping[str, NearMiss] = MappingProxyType(
    {
        "LINALG-LAYOUT-FOUR": Forms(vectors.LAYOUT_FOUR),
        "LINALG-DIM-POWER": Forms(declarations.DIM_POWER),
        "LINALG-DIM-PACKED": Forms(declarations.DIM_PACKED),
        "LINALG-GS-ARITH": Forms(vectors.GS_ARITH),
        "LINALG-UNARY-SHAPE": operations.UNARY_SHAPE,
        "LINALG-SUMACC-USES": operations.SUMACC_USES,
        "LINALG-SUMACC-SHAPE": operations.SUMACC_SHAPE,
        "LINALG-FROMVEC-DIM": operations.FROMVEC_DIM,
        "LINALG-THREADVEC-USE": operations.THREADVEC_USE,
        "LINALG-THREADVEC-LEN": operations.THREADVEC_LEN,
        "LINALG-THREADVEC-TYPE": operations.THREADVEC_TYPE,
    }
)
"""Clause that this text alone has -> how to break it."""

BESIDE: Mapping[str, tuple[Form, ...]] = MappingProxyType(
    {
        "LINALG-COMP-ENUM": declarations.COMP_ENUM,
        "LINALG-SCOPE-TABLE": declarations.SCOPE_TABLE,
        "LINALG-DIM-THREAD-WAVE": declarations.DIM_THREAD_WAVE,
        "LINALG-CONSTRUCT": declarations.CONSTRUCT,
        "LINALG-LOAD-SRC": vectors.LOAD_SRC,
        "LINALG-VEC-INTERP": vectors.VEC_INTERP,
        "LINALG-VEC-CAPS": vectors.VEC_CAPS,
        "LINALG-VEC-LEN": vectors.VEC_LEN,
        "LINALG-VEC-USE": vectors.VEC_USE,
        "LINALG-VEC-NATIVE": vectors.VEC_NATIVE,
    }
)
"""Clause of both texts -> the forms of this one alone."""


def revised(clause: str, near_miss: NearMiss) -> Forms:
    """The forms of a clause, each possible under the texts that it is a breach of that clause alone in.

    Those of this text come last: the others keep their numbers, by which a list spreads them over the rows.
    """
    alone = LATER_ALONE.get(clause, ())
    forms = (_under(LATER, form) if form.name in alone else form for form in forms_of(near_miss))
    return Forms((*forms, *(_under(EARLIER, form) for form in BESIDE.get(clause, ()))))


def _under(revision: Revision, form: Form) -> Form:
    before: Callable[[Row[Any], Any], bool] | None = form.possible

    def possible(row: Row[Any], caps: Any) -> bool:
        return caps.revision == revision and (before is None or before(row, caps))

    return replace(form, possible=possible)
