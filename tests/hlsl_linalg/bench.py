"""A bench for the device: programs over buffers of known bytes, and the bytes that they leave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.units.exact import ExactUnit
from mmaspec.programs.base import GUARD, Buffer
from mmaspec.programs.hlsl_linalg import Instruction, LinalgProgram

BASE = 128
UNTOUCHED = 0xDB
"""The bytes of guard zones and of what a test does not fill."""

Given = Mapping[str, Any]
"""Buffer -> its view's contents, or so many bytes that are not touched."""


def halves(*values: float) -> NDArray[np.float16]:
    """Numbers of 16 bits."""
    return np.array(values, np.float16)


def program(body: tuple[Instruction, ...], given: Given, **fields: Any) -> LinalgProgram:
    """A program over these buffers; addresses of views are multiples of 128."""
    sizes = {name: what if isinstance(what, int) else np.asarray(what).nbytes for name, what in given.items()}
    return LinalgProgram(tuple(Buffer(name, size, BASE) for name, size in sizes.items()), body, **fields)


def run(
    body: tuple[Instruction, ...], given: Given, device: LinalgDevice | None = None, **fields: Any
) -> dict[str, NDArray[np.uint8]]:
    """What is in the views afterwards; the program has to be valid, and guard zones stay as they are."""
    made, device = program(body, given, **fields), device or LinalgDevice(ExactUnit())
    images = {}
    for name, what in given.items():
        content = np.full(what, UNTOUCHED, np.uint8) if isinstance(what, int) else np.asarray(what)
        images[name] = np.full((1, BASE + content.nbytes + GUARD), UNTOUCHED, np.uint8)
        images[name][0, BASE : BASE + content.nbytes] = np.frombuffer(content.tobytes(), np.uint8)
    before = {name: image.copy() for name, image in images.items()}
    assert device.broken(Submitted(made, images)) == ()
    found = device.run(made, images)
    views = {}
    for name, image in found.items():
        assert np.array_equal(images[name], before[name])
        assert (image[0, :BASE] == UNTOUCHED).all()
        assert (image[0, -GUARD:] == UNTOUCHED).all()
        views[name] = image[0, BASE:-GUARD].copy()
    return views


def numbers(view: NDArray[np.uint8], dtype: str, *shape: int, start: int = 0) -> NDArray[Any]:
    """Numbers that lie in a view, tight."""
    count = int(np.prod(shape))
    return np.frombuffer(view.tobytes(), dtype, count, start).reshape(shape)
