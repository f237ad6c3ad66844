"""The memory images for a program that is not valid."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Images
from mmaspec.oracle.memory import poison
from mmaspec.programs.windows import piece


def outline(case: Case) -> Images:
    """Allocations filled with poison, the words of run-time arguments in place where they fit."""
    images: Images = {
        buffer.name: np.tile(poison(0, buffer.name, buffer.total), (case.batch, 1)) for buffer in case.program.buffers
    }
    buffers = {buffer.name: buffer for buffer in case.program.buffers}
    for word in case.words:
        where = piece(buffers[word.buffer], word.offset, 4)
        images[word.buffer][:, where] = np.frombuffer(word.value.to_bytes(4, "little"), np.uint8)
    return images
