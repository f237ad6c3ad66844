"""The last stage of the float contract: elements that float64 cannot place go to the referee, one by one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.definition.dot import LegalElement
from mmaspec.oracle.numerics.definition.referee import Referee, Vector
from mmaspec.oracle.numerics.legal import Legal, Reason, Reasons
from mmaspec.oracle.numerics.ordinals import Bits, Flags, Ordinals


def refer(
    referee: Referee,
    a: Bits,
    b: Bits,
    c: Legal,
    result: tuple[Ordinals, Ordinals, Flags, Reasons],
    undecided: NDArray[np.intp],
) -> None:
    """Let the referee judge the undecided elements, given as (T, i, j) rows, in place."""
    lo, hi, nan, why = result
    rows: dict[tuple[int, int], Vector] = {}
    columns: dict[tuple[int, int], Vector] = {}
    for t, i, j in undecided.tolist():
        row = rows.get((t, i))
        if row is None:
            row = rows[t, i] = referee.row(a[t, i].tolist())
        column = columns.get((t, j))
        if column is None:
            column = columns[t, j] = referee.column(b[t, :, j].tolist())
        at = (t, i, j)
        known = LegalElement(int(c.lo[at]), int(c.hi[at]), bool(c.nan[at]), Reason(int(c.why[at])))
        element = referee.element(row, column, known)
        lo[at], hi[at], nan[at], why[at] = element.lo, element.hi, element.nan, element.why
