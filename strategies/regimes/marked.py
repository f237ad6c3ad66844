"""The regime for special values and where they stand: one kind and one spread an item, ordinary numbers beside.

What is special must reach all that it meets and nothing else; a kind of NaN, or the least subnormal, must not be lost
on the way through another type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Flags, Ints, Words

TILE = 16

FLOAT_KINDS: Mapping[str, Callable[[Format], int]] = MappingProxyType(
    {
        "signalling": lambda fmt: fmt.infinity_magnitude | 1 << fmt.fraction_bits - 2,
        "low-payload": lambda fmt: fmt.infinity_magnitude | 1,
        "all-bits": lambda fmt: fmt.mask,
        "largest": lambda fmt: fmt.largest_magnitude,
        "quiet-payload": lambda fmt: fmt.infinity_magnitude | 1 << fmt.fraction_bits - 1 | 5,
        "least-subnormal": lambda _: 1,
        "negative-nan": lambda fmt: fmt.sign_bit | fmt.infinity_magnitude | 1 << fmt.fraction_bits - 1,
        "largest-subnormal": lambda fmt: (1 << fmt.fraction_bits) - 1,
        "infinity": lambda fmt: fmt.infinity_magnitude,
        "negative-zero": lambda fmt: fmt.sign_bit,
        "quiet": lambda fmt: fmt.infinity_magnitude | 1 << fmt.fraction_bits - 1,
        "full-significand": lambda fmt: (fmt.bias + 1 << fmt.fraction_bits) - 1,
        "negative-largest": lambda fmt: fmt.sign_bit | fmt.largest_magnitude,
    }
)
"""Kind -> its bits."""
FINITE = ("largest", "least-subnormal", "largest-subnormal", "negative-zero", "full-significand", "negative-largest")
"""Kinds of formats without infinities."""

INT_KINDS: Mapping[str, Callable[[Format], int]] = MappingProxyType(
    {
        "least": lambda fmt: fmt.min_value,
        "largest": lambda fmt: fmt.max_value,
        "all-bits": lambda fmt: -1 if fmt.signed else fmt.max_value,
        "zero": lambda _: 0,
        "one": lambda _: 1,
        "high": lambda fmt: fmt.min_value + 3 if fmt.signed else fmt.max_value - 3,
        "float-nan": lambda fmt: 0x7F800001 if fmt.bits == 32 else 0x7F,
        "float-subnormal": lambda fmt: 0x00012345 if fmt.bits == 32 else 0x45,
        "beyond-24-bits": lambda fmt: (1 << 24) + 1 if fmt.bits == 32 else 99,
        "float-one": lambda fmt: 0x3F800000 if fmt.bits == 32 else 0x3F,
        "nan-bytes": lambda fmt: 0x7FA00000 if fmt.bits == 32 else 0x64,
    }
)
"""Kind -> its value."""


def _one(row: Ints, col: Ints, rows: int, cols: int, turn: int) -> Flags:
    found: Flags = (row == turn * 7 % rows) & (col == turn * 5 % cols)
    return found


SPREADS: tuple[Callable[[Ints, Ints, int, int, int], Flags], ...] = (
    _one,
    lambda row, col, rows, _, turn: (row == turn * 7 % rows) & (col >= 0),
    lambda row, col, _, cols, turn: (row >= 0) & (col == turn * 5 % cols),
    lambda row, col, rows, _, turn: (row // TILE == turn % max(rows // TILE, 1)) & (col // TILE == 0),
    lambda *place: ~_one(*place),
    lambda row, col, *_: (row >= 0) & (col >= 0),
    lambda row, col, rows, cols, _: (row == rows - 1) & (col == cols - 1),
)
"""(rows, columns, how many of each, turn) -> where the special value stands."""


def marked(request: Request) -> dict[str, Words]:
    """Kinds and spreads in turn from item to item; of three sources in a row one is marked, in some items all are."""
    start = int(request.stream("start").below(1 << 16, (1,))[0])
    drawn = {}
    for source in request.sources:
        number = int(request.stream(source.name).below(1 << 16, (1,))[0])
        rows, cols = source.shape[2:]
        row, col = np.arange(rows)[:, np.newaxis], np.arange(cols)[np.newaxis, :]
        fmt = source.fmt
        plain = (row * 5 + col * 3 + number) % 4 + 1
        ordinary = scaled(fmt, plain, 0) if fmt.is_float else two_complement(fmt, plain)
        items = []
        for item in range(request.batch):
            turn = start + item
            chosen = turn % 4 == 3 or turn % 4 == number % 3 or source.role == "scalar"
            if not chosen:
                items.append(ordinary)
                continue
            where = SPREADS[turn % len(SPREADS)](row, col, rows, cols, turn)
            special = np.uint64(_special(fmt, turn + (number if turn % 4 == 3 else 0)))
            items.append(np.where(where, special, ordinary))
        values = np.stack(items).reshape(request.batch, 1, 1, rows, cols)
        drawn[source.name] = np.broadcast_to(values, request.shape(source))
    return drawn


def _special(fmt: Format, turn: int) -> int:
    """The bits of the kind whose turn it is."""
    if not fmt.is_float:
        return [*INT_KINDS.values()][turn % len(INT_KINDS)](fmt) & fmt.mask
    whole = fmt.infinities and fmt.nans == "ieee"
    kinds = [kind for name, kind in FLOAT_KINDS.items() if whole or name in FINITE]
    return kinds[turn % len(kinds)](fmt)
