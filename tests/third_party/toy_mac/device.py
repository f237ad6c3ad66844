"""The reference device: the same specification carried out a second time, knowing nothing of the oracle."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import Device, Submitted, Supports
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.backends.protocol import Images
from toy_mac.program import SIZE, Load, Mac, Store, ToyCaps, ToyProgram


class ToyDevice:
    """Holds the matrices as bits, ``(batch, 8, 8)``."""

    def __init__(self, unit: ArithmeticUnit) -> None:
        self.unit = unit
        self.unchecked = frozenset[str]()
        self.caps = ToyCaps()

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        odd = any(step.offset & 3 for step in submitted.program.body if not isinstance(step, Mac))
        return ("TOY-ALIGN",) if odd and "TOY-ALIGN" not in self.unchecked else ()

    def run(self, program: ToyProgram, inputs: Images) -> Images:
        images = {name: image.copy() for name, image in inputs.items()}
        bases = {buffer.name: buffer.base for buffer in program.buffers}
        held: dict[str, Bits] = {}
        for step in program.body:
            if isinstance(step, Mac):
                held["c"] = self.mac(program.kind, held["a"], held["b"], held["c"])
                continue
            width = 4 if step.matrix == "c" else 1
            start = bases[step.buffer] + step.offset
            view = images[step.buffer][:, start : start + SIZE * SIZE * width]
            if isinstance(step, Load):
                held[step.matrix] = self.load(view.copy().view(f"<u{width}").reshape(-1, SIZE, SIZE).astype("u8"))
            elif isinstance(step, Store):
                view[:] = held[step.matrix].astype(f"<u{width}").reshape(len(view), -1).view("u1")
                self.stored(images[step.buffer], start + SIZE * SIZE * width)
        return images

    def mac(self, kind: str, a: Bits, b: Bits, c: Bits) -> Bits:
        return self.unit.multiply_add(kind, a, kind, b, "s32", c)

    def load(self, matrix: Bits) -> Bits:
        return matrix

    def stored(self, image: NDArray[np.uint8], end: int) -> None:
        """After a store whose last byte is the one before ``end``."""


def offered(caps: ToyCaps, supports: Supports) -> ToyCaps | None:
    kinds = tuple(kind for kind in caps.kinds if supports(kind, kind, "s32"))
    return replace(caps, kinds=kinds) if kinds else None


DEVICE = Device(make=ToyDevice, offered=offered)
