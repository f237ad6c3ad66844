"""What is blamed where a setter is called twice, or a branch passed by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Ints, Mask
from mmaspec.backends.numpy.nv_coopmat2.tensors import Along, Region
from mmaspec.backends.numpy.nv_coopmat2.views import Window
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Images
from mmaspec.programs.nv_coopmat2.program import (
    CLAMP_TO_EDGE,
    MIRROR_REPEAT,
    REPEAT,
    Branch,
    CoopMatProgram,
    Load,
    LoadTensor,
    SetBlockSize,
    SetClip,
    SetStride,
    SetViewStride,
    Slice,
    Splat,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.suites.judging.record import Finding
from mmaspec.suites.score.classes.proofs import smoke

from .blamed import finding, shortest

pytestmark = pytest.mark.exhaustive(every=2, alike="blamed")


class ClipAgain(CoopMat2Device):
    """A second clip lies within the first one."""

    def set_clip(self, window: Window, rows: tuple[int, int], cols: tuple[int, int]) -> None:
        if "SetClip" in window.history:
            rows, cols = _within(window.rows, rows), _within(window.cols, cols)
        super().set_clip(window, rows, cols)


def _within(outer: tuple[int, int], inner: tuple[int, int]) -> tuple[int, int]:
    return (outer[0] + inner[0]) % 2**32, min(inner[1], max(outer[1] - inner[0], 0))


class OldViewStride(CoopMat2Device):
    """The first strides of a view stay."""

    def set_view_stride(self, window: Window, steps: list[int]) -> None:
        if "SetViewStride" not in window.history:
            super().set_view_stride(window, steps)


class OldBlocks(CoopMat2Device):
    """The first block sizes of a layout stay."""

    def set_block(self, region: Region, blocks: list[int]) -> None:
        if "SetBlockSize" not in region.history:
            super().set_block(region, blocks)


class OlderContents(CoopMat2Device):
    """Skipped elements take what the matrix held before it was written last, as from a second bank of registers."""

    def step(self, running: Any, instruction: Any, loop: int) -> None:
        name = getattr(instruction, "matrix", None)
        before = running.matrices.get(name)
        super().step(running, instruction, loop)
        if before is not None and isinstance(instruction, Load | LoadTensor | Splat):
            running.__dict__.setdefault("older", {})[name] = before

    def kept(self, running: Any, access: Any, found: Any, skipped: Any) -> Any:
        old = running.__dict__.get("older", {}).get(access.matrix)
        kept = super().kept(running, access, found, skipped)
        return kept if old is None else np.asarray(np.where(skipped, old, found), np.uint64)


class OffsetsByOldStrides(CoopMat2Device):
    """A slice is an address from the moment it is made: strides that are set later do not move it."""

    def set_stride(self, region: Region, steps: list[int]) -> None:
        moved = sum(start * (old - new) for start, old, new in zip(region.starts, region.steps, steps, strict=True))
        super().set_stride(region, steps)
        region.history.append(f"moved by {moved}")

    def set_dimension(self, region: Region, sizes: list[int]) -> None:
        super().set_dimension(region, sizes)
        region.history = [one for one in region.history if not one.startswith("moved")]

    def locate(self, region: Region, number: Ints, *, store: bool) -> tuple[Ints, Mask, Ints, Ints]:
        index, *rest = super().locate(region, number, store=store)
        moved = sum(int(one.split()[-1]) for one in region.history if one.startswith("moved"))
        return index + moved & 0xFFFF_FFFF, rest[0], rest[1], rest[2]


class Untaken(CoopMat2Device):
    """No branch is taken."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        body = tuple(one for one in program.body if not isinstance(one, Branch))
        return super().run(replace(program, body=body), inputs)


def coopmat2_findings(
    device: type[CoopMat2Device], has: Callable[[CoopMatProgram], bool], most: int = 4
) -> list[Finding]:
    """The first so many of the smoke list, in the shortest cases whose program has something."""
    backend = NumpyBackend(SequentialUnit(), {"nv-coopmat2": device}, name=device.__name__, profile=PRACTICE)
    some = shortest(one for one in smoke("nv-coopmat2") if not one.target and has(one.program))  # type: ignore[arg-type]
    return list(islice((found for one in some if (found := finding(backend, one)) is not None), most))


def called_again(kind: type[Any]) -> Callable[[CoopMatProgram], bool]:
    """Whether a layout or view has a setter of this kind twice."""
    return lambda program: any(
        sum(isinstance(call, kind) for call in one.calls) > 1 for one in (*program.layouts, *program.views)
    )


