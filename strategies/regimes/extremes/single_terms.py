"""The regime of single terms: sums of one number that is easily lost, misread or made up."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.source import Source
from mmaspec.programs.formats import Format
from mmaspec.strategies.regimes.floats import normal
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.stream import Words

KINDS = (
    *((side, size) for size in ("least", "half", "largest") for side in ("a", "b", "c")),
    ("c", "least-normal"),
    *((side, f"{sign}signalling") for side in ("a", "b", "c") for sign in ("", "negative-")),
    ("zeros", "infinity"),
    ("zeros", "nan"),
)
"""Where the term of an item is, and what it is: a subnormal factor by a number as large as it is small, an addend
alone, NaN of the kind that is seldom met, or zeros of A that meet something which is no number in one column of B."""

ITEMS = len(KINDS)
"""Items in which there are all of them."""


def single_terms(request: Request) -> dict[str, Words]:
    """Sums of one term. Every second left factor holds zeros, so that its product adds nothing to a chain."""
    drawn = normal(request)
    for role in ("a", "b", "c"):
        for number, source in enumerate(request.of(role)):
            if not source.fmt.is_float or not source.fmt.infinities:
                continue
            for item in range(request.batch):
                side, what = KINDS[item % ITEMS] if number % 2 == 0 or role != "a" else ("zeros", "")
                _put(drawn[source.name][item], source, (side, what), item)
    return drawn


def _put(words: Words, source: Source, kind: tuple[str, str], item: int) -> None:
    """Change the matrices of one item, ``(waves, passes, rows, cols)``; in every wave alike."""
    fmt, (side, what) = source.fmt, kind
    rows, cols = words.shape[-2:]
    i, j = np.arange(rows)[:, None], np.arange(cols)[None, :]
    large = np.uint64((fmt.bias - fmt.emin) << fmt.fraction_bits)
    zero = np.uint64(0)
    if source.role == side:
        sign = np.where((i + j) % 2 == 1, np.uint64(fmt.sign_bit), zero)
        term = _bits(fmt, what) | (zero if what.endswith("signalling") else sign)
        here = {"a": j == (i + item) % cols, "b": i == (j + item) % rows}.get(side, np.ones((rows, cols), np.bool_))
        words[...] = np.where(here, term, zero)
    elif source.role == "c":
        words[...] = zero
    elif side in ("a", "b"):
        words[...] = large
    elif source.role == "a":
        words[...] = zero
    elif side == "zeros" and what:
        words[..., item % rows, item * 3 % cols] = _bits(fmt, what)


def _bits(fmt: Format, what: str) -> np.uint64:
    smallest_normal, infinity = 1 << fmt.fraction_bits, fmt.infinity_magnitude
    return np.uint64(
        {
            "least": 1,
            "half": smallest_normal >> 1,
            "largest": smallest_normal - 1,
            "least-normal": smallest_normal,
            "signalling": infinity | smallest_normal >> 2,
            "negative-signalling": fmt.sign_bit | infinity | smallest_normal >> 2,
            "infinity": infinity,
            "nan": infinity | smallest_normal >> 1,
        }[what]
    )
