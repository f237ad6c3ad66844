"""Sums of products of floats, exactly, as the sum of a few float64 arrays."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import Doubles


def extracted_terms(products: Doubles) -> Iterator[tuple[NDArray[np.intp], list[Doubles]]]:
    """Sum ``products`` (K, E) over K exactly: pairs of indices into E and the terms of their sums.

    Error-free extraction (Rump, Ogita, Oishi): adding and subtracting a power of two above K times the
    largest product leaves the leading bits of each, on a grid so coarse that their sum is exact; the
    remainders, also exact, go round again until all are zero. Every index comes exactly once.
    """
    depth, count = products.shape
    indices = np.arange(count)
    headroom = (depth + 1).bit_length()
    terms: list[Doubles] = []
    while indices.size:
        largest = np.abs(products).max(axis=0, initial=0.0)
        grid = np.ldexp(1.0, np.frexp(largest)[1] + headroom)
        leading = (products + grid) - grid
        products = products - leading
        terms.append(leading.sum(axis=0))
        alive = products.any(axis=0)
        if alive.all():
            continue
        done = ~alive
        yield indices[done], [term[done] for term in terms]
        indices, products, terms = indices[alive], products[:, alive], [term[alive] for term in terms]
