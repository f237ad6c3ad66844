"""Known defects under GL_NV_cooperative_matrix2: the clause that each breaks, and defects of memory."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.faults.defects.memory import MemoryDefect, beside
from mmaspec.backends.faults.defects.plan import Plan
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits
from mmaspec.programs.nv_coopmat2.program import Load, Store
from mmaspec.programs.windows import image_places


class _CooperativeMatrices(CoopMat2Device):
    """Lines are rows, places are columns. Row-major and column-major: plain accesses."""

    def __init__(self, unit: ArithmeticUnit, defect: MemoryDefect) -> None:
        super().__init__(unit)
        self._defect = defect

    def _changed(self, verb: str, way: str, bits: Bits) -> Bits:
        meant = self._defect.verb == verb and self._defect.way in {way, "any"}
        return self._defect.change(bits) if meant else bits

    def load(self, running: Running, access: Load, loop: int) -> Bits:
        way = "column" if self.by_columns(access) else "row"
        return self._changed("load", way, super().load(running, access, loop))

    def store(self, running: Running, access: Store, loop: int) -> None:
        where, width = self.lines(running, access, loop), self.width(running, access)
        way = "column" if self.by_columns(access) else "row"
        image = running.memory[access.buffer]
        places = image_places(running.buffer(access.buffer), where)
        held, before = running.matrices[access.matrix], image.copy()
        running.matrices[access.matrix] = self._changed("store", way, held)
        if self._defect.verb == "spill":
            for wave in places:
                beside(image, int(wave.min()), int(wave.max()) + width - 1, self._defect.reach)
        super().store(running, access, loop)
        running.matrices[access.matrix] = held
        if self._defect.verb == "skip" and self._defect.way in {way, "any"}:
            for wave in places:
                line = wave[-1, :, np.newaxis] + np.arange(width)
                image[:, line] = before[:, line]


DEFECTS = Plan(
    prefix="cm",
    traits=frozenset({"lines", "signed-bytes", "wraps", "direct-c", "exact-window"}),
    clauses={
        "sum": "KHRCM-FP-ORDER",
        "product": "KHRCM-MULADD",
        "addend": "KHRCM-MULADD",
        "addend-value": "KHRCM-MULADD",
        "int": "KHRCM-INT-EXT",
        "int-addend": "KHRCM-MULADD",
        "int-range": "KHRCM-INT-WRAP",
        "sign": "KHRCM-INT-EXT",
        "wrap": "KHRCM-INT-WRAP",
        "load-row": "KHRCM-LOAD-ROW",
        "load-column": "KHRCM-LOAD-COL",
        "store-column": "KHRCM-LOAD-COL",
        "skip-column": "KHRCM-LOAD-COL",
        "spill-any": "NVCM2-STORE-ONLY-ELEMS",
        "halves-added-apart": "KHRCM-MULADD",
        "int-bytes-of-a-reversed": "KHRCM-MULADD",
    },
    memory=_CooperativeMatrices,
    also={
        # An error beyond any rounding is one of the product.
        "sum": frozenset({"KHRCM-MULADD"}),
        "addend-value": frozenset({"KHRCM-FP-ORDER"}),
        "int-bytes-of-a-reversed": frozenset({"KHRCM-INT-EXT"}),
        # Without operands below zero there is none.
        "int-negative-results-zero": frozenset({"KHRCM-INT-EXT"}),
    },
)
