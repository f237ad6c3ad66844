"""Where the result of a multiply-add is NaN or infinite because an operand is."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.units.encoding import Doubles


def specials(a: Doubles, b: Doubles, c: Doubles) -> Doubles:
    """NaN or Inf where IEEE 754 gives one because an operand is; anything finite elsewhere."""
    # Only signs matter beside an infinity, and small numbers cannot overflow by themselves.
    signs_a, signs_b = (np.where(np.isfinite(x), np.sign(x), x) for x in (a, b))
    total = np.where(np.isfinite(c), 0.0, c)
    with np.errstate(invalid="ignore"):
        for k in range(a.shape[-1]):
            total += signs_a[..., :, k, np.newaxis] * signs_b[..., np.newaxis, k, :]
    return total
