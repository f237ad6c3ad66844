"""The regime of patterns: matrices of a shape, so that a wrong row, column, word or half of k shows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.source import Source
from mmaspec.strategies.regimes.encoding import scaled, two_complement
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Ints, Words

Mask = NDArray[np.bool_]

KINDS = (
    "single", "identity", "anti-diagonal", "permutation", "rows-equal", "columns-equal", "symmetric", "antisymmetric",
    "triangular", "checkerboard", "half-matrix", "banded", "one-row", "one-column", "all-rows-but-one",
    "all-columns-but-one", "even-rows", "even-columns", "k-half", "one-word", "one-register",
)  # fmt: skip
"""Patterns, of A by the item, of B and C by others."""

MISMATCHES = ("equal", "same-word", "next-word", "plus-eight", "reversed")
"""Where the one row of B is, seen from the one column of A along k, in the last items."""

ITEMS = len(KINDS) + len(MISMATCHES)
"""Items in which all of them are."""

_LARGEST = 100


def patterns(request: Request) -> dict[str, Words]:
    """Small whole numbers in a pattern: A has all of them in turn, B and C have them in other orders."""
    drawn = {}
    for source in request.sources:
        values = np.zeros(request.shape(source), np.int64)
        stream = request.stream(source.name)
        top = min(_LARGEST, (1 << source.fmt.precision) - 1 if source.fmt.is_float else source.fmt.max_value)
        some = stream.between(-top if source.fmt.is_float or source.fmt.signed else 1, top, values.shape)
        some = np.where(some == 0, 1, some)
        for item in range(request.batch):
            values[item] = _shaped(source, item, some[item])
        drawn[source.name] = (
            scaled(source.fmt, values, -3) if source.fmt.is_float else two_complement(source.fmt, values)
        )
    return drawn


def _shaped(source: Source, item: int, some: Ints) -> Ints:
    """The numbers of one item, ``(waves, passes, rows, cols)``, in its pattern."""
    turn = item % ITEMS
    across = source.role == "b"
    rows, cols = some.shape[-2:]
    if turn >= len(KINDS) and source.role in ("a", "b"):
        far, depth = MISMATCHES[turn - len(KINDS)], rows if across else cols
        k = item % max(depth // 2, 1)
        if across:
            there = {"equal": k, "same-word": k ^ 1, "plus-eight": k + 8, "reversed": depth - 1 - k}
            k = there.get(far, k + max(32 // source.fmt.bits, 1)) % depth
        line = np.arange(depth) == k
        kept: Mask = line[:, None] if across else line[None, :]
        return np.where(kept, some, 0)
    step = {"a": 1, "b": 4, "c": 10}.get(source.role, 1)
    return _pattern(KINDS[(item * step + {"b": 7, "c": 3}.get(source.role, 0)) % len(KINDS)], item, some, source)


def _pattern(kind: str, item: int, some: Ints, source: Source) -> Ints:
    rows, cols = some.shape[-2:]
    i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
    units: dict[str, Callable[[], Mask]] = {
        "identity": lambda: i == j,
        "anti-diagonal": lambda: i + j == rows - 1,
        "permutation": lambda: (i * 3 + 5) % rows == j,
    }
    if kind in units:
        return np.where(units[kind](), np.full_like(some, _unit(source)), 0)
    if kind in ("symmetric", "antisymmetric") and rows == cols:
        upper = np.triu(some, 1)
        turned = np.swapaxes(upper, -1, -2)
        if kind == "symmetric":
            return np.where(i == j, some, upper + turned)
        opposite: Ints = upper - turned
        return opposite if source.fmt.is_float or source.fmt.signed else some
    if kind in ("rows-equal", "columns-equal"):
        return np.broadcast_to(some[..., :1, :] if kind == "rows-equal" else some[..., :, :1], some.shape)
    if kind == "checkerboard":
        sign = np.where((i + j) % 2 == 0, 1, -1 if source.fmt.is_float or source.fmt.signed else 0)
        found: Ints = np.abs(some) * sign
        return found
    if kind == "banded":
        high = 64 if source.fmt.is_float else min(64, source.fmt.max_value)
        return np.where(i // max(rows // 4, 1) % 2 == 0, high, 1 + np.abs(some) % 2)
    return np.where(_kept(kind, item, i, j, some.shape[-2:], source), some, 0)


def _kept(kind: str, item: int, i: Ints, j: Ints, size: tuple[int, ...], source: Source) -> Mask:
    """The elements that are not zero."""
    rows, cols = size
    row, col = item % rows, (item * 5 + 2) % cols
    word = max(32 // source.fmt.bits, 1)
    line, k = (j, i) if source.role == "b" else (i, j)
    every = np.ones(size, np.bool_)
    found: dict[str, Callable[[], Mask]] = {
        "single": lambda: (i == row) & (j == col),
        "triangular": lambda: every & (i >= j),
        "half-matrix": lambda: every & (i < rows // 2),
        "one-row": lambda: every & (i != row),
        "one-column": lambda: every & (j != col),
        "all-rows-but-one": lambda: every & (i == row),
        "all-columns-but-one": lambda: every & (j == col),
        "even-rows": lambda: every & (i % 2 == 1),
        "even-columns": lambda: every & (j % 2 == 1),
        "k-half": lambda: every & (k < (cols if source.role != "b" else rows) // 2),
        "one-word": lambda: (line == 3 % (cols if source.role == "b" else rows)) & (k // word == 1),
        "one-register": lambda: every & (k // word == 2),
    }
    return found.get(kind, lambda: every)()


def _unit(source: Source) -> int:
    """What is 1: floats are in eighths."""
    return 8 if source.fmt.is_float else 1
