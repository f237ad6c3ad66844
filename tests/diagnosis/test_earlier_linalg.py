"""What is blamed under the text of 2025-09-19, for defects that no catalogue has."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.numpy.hlsl_linalg.access import Access
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice
from mmaspec.backends.numpy.hlsl_linalg.running import Mask, Positions, Running
from mmaspec.programs.hlsl_linalg import SOURCE_CAPS
from mmaspec.programs.hlsl_linalg.program import Load, Scope, Store
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.score.classes.proofs import smoke

from .blamed import finding, of_device, shortest

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")

SPEC = "hlsl-linalg"


def findings(device: type[LinalgDevice], template: str, most: int = 3) -> list[Finding]:
    """The first so many of the smoke list, in the shortest cases of one template under this text."""
    backend: Any = of_device(SPEC, device)
    backend.report(SPEC, SOURCE_CAPS)
    some = [one for one in smoke(SPEC) if one.template == template and one.caps == SOURCE_CAPS and not one.target]
    return list(islice((one for recipe in shortest(some) if (one := finding(backend, recipe)) is not None), most))


class KeepsWholeLines(LinalgDevice):
    """Stores and sums across the end of a buffer leave every line of which no element lies outside."""

    def storable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        return self._lines_inside(running, name, positions, size)

    def summable(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        return self._lines_inside(running, name, positions, size)

    def _lines_inside(self, running: Running, name: str, positions: Positions, size: int) -> Mask:
        each = self.inside(running, name, positions, size)
        return np.broadcast_to(each.all(axis=-1, keepdims=True), each.shape)


@pytest.mark.parametrize(
    ("template", "clause"),
    [("store-outside", "LINALG-STORE-OOB-NOOP"), ("sum-outside", "LINALG-ACC-OOB-NOOP")],
)
def test_what_was_not_to_be_stored_at_all_is_no_neighbour_of_what_is(template: str, clause: str) -> None:
    found = findings(KeepsWholeLines, template)
    assert found
    assert {(one.symptom, one.blamed[0]) for one in found} == {("touched", clause)}
    assert all("goes away with" in one.says for one in found)


class WritesOneMore(LinalgDevice):
    """A Store to a buffer leaves its last element once more behind itself, whatever lies outside."""

    def store(self, running: Running, store: Store, loop: int) -> None:
        super().store(running, store, loop)
        matrix = running.program.matrix(store.matrix)
        if running.program.array(store.memory) is None:
            size, acting = self.lying(running, store, matrix).nbytes, running.acting(matrix.scope)
            where, _ = self.touched(running, store, matrix, size, acting, loop, self.storable)
            last = np.zeros(where.shape, np.bool_)
            last[..., -1, -1] = self.inside(running, store.memory, where + size, size)[..., -1, -1]
            self.write(running, store.memory, where + size, size, self.outgoing(running, matrix)[:, acting], last)


@pytest.mark.parametrize("template", ["move", "store-outside"])
def test_a_store_that_writes_beside_its_elements_is_blamed_for_that(template: str) -> None:
    """Nothing lies outside, or what does changes nothing of it."""
    found = [one for one in findings(WritesOneMore, template, 8) if one.symptom == "touched"]
    assert found
    assert {one.blamed[0] for one in found} == {"LINALG-STORE-ONLY-ELEMS"}


class ShortArrayStarts(LinalgDevice):
    """A Load from a groupshared array counts its start in seven bits."""

    def offset(self, running: Running, access: Access, scope: Scope, instance: int, loop: int) -> int:
        found = super().offset(running, access, scope, instance, loop)
        shared = running.program.array(access.memory) is not None
        return found & 0x7F if shared and isinstance(access, Load) else found


def test_the_place_of_a_wave_is_wrong_with_that_wave_alone() -> None:
    """The first wave's start is 0, so that with one wave all is well, as if waves had each other's matrices."""
    found = findings(ShortArrayStarts, "array-loop")
    assert found
    assert {one.blamed[0] for one in found} == {"LINALG-GS-PLACES"}
    assert not any("one wave" in one.only for one in found)


class IndexCountsHalves(LinalgDevice):
    """The index of GetThreadVector counts half a wave."""

    def line_of(self, running: Running, index: int, place: int) -> int:
        return index * running.program.wave_size // 2 + place


class LastLineBeyond(LinalgDevice):
    """Threads beyond the last column or row get that one once more."""

    def get_thread_vector(self, running: Running, one: Any) -> Any:
        matrix, vector = running.program.matrix(one.matrix), running.program.vector(one.vector)
        found = super().get_thread_vector(running, one)
        for instance in running.acting(matrix.scope):
            lines = self.thread_lines(matrix, running.contents(matrix)[:, instance])
            for place, thread in enumerate(running.threads(matrix.scope, instance)):
                if self.line_of(running, one.index, place) >= lines.shape[1]:
                    found[:, thread] = self.fitted(lines[:, -1], vector.length)
        return found


@pytest.mark.parametrize(
    ("device", "clause"), [(IndexCountsHalves, "LINALG-GETVEC"), (LastLineBeyond, "LINALG-GETVEC-BEYOND")]
)
@pytest.mark.parametrize("template", ["to-vectors", "vectors-loop"])
def test_a_wrong_index_is_told_from_what_threads_beyond_the_matrix_get(
    device: type[LinalgDevice], clause: str, template: str
) -> None:
    found = findings(device, template)
    assert found
    assert {one.blamed[0] for one in found} == {clause}


class SineOfTwice(LinalgDevice):
    """The sine is doubled, at most 2."""

    def applied(self, op: Any, fmt: Any, bits: Any) -> Any:
        found = super().applied(op, fmt, bits)
        if op != "sin" or not fmt.is_float:
            return found
        return self.unit.multiply_add(fmt.name, found[..., None, None], fmt.name, self._two(fmt, found), fmt.name,
                                      np.zeros_like(found)[..., None, None], "wrap")[..., 0, 0]  # fmt: skip

    def _two(self, fmt: Any, like: Any) -> Any:
        return np.full_like(like, np.uint64((fmt.bias + 1) << fmt.fraction_bits))[..., None, None]


def test_a_clause_that_no_case_can_show_comes_last() -> None:
    """Operations of a group synchronise its threads, whatever they compute."""
    found = findings(SineOfTwice, "unary-curves")
    assert found
    assert {one.blamed[0] for one in found} == {"LINALG-UNARY-TRIG"}
