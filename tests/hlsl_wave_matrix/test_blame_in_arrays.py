"""WM-STORE-TRANSPOSE where matrices come from groupshared arrays and go to them: only the copy out of one shows it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.judge_case import CaseJudge
from mmaspec.suites.score.matrix import listed

SPEC = "hlsl-wave-matrix"


class KeepsOrientation(WaveMatrixDevice):
    """Stores pour out the elements in the order of the Load's lines, to arrays as to buffers."""

    def outgoing(self, shader: Any, matrix: Any, waves: Any) -> Any:
        bits = super().outgoing(shader, matrix, waves).copy()
        for wave, (then, now) in enumerate(zip(shader.loaded.get(matrix.name) or waves, waves, strict=True)):
            if then.col_major != now.col_major:
                batch, rows, cols = bits[:, wave].shape
                lines = np.swapaxes(bits[:, wave], 1, 2) if then.col_major else bits[:, wave]
                poured = lines.reshape(batch, -1)
                turned = np.swapaxes(poured.reshape(batch, cols, rows), 1, 2)
                bits[:, wave] = turned if now.col_major else poured.reshape(batch, rows, cols)
        return bits


def test_a_store_in_the_orientation_of_the_load_is_seen_through_an_array() -> None:
    backend = NumpyBackend(SequentialUnit(), {SPEC: KeepsOrientation}, name="keeps-orientation", profile=PRACTICE)
    recipes = [one for one in listed(spec_named(SPEC), "smoke") if one.template == "shared-move"][::3]
    judge = CaseJudge(backend, backend.describe(), PRACTICE, {one.id: () for one in recipes}, limit=0)
    findings = [judge.judge_listed(one)[0].finding for one in recipes]
    blamed = Counter(found.blamed[0] for found in findings if found is not None)
    assert blamed.most_common(1)[0][0] == "WM-STORE-TRANSPOSE", blamed
