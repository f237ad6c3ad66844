"""Elements of fewer bits than a byte in a store: the bytes that they make up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.deferred import Moved
from mmaspec.oracle.numerics.legal import Legal, Reason, certain_bits
from mmaspec.oracle.parts_of_bytes import packed
from mmaspec.programs.formats import format_named
from mmaspec.programs.register_kernels import Use


def packed_bytes(use: Use, legal: Legal) -> Legal:
    """The bytes along the lines of a factor, the first element of each in its lowest bits: ``(..., rows, bytes)``.

    Lines are rows of A and columns of B. A byte is known if all of its elements are.
    """
    width = legal.fmt.bits
    codes, known = certain_bits(along_lines(use, legal))
    whole = np.asarray(known.reshape(*known.shape[:-1], -1, 8 // width).all(axis=-1))
    found: Legal = Moved(format_named("u8"), packed(codes, width))
    return found.not_judged(~whole, Reason.INEXACT_OPERAND)


def along_lines(use: Use, legal: Legal) -> Legal:
    """A factor with its lines as rows."""
    return legal if use == "a" else legal.transpose()


def first_of_bytes(use: Use, bits: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Of the first bits of all elements those of each byte's first one, in the order of ``packed_bytes``."""
    lines = bits if use == "a" else np.swapaxes(bits, -1, -2)
    return lines[..., :: 8 // width]
