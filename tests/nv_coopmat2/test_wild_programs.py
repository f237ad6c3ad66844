"""Programs that no template would draw: any layout, view, clip and decode function. Oracle and device agree."""

from __future__ import annotations

from dataclasses import replace as with_values
from math import prod

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.judge import expect_by_reading
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Buffer, Index, Literal
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, FlexibleSize
from mmaspec.programs.nv_coopmat2.program import (
    Component,
    CoopMatProgram,
    Decode,
    Echo,
    Instruction,
    Layout,
    LoadTensor,
    Matrix,
    Nibbles,
    ScaleAndBytes,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    Splat,
    Store,
    StoreTensor,
    View,
    ViewSetter,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.choices import Counted
from mmaspec.suites.judging.ask import ask, hold
from mmaspec.suites.judging.invalid import outline

KINDS: tuple[Component, ...] = ("f16", "bf16", "f32", "s8", "u16", "s32")
CAPS = replace(DEFAULT_CAPS, flexible=tuple(FlexibleSize(1, 1, 1, k, k, k, k, scope="subgroup") for k in KINDS))
"""A device with matrices of any size."""
PROGRAMS = 40
HUGE = 0xFFFF_FFFF


class Wild:
    """Draws the parts of one program."""

    def __init__(self, key: str) -> None:
        self.choices = Counted(key)

    def index(self, low: int, high: int) -> Index:
        value = self.choices.integer(low, high)
        return Affine(value, self.choices.integer(0, 1)) if self.choices.chance(20) else value

    def indices(self, rank: int, low: int, high: int) -> tuple[Index, ...]:
        return tuple(self.index(low, high) for _ in range(rank))

    def layout(self, name: str, *, store: bool) -> Layout:
        chance = self.choices.chance
        rank = self.choices.weighted([(1, 1), (3, 2), (2, 3), (1, 4), (1, 5)])
        calls: list[Setter] = []
        if chance(10 if store else 50):
            calls.append(SetBlockSize(self.indices(rank, 1, 3)))
        sizes = self.indices(rank, 0 if chance(10) else 1, 7)
        calls.append(SetDimension(sizes))
        if chance(35):
            strides = [self.choices.integer(1, 3)]
            for size in reversed(sizes[1:]):
                most = size.base + size.wave if isinstance(size, Affine) else int(size)  # type: ignore[arg-type]
                strides.append(strides[-1] * most + self.choices.integer(0, 3))
            calls.append(SetStride(tuple(reversed(strides))))
        calls += [
            Slice(self.indices(rank, -3, 3), self.indices(rank, 0 if chance(4) else 1, 8))
            for _ in range(self.choices.integer(0, 2))
        ]
        if chance(30):
            calls.insert(self.choices.integer(0, len(calls)), SetClampValue(self.choices.integer(0, HUGE)))
        if chance(10) and not store:
            calls.insert(self.choices.integer(0, len(calls)), SetBlockSize(self.indices(rank, 1, 3)))
        return Layout(name, tuple(calls), rank, self.choices.integer(0, 4))

    def view(self, name: str, rank: int) -> View:
        chance, own = self.choices.chance, self.choices.chance(50)
        if own:
            rank = self.choices.integer(1, 5)
        order = list(range(rank))
        for place in range(rank - 1, 0, -1):
            other = self.choices.integer(0, place)
            order[place], order[other] = order[other], order[place]
        calls: list[ViewSetter] = []
        if own or chance(10):
            calls.append(SetViewDimensions(self.indices(rank, 0 if chance(5) else 1, 6)))
        if chance(30):
            calls.append(SetViewStride((HUGE - 1,) * rank if chance(15) else self.indices(rank, 0, 9)))
        if chance(60):
            spans = (HUGE - 1, HUGE) if chance(15) else self.indices(2, 0, 9)
            calls.append(SetClip(self.index(0, 4), spans[0], self.index(0, 4), spans[1]))
        return View(name, tuple(calls), rank, own, tuple(order))

    def decode(self, rank: int) -> Decode:
        form = self.choices.integer(0, 2)
        if form == 0:
            weights = tuple(self.choices.integer(0, 300) for _ in range(2 * rank))
            return Echo(self.choices.integer(1, 9), weights[:rank], weights[rank:], self.choices.one_of((0, 1, 3)))
        block = tuple(self.choices.integer(2, 4) for _ in range(rank))
        if form == 1:
            return Nibbles(-(-prod(block) // 2) + self.choices.integer(0, 3), block, self.choices.integer(-8, 8))
        return ScaleAndBytes(2 + -(-prod(block) // 2) * 2 + 2 * self.choices.integer(0, 1), block)

    def program(self) -> CoopMatProgram:
        chance = self.choices.chance
        matrix = Matrix(
            "c", self.choices.one_of(KINDS), self.choices.integer(1, 9), self.choices.one_of((1, 2, 4, 8, 16)), 2
        )
        layouts = (self.layout("t", store=False), self.layout("u", store=True))
        views = tuple(self.view(name, layout.rank) for name, layout in zip("vw", layouts, strict=True) if chance(60))
        names = {view.name for view in views}
        decode = self.decode(layouts[0].rank) if chance(40) else None
        body: tuple[Instruction, ...] = (
            Splat("c", Literal(3)),
            LoadTensor("c", "in", 16, "t", data="T", view="v" if "v" in names else None, decode=decode),
            Store("c", "out", Affine(0, 1024), -(-matrix.cols // 16) * 16),
            StoreTensor("c", "far", Affine(0, 8192), "u", view="w" if "w" in names else None),
        )
        kept = body if chance(60) else body[:3]
        buffers = (Buffer("in", 1 << 15), Buffer("out", 1 << 14), Buffer("far", 1 << 18))
        return CoopMatProgram(buffers, (matrix,), kept, layouts, self.choices.integer(1, 2), views)


class OtherReadings(CoopMat2Device):
    """A device that reads the document the other way: NVCM2-AMB-19 and NVCM2-AMB-04."""

    def blocks_along(self, size: int, block: int) -> int:
        return size // block

    def clip_end(self, offset: int, span: int) -> int:
        return offset + span


def backend_of(device: type[CoopMat2Device]) -> NumpyBackend:
    backend = NumpyBackend(SequentialUnit(), {"nv-coopmat2": device})
    backend.report("nv-coopmat2", CAPS)
    return backend


@pytest.mark.parametrize("part", range(4))
def test_oracle_and_device_agree(part: int) -> None:
    device, other = backend_of(CoopMat2Device), backend_of(OtherReadings)
    defined = opened = 0
    for number in range(PROGRAMS):
        program = Wild(f"wild/{part}/{number}").program()
        case = Case("nv-coopmat2", "", "wild", program, CAPS, 2, {})
        if rejected := SPEC.rejected(program, CAPS):
            with pytest.raises(Refused) as refused:
                device.run("nv-coopmat2", program, outline(case))
            assert set(refused.value.clauses) == rejected
            continue
        if SPEC.undefined(program, CAPS):
            continue
        rng = np.random.default_rng(number)
        values = {
            source.name: rng.integers(0, 1 << source.fmt.bits, (2, *source.shape), np.uint64)
            for source in SPEC.sources(program)
        }
        case = with_values(case, values=values)
        by_reading = expect_by_reading(case, PRACTICE)
        assert isinstance(by_reading.first, Defined)
        held = hold(case, by_reading, ask(device, case, by_reading.first))
        assert held.legal, (number, held.judgement.wrong)
        defined += 1
        if len(by_reading.variants) > 1:
            opened += 1
            answers = ask(other, case, by_reading.first)
            accepted = hold(case, by_reading, answers).accepted
            assert any({"floor", "mathematical"} >= {reading for _, reading in found} for found in accepted)
    assert defined >= PROGRAMS // 3
    assert opened >= 1
