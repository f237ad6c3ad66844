"""Sums beside a tie of f32 by less than two last places of a double: what is added in doubles may not lose them."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format, format_named
from mmaspec.strategies.regimes.encoding import scaled
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

RIGHT = (14, 2, -12, -14, 2)
"""Exponents of the powers of two that the first rows of the right factor are."""
LEFT = (14, 2, -12, -14, 4)
"""Those of a row of the left one: the products are 2^28, half a unit of its last place in f32, one unit of the last
place that it has in double, a sixteenth of that, and 2^6."""
ROWS = tuple((sign, steps) for steps in (1, 2, 3) for sign in (1, -1))
"""By turns of the rows: on which side of the tie a sum lies, and by how many units of a double, less a sixteenth.

Above 2^28 it lies over a tie whose even side is the lower one, and below 2^28 + 2^6 under one whose even side is the
upper one: a sum taken for the tie is rounded to the other side."""


def beside_ties(request: Request, drawn: dict[str, Words], a: Source, b: Source) -> None:
    """Put such sums into the last item, where factors are wide enough, sums are f32 and K is at least five."""
    if not _wide(a.fmt) or not _wide(b.fmt) or request.accumulator is not format_named("f32"):
        return
    depth = a.shape[3]
    if depth < len(LEFT):
        return
    first = int(request.stream("beside").below(depth, (1,))[0])
    left = np.zeros((a.shape[2], depth), np.int64)
    exponents = np.zeros(depth, np.int64)
    right = np.zeros(depth, np.int64)
    weights = np.zeros(depth, np.int64)
    for number, (in_left, in_right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        k = (first + number) % depth
        exponents[k], weights[k], right[k] = in_left, in_right, 1
        for row in range(a.shape[2]):
            sign, steps = ROWS[row % len(ROWS)]
            left[row, k] = (1, sign, sign * steps, -sign, int(sign < 0))[number]
    drawn[a.name][-1] = scaled(a.fmt, left, exponents)
    drawn[b.name][-1] = scaled(b.fmt, np.broadcast_to(right[:, np.newaxis], b.shape[2:]), weights[:, np.newaxis])
    for source in request.of("c"):
        drawn[source.name][-1] = 0


def _wide(fmt: Format) -> bool:
    """Whether a format has the powers, and three times one of them."""
    return fmt.is_float and fmt.emax >= max(LEFT) and fmt.emin <= min(LEFT) and fmt.precision > 1
