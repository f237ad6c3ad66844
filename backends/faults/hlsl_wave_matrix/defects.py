"""Known defects under HLSL WaveMatrix: the clause that each breaks, and defects of memory."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.faults.defects.memory import MemoryDefect, beside
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.numpy.hlsl_wave_matrix.device import Arguments, Shader, WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import WIDTH
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.hlsl_wave_matrix.program import Load, Matrix, Store
from mmaspec.programs.windows import image_places


class _WaveMatrices(WaveMatrixDevice):
    """Lines are rows, places are columns. Row-major and column-major: matrices in buffers, no fragments."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def _meant(self, one: Arguments) -> bool:
        if self._defect.way == "any":
            return True
        return not one.shared and not one.vector and one.col_major == (self._defect.way == "column")

    def load(self, shader: Shader, load: Load, matrix: Matrix, waves: list[Arguments]) -> Bits:
        bits = super().load(shader, load, matrix, waves)
        return self._defect.change(bits) if self._defect.verb == "load" and self._meant(waves[0]) else bits

    def outgoing(self, shader: Shader, matrix: Matrix, waves: list[Arguments]) -> Bits:
        bits = super().outgoing(shader, matrix, waves)
        return self._defect.change(bits) if self._defect.verb == "store" and self._meant(waves[0]) else bits

    def store(self, shader: Shader, store: Store, matrix: Matrix, loop: int) -> None:
        shared, size = shader.array(store.buffer) is not None, WIDTH[matrix.element]
        image = shader.shared[store.buffer] if shared else shader.memory[store.buffer]
        _, _, rows, cols = shader.shape(matrix)
        arguments = self.arguments(shader, store, loop)
        waves = [self.positions(rows, cols, size, one) for one in arguments]
        if not shared:
            waves = [image_places(shader.buffer(store.buffer), where) for where in waves]
        before = image.copy()
        if self._defect.verb == "spill":
            for where in waves:
                beside(image, int(where.min()), int(where.max()) + size - 1, self._defect.reach)
        super().store(shader, store, matrix, loop)
        if self._defect.verb == "skip":
            for where, one in zip(waves, arguments, strict=True):
                if not self._meant(one):
                    continue
                line = (where[-1, :] if rows > 1 else where[:, -1])[:, np.newaxis] + np.arange(size)
                image[:, line] = before[:, line]


DEFECTS = Plan(
    prefix="wm",
    traits=frozenset({"lines", "unsigned-bytes", "nan", "f32-factors", "exact-window"}),
    clauses={
        "sum": "WM-FP-SUM",
        "product": "WM-MUL",
        "addend": "WM-MAC",
        "addend-value": "WM-FP-SUM",
        "nan": "WM-FP-NAN",
        "int": "WM-INT-EXACT",
        "int-addend": "WM-MAC",
        "int-range": "WM-INT-EXACT",
        "sign": "WM-MUL-MIXSIGN",
        "load-row": "WM-ADDR-ROW",
        "load-column": "WM-ADDR-COL",
        "store-column": "WM-ADDR-COL",
        "skip-column": "WM-ADDR-COL",
        "spill-any": "WM-STORE-ONLY-ELEMS",
        "c-of-16-bits": "WM-INT-EXACT",
        "int-last-product-missing": "WM-DEPTH-ELEMS",
        "int-second-half-missing": "WM-DEPTH-ELEMS",
        "int-first-half-again": "WM-DEPTH-ELEMS",
        "int-bytes-of-a-reversed": "WM-MUL",
    },
    memory=_WaveMatrices,
    also={
        # Sums with infinities of one sign come out finite as well, which is beyond any rounding.
        "infinities-cancel": frozenset({"WM-FP-SUM", "WM-MUL", "WM-MAC"}),
        # An error beyond any rounding is one of the product.
        "sum": frozenset({"WM-MUL", "WM-MAC"}),
        "addend-value": frozenset({"WM-MAC"}),
        "product": frozenset({"WM-MAC", "WM-TILING", "WM-DEPTH-ELEMS"}),
        "int-bytes-of-a-reversed": frozenset({"WM-MAC", "WM-INT-EXACT"}),
        "halves-added-apart": frozenset({"WM-MAC"}),
        "int-last-product-missing": frozenset({"WM-MUL", "WM-MAC"}),
        "int-second-half-missing": frozenset({"WM-MUL", "WM-MAC"}),
        "int-first-half-again": frozenset({"WM-MUL", "WM-MAC"}),
    },
    left_out=frozenset({"carry-lost-at-bit-12", "fraction-bit-3-stuck"}),
)
