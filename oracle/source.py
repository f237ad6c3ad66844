"""Sources: the data that a load finds, element by element, and where each element lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mmaspec.programs.formats import Format

OperandRole = Literal["a", "b", "c", "scalar"]
"""What the data will be in the product: left factor, right factor, addend, or a single scalar."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Named data of one load.

    ``shape`` is ``(waves, passes, rows, cols)``; ``waves`` and ``passes`` are 1 where the address does not
    depend on them. ``addresses`` has the shape ``(copies, *shape)``, in bytes of the buffer's view: an
    element is written to every copy. Elements of fewer bits than a byte begin at ``first_bits`` of their
    bytes, an array of the same shape; all bits of such a byte belong to the source. A ``tensor`` source is
    a whole tensor in memory, whose rows are not the rows of a matrix, so that data regimes must not scale
    them one by one.
    """

    name: str
    role: OperandRole
    fmt: Format
    buffer: str
    addresses: NDArray[np.int64]
    tensor: bool = False
    first_bits: NDArray[np.int64] | None = None

    @property
    def bits(self) -> NDArray[np.int64]:
        """The first bit of each element in the view, as ``addresses`` have its byte."""
        return 8 * self.addresses + (0 if self.first_bits is None else self.first_bits)

    @property
    def shape(self) -> tuple[int, ...]:
        """``(waves, passes, rows, cols)``."""
        return self.addresses.shape[1:]
