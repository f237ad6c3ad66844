"""Known defects under HLSL linear algebra: the clause that each breaks, and defects of memory."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.faults.defects.memory import MemoryDefect, beside
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Running, format_of
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.hlsl_linalg.program import LINEAR, Load, Store
from mmaspec.programs.windows import image_places


class _LinalgMatrices(LinalgDevice):
    """Lines are rows, places are columns. Row-major and column-major: matrices in buffers, of any scope."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def _meant(self, running: Running, access: Load | Store) -> bool:
        if running.program.array(access.memory) is not None or access.layout not in LINEAR:
            return False
        return self._defect.way in ("any", "column" if access.layout == "ColMajor" else "row")

    def load(self, running: Running, load: Load, loop: int) -> Bits:
        bits = super().load(running, load, loop)
        return self._defect.change(bits) if self._defect.verb == "load" and self._meant(running, load) else bits

    def store(self, running: Running, store: Store, loop: int) -> None:
        if not self._meant(running, store):
            super().store(running, store, loop)
            return
        matrix = running.program.matrix(store.matrix)
        size, image, held = format_of(matrix).nbytes, running.memory[store.memory], running.contents(matrix)
        instances = running.acting(matrix.scope)
        places = [
            image_places(
                running.buffer(store.memory), self.positions(running, store, matrix, size, instance, loop)
            ).clip(0, image.shape[1] - size)
            for instance in instances
        ]
        before = image.copy()
        if self._defect.verb == "store":
            running.matrices[matrix.name] = self._defect.change(held)
        elif self._defect.verb == "spill":
            for where in places:
                beside(image, int(where.min()), int(where.max()) + size - 1, self._defect.reach)
        super().store(running, store, loop)
        running.matrices[matrix.name] = held
        if self._defect.verb == "skip":
            for where in places:
                line = where[-1, :, np.newaxis] + np.arange(size)
                image[:, line] = before[:, line]


_PRODUCTS = frozenset({"LINALG-MUL", "LINALG-MAC", "LINALG-VECMUL", "LINALG-VECMULADD"})

DEFECTS = Plan(
    prefix="linalg",
    traits=frozenset({"lines", "unsigned-bytes", "nan", "exact-window"}),
    clauses={
        "sum": "LINALG-FP-SUM",
        "product": "LINALG-MUL",
        "addend": "LINALG-MAC",
        "addend-value": "LINALG-FP-SUM",
        "nan": "LINALG-FP-NAN",
        "int": "LINALG-INT-EXACT",
        "int-addend": "LINALG-MAC",
        "int-range": "LINALG-INT-EXACT",
        "sign": "LINALG-MIXED-SIGNS",
        "load-row": "LINALG-LOAD-ADDR",
        "load-column": "LINALG-LOAD-ADDR",
        "store-column": "LINALG-LOAD-ADDR",
        "skip-column": "LINALG-LOAD-ADDR",
        "spill-any": "LINALG-STORE-ONLY-ELEMS",
        "c-of-16-bits": "LINALG-INT-EXACT",
    },
    memory=_LinalgMatrices,
    also={
        "sum": _PRODUCTS,
        "addend-value": _PRODUCTS,
        "product": _PRODUCTS | {"LINALG-TILING"},
        "addend": _PRODUCTS,
        "int": _PRODUCTS,
        "int-addend": _PRODUCTS,
        "sign": _PRODUCTS | {"LINALG-INT-EXACT"},
        # An infinity that is gone is a wrong sum before it is a missing NaN.
        "infinities-cancel": _PRODUCTS,
        # A bit that is lost on the way is one of the value that is to arrive.
        "columns-load-last-bit-lost": frozenset({"LINALG-LOAD-NOCONV"}),
        "columns-store-last-bit-lost": frozenset({"LINALG-STORE-NOCONV"}),
    },
)
