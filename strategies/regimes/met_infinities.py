"""The data regime in which infinite products meet infinite addends, NaN stands in either, and all else is ordinary."""

from __future__ import annotations

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

ITEMS = 16
"""Items of a batch that has all of it."""
KINDS = ("opposite", "alike", "nan-in-factor", "nan-in-addend")
"""What an item of the batch has, by turns: an infinite product and the infinity of the other sign, or of its own, as
the addend; a NaN in a factor; a NaN in the addend."""


def met_infinities(request: Request) -> dict[str, Words]:
    """One row of each left factor, or one column of each right one, is infinite or NaN in one place.

    The addend of one element that it reaches is what `KINDS` says. Of eight items of the batch the last four have it in
    the right factor, and of sixteen the last eight are negative. It lies in every wave and pass alike.
    """
    drawn = normal(request)
    left, right, addends = request.of("a"), request.of("b"), request.of("c")
    if not (left and right):
        return drawn
    for item in range(request.batch):
        kind = KINDS[item % len(KINDS)]
        for number, addend in enumerate(addends or (None,)):
            a, b = left[number % len(left)], right[number % len(right)]
            if a.fmt.infinities and b.fmt.infinities:
                _meet(drawn, item, kind, a, b, addend)
    return drawn


def _meet(drawn: dict[str, Words], item: int, kind: str, a: Source, b: Source, addend: Source | None) -> None:
    """Change the matrices of one item."""
    rows, depth, cols = a.shape[2], min(a.shape[3], b.shape[2]), b.shape[3]
    row, k, col = (5 * item + 1) % rows, (3 * item + 2) % depth, (7 * item + 3) % cols
    infinite, other = ((a, (row, k)), (b, (k, col)))[:: 1 if item // 4 % 2 == 0 else -1]
    negative = item // 8 % 2 == 1
    fmt = infinite[0].fmt
    code = fmt.nan_bits if kind == "nan-in-factor" else fmt.infinity_magnitude
    drawn[infinite[0].name][(item, ..., *infinite[1])] = code | (fmt.sign_bit if negative else 0)
    fmt = other[0].fmt
    drawn[other[0].name][(item, ..., *other[1])] = fmt.bias << fmt.fraction_bits  # one: neither zero nor subnormal
    if addend is None or kind == "nan-in-factor":
        return
    fmt = addend.fmt
    place = (item, ..., row % addend.shape[2], col % addend.shape[3])
    if kind == "nan-in-addend":
        drawn[addend.name][place] = fmt.nan_bits
    elif fmt.infinities:
        drawn[addend.name][place] = fmt.infinity_magnitude | (fmt.sign_bit if negative != (kind == "opposite") else 0)
