"""Where the result of a multiply-add is NaN or infinite because an operand is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.units.encoding import Doubles


def specials(a: Doubles, b: Doubles, c: Doubles) -> Doubles:
    """NaN or Inf where IEEE 754 gives one because an operand is; anything finite elsewhere."""
    total = np.where(np.isfinite(c), 0.0, c)
    # Only signs matter beside an infinity, and small numbers cannot overflow by themselves.
    some = ~(_finite_lines(a, -1) & _finite_lines(b, -2))
    signs_a, signs_b = (np.where(np.isfinite(x), np.sign(x), x) for x in (a[..., some], b[..., some, :]))
    with np.errstate(invalid="ignore"):
        for k in range(signs_a.shape[-1]):
            total += signs_a[..., :, k, np.newaxis] * signs_b[..., np.newaxis, k, :]
    return total


def _finite_lines(values: Doubles, axis: int) -> NDArray[np.bool_]:
    """For each place along an axis, whether all numbers there are finite."""
    lines = np.moveaxis(np.isfinite(values), axis, 0)
    return np.asarray(lines.reshape(len(lines), -1).all(axis=1))
