"""A store that loses a row is told from the instruction whose state it stores, however few states there are."""

from __future__ import annotations

from typing import Any

import pytest

from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.backends.numpy.hlsl_wave_matrix.execution import WIDTH
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Place
from mmaspec.programs.tree import at, walk
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.recall import place_of
from mmaspec.suites.verdict.attributes import noun
from tests.case_lists import case_list

from .blamed import finding, listed, of_device

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


class WaveMatrixLosesRow(WaveMatrixDevice):
    """The last row of what is stored is not written."""

    def store(self, shader: Any, store: Any, matrix: Any, loop: int) -> None:
        _, _, rows, cols = shader.shape(matrix)
        size = WIDTH[matrix.element]
        waves = self.arguments(shader, store, loop)
        bits = self.outgoing(shader, matrix, waves)
        for wave, arguments in enumerate(waves):
            place = self.positions(rows, cols, size, arguments)
            shader.write(store.buffer, place[:-1], size, bits[:, wave, :-1])


class CoopMat2LosesRow(CoopMat2Device):
    """The same of plain stores."""

    def store(self, running: Any, access: Any, loop: int) -> None:
        where, bits = self.lines(running, access, loop), running.matrices[access.matrix]
        self.put(running, access.buffer, where[..., :-1, :], bits[..., :-1, :], self.width(running, access))


@pytest.mark.parametrize(
    ("spec", "device", "template"),
    [("hlsl-wave-matrix", WaveMatrixLosesRow, "move"), ("nv-coopmat2", CoopMat2LosesRow, "load-row-major")],
    ids=["hlsl-wave-matrix", "nv-coopmat2"],
)
def test_the_store_is_named(spec: str, device: type[Any], template: str) -> None:
    backend = of_device(spec, device)
    named = []
    for recipe in listed(backend, spec, template):
        found = finding(backend, recipe)
        if found is not None and found.symptom == "value":
            named.append(noun(at(recipe.program, place_of(found.place) or Place(()))))
    # Where a constant is stored already, it may be that as well.
    assert set(named) <= {"store", "splat"}
    assert named.count("store") > named.count("splat")


@pytest.mark.parametrize("spec", ["hlsl-wave-matrix", "nv-coopmat2"])
def test_a_constant_takes_the_place_of_whatever_writes_a_matrix(spec: str) -> None:
    known = spec_named(spec)
    assert known.filled is not None
    for recipe in [one for one in case_list(spec, known.default_caps, "quick") if not one.target][::7]:
        case = materialise(recipe)
        program = resolve(case.program, case.words)
        for place, one, _ in walk(program):
            changed = known.filled(program, place)
            if changed is not None:
                assert noun(one) not in ("fill", "splat", "store")
                assert noun(at(changed, place)) in ("fill", "splat")
                assert not known.rejected(changed, known.default_caps)
            else:
                assert noun(one) not in ("load", "mul-add", "multiply")
