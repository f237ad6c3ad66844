"""The smallest program that a backend can be asked to run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mmaspec.backends.protocol import Images
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.base import Buffer

SPEC = "amd-rdna3-wmma"
PROGRAM = WmmaProgram(wave_size=32, buffers=(Buffer("first", 40), Buffer("second", 200_000, 32)), fragments=(), body=())
BATCH = 3


def images(program: WmmaProgram = PROGRAM, batch: int = BATCH) -> Images:
    """Random images for a program, read-only; those for ``PROGRAM`` are larger than a pipe's own buffer."""
    rng = np.random.default_rng(31)
    given = {buffer.name: rng.integers(0, 256, (batch, buffer.total), np.uint8) for buffer in program.buffers}
    for image in given.values():
        image.flags.writeable = False
    return given


def misbehaving(name: str) -> str:
    """The backend text of a class in ``misbehaving.py``."""
    return f"{Path(__file__).with_name('misbehaving.py')}:{name}"