@pytest.mark.exhaustive(every=2)
@pytest.mark.parametrize(
    ("device", "kind", "clause"),
    [
        (ClipAgain, SetClip, "NVCM2-SETCLIP"),
        (OldViewStride, SetViewStride, "NVCM2-SETVIEWSTRIDE"),
        (OldBlocks, SetBlockSize, "NVCM2-SETBLOCK"),
    ],
    ids=["clip", "view-stride", "block-size"],
)
def test_a_setter_that_does_not_replace_what_was_set_before_is_blamed(
    device: type[CoopMat2Device], kind: type[Any], clause: str
) -> None:
    found = coopmat2_findings(device, called_again(kind))
    assert found
    for one in found:
        assert one.blamed[0] == clause
        assert one.instead.endswith("called once, with the last arguments")


def test_where_the_order_of_setters_matters_it_is_said() -> None:
    """Leaving a setter out removes it as well, and would say that its value is not used."""

    def sliced_first(program: CoopMatProgram) -> bool:
        orders = [[type(call) for call in layout.calls] for layout in program.layouts]
        return any(Slice in kinds and SetStride in kinds[kinds.index(Slice) :] for kinds in orders)

    found = coopmat2_findings(OffsetsByOldStrides, sliced_first)
    assert found
    said = [one for one in found if "setTensorLayoutStrideNV called before " in one.instead]
    assert {one.blamed[0] for one in said} == {"NVCM2-SETSTRIDE"}
    assert len(said) >= 0.9 * len(found)


def test_what_skipped_elements_keep_is_not_how_the_clip_is_set(one_in: Callable[[int], int]) -> None:
    """A clip of the whole matrix removes it as well, since nothing is skipped then."""

    def clips_loads(program: CoopMatProgram) -> bool:
        clips = any(isinstance(call, SetClip) for view in program.views for call in view.calls)
        written = Counter(one.matrix for one in program.body if isinstance(one, Load | LoadTensor | Splat))
        return clips and max(written.values(), default=0) > 2  # what it held before, what it keeps, the clipped load

    found = coopmat2_findings(OlderContents, clips_loads, 8 // one_in(2))
    assert len(found) >= 4
    assert sum(one.blamed[0] == "NVCM2-CLIP-SKIP" for one in found) >= 0.7 * len(found)


class BlocksBeforeClamping(CoopMat2Device):
    """The place within a block is that of a coordinate that has not been clamped yet."""

    def split(self, along: Along, clamped: Ints) -> tuple[Ints, Ints]:
        size = max(along.region.blocks[along.axis], 1)
        return clamped // size, (along.coordinate & 0xFFFF_FFFF) % size


def test_where_two_clauses_meet_both_are_suspected(one_in: Callable[[int], int]) -> None:
    """Leaving out either the clamping or the blocks removes it: whichever is tried first, the other is not cleared."""

    def clamps_blocks(program: CoopMatProgram) -> bool:
        return any(
            layout.clamp_mode in (CLAMP_TO_EDGE, REPEAT, MIRROR_REPEAT)
            and any(isinstance(call, SetBlockSize) for call in layout.calls)
            for layout in program.layouts
        )

    found = coopmat2_findings(BlocksBeforeClamping, clamps_blocks, 1000 // one_in(100))
    first = [one for one in found if one.blamed[0] == "NVCM2-BLOCK"]
    assert len(found) > len(first) > 0
    # Of two cases the blocks cannot be left out alone: what is beyond them would be elsewhere.
    assert sum("NVCM2-BLOCK" not in one.blamed for one in found) <= 2
    # What finds a coordinate and its place in a block goes away along with the blocks, and is cleared by nothing.
    assert any("NVCM2-SPANCOORD" in one.blamed[1:] for one in first)


def test_what_a_branch_alone_brings_out_is_said() -> None:
    found = coopmat2_findings(Untaken, lambda program: any(isinstance(one, Branch) for one in program.body))
    assert found
    assert all("the branch written out" in one.only for one in found)


class TakesAll(CoopMat2Device):
    """Every branch is taken."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        body = tuple(replace(one, taken=1) if isinstance(one, Branch) else one for one in program.body)
        return super().run(replace(program, body=body), inputs)


def test_a_device_that_takes_every_branch_is_noticed() -> None:
    def passed_by(program: CoopMatProgram) -> bool:
        return any(isinstance(one, Branch) and one.taken == 0 for one in program.body)

    assert coopmat2_findings(TakesAll, passed_by)
