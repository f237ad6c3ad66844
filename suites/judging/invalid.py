"""The memory images for a program that is not valid."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Images
from mmaspec.oracle.memory import poison


def outline(case: Case) -> Images:
    """Allocations filled with poison, the words of run-time arguments in place where they fit."""
    images: Images = {
        buffer.name: np.tile(poison(0, buffer.name, buffer.total), (case.batch, 1)) for buffer in case.program.buffers
    }
    starts = {buffer.name: buffer.base for buffer in case.program.buffers}
    for word in case.words:
        start = starts[word.buffer] + word.offset
        images[word.buffer][:, start : start + 4] = np.frombuffer(word.value.to_bytes(4, "little"), np.uint8)
    return images
