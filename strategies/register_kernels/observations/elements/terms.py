"""Signs of the products of one element, for integer and float forms alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import Flags
from mmaspec.strategies.register_kernels.observations.table import Table


def put_term_signs(table: Table, signs: NDArray[Any], c: NDArray[Any], known: Flags) -> None:
    """``signs`` of the products ``(..., k)`` and of C: -1, 0 or 1 each."""
    positive, negative = (signs > 0).sum(axis=-1), (signs < 0).sum(axis=-1)
    full = positive + negative == signs.shape[-1]
    half = signs.shape[-1] // 2
    low, high = signs[..., :half], signs[..., half:]
    all_positive, all_negative = (positive > 0) & (negative == 0), (negative > 0) & (positive == 0)
    one_sided = ((low == low[..., :1]).all(axis=-1)) & ((high == -low[..., :1]).all(axis=-1))
    classes = {
        "all-positive": all_positive,
        "all-negative": all_negative,
        "mixed": (positive > 0) & (negative > 0),
        "alternating": full & (signs[..., 1:] == -signs[..., :-1]).all(axis=-1),
        "halves": full & one_sided,
        "one-against": (np.minimum(positive, negative) == 1) & (np.maximum(positive, negative) > 1),
        "opposite-to-c": (all_positive & (c < 0)) | (all_negative & (c > 0)),
    }
    table.put("term-signs", {name: here & known for name, here in classes.items()})
