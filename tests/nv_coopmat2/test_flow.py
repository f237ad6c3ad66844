"""Barriers, uniform branches and loops that are never passed, in programs written by hand."""

from __future__ import annotations

from dataclasses import replace as with_values

import numpy as np
import pytest
from msgspec.structs import replace

from mmaspec.backends.numpy.backend import NumpyBackend
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.nv_coopmat2.execution import Running
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.protocol import Images, Refused
from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect, resolve
from mmaspec.oracle.expectation import Defined
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.programs.base import Affine, Buffer, RunTime, Word
from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS
from mmaspec.programs.nv_coopmat2.program import (
    COLUMN_MAJOR,
    Barrier,
    Branch,
    CoopMatProgram,
    Echo,
    Instruction,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Negate,
    Repeat,
    SetDimension,
    Simple,
    Store,
)
from mmaspec.programs.profile import PRACTICE
from mmaspec.strategies.array import tuples
from mmaspec.strategies.enumerate import DEFAULT_SEED, Lister, arrays_of, grammar_of
from mmaspec.suites.judging.invalid import outline
from mmaspec.suites.judging.judge_case import CaseJudge

C, D = Matrix("C", "f32", 16, 16, 2), Matrix("D", "f32", 16, 16, 2)
GIVEN = Load("C", "in", 0, 16, data="V")
LAST = Store("C", "out", 0, 16)
AGAIN = Load("D", "out", 0, 16, COLUMN_MAJOR)
SHOWN = Store("D", "out", 256, 16)
WORD = RunTime("args", 4)
BITS = (np.arange(256, dtype=np.uint64) + np.uint64(0x3F80_0000)).reshape(1, 1, 1, 16, 16)
BYTES = np.uint64(1) << np.arange(0, 32, 8, dtype=np.uint64)
SIGN = np.uint64(1 << 31)


def program(*body: Instruction, **fields: object) -> CoopMatProgram:
    buffers = (Buffer("in", 4096), Buffer("out", 4096), Buffer("args", 16))
    return CoopMatProgram(buffers, (C, D), body, **fields)  # type: ignore[arg-type]


def case_of(written: CoopMatProgram, word: int = 0) -> Case:
    words = (Word("args", 4, word),)
    names = {source.name: source.shape for source in SPEC.sources(resolve(written, words))}
    values = {name: BITS.reshape(1, *shape) for name, shape in names.items()}
    return Case(SPEC.name, "f16-f32-16x16x16", "by hand", written, DEFAULT_CAPS, 1, values, words)


def left(written: CoopMatProgram, word: int = 0) -> list[np.ndarray[tuple[int, ...], np.dtype[np.uint64]]]:
    """The bits of everything that is stored, one after the other; the reference device leaves the same."""
    case = case_of(written, word)
    found = expect(case)
    assert isinstance(found, Defined)
    device = NumpyBackend(SequentialUnit(), {SPEC.name: CoopMat2Device})
    images = device.run(SPEC.name, written, found.images)
    stored = []
    for region in found.regions:
        bits = region.legal.certain_bits()[0]
        base = next(buffer.base for buffer in written.buffers if buffer.name == region.buffer)
        where = (region.addresses + base)[..., np.newaxis] + np.arange(4)
        device_bits = images[region.buffer][0][where].astype(np.uint64) @ BYTES
        assert (bits[0][region.live] == device_bits[region.live]).all()
        stored.append(bits[0, 0])
    return stored


def test_what_is_stored_is_loaded_after_a_barrier() -> None:
    """KHRCM-ORDER."""
    first, then = left(program(GIVEN, LAST, Barrier(), AGAIN, SHOWN))
    assert (then == first.T).all()
    assert (first == BITS.reshape(16, 16)).all()
    assert SPEC.undefined(program(GIVEN, LAST, AGAIN, SHOWN), DEFAULT_CAPS) == {"KHRCM-ORDER"}


def test_a_barrier_orders_passes() -> None:
    """KHRCM-ORDER: a pass counts as what comes after the one before it."""
    body: tuple[Simple, ...] = (Load("D", "out", Affine(0, 0, 256), 16), Store("D", "out", Affine(256, 0, 256), 16))
    before = (GIVEN, LAST, Barrier())
    assert SPEC.undefined(program(*before, Repeat(2, body)), DEFAULT_CAPS) == {"KHRCM-ORDER"}
    stored = left(program(*before, Repeat(2, (*body, Barrier()))))
    assert len(stored) == 3
    assert all((one == stored[0]).all() for one in stored)


def test_a_barrier_orders_the_waves_of_a_workgroup() -> None:
    """KHRCM-OVERLAP: subgroups of one workgroup, not workgroups."""
    mine, others = Affine(0, 256), Affine(256, -256)
    body = (
        replace(GIVEN, offset=mine), replace(LAST, offset=mine), Barrier(),
        replace(AGAIN, offset=others, layout=0), replace(SHOWN, offset=Affine(512, 256)),
    )  # fmt: skip
    whole = program(*body, waves=2)
    assert not SPEC.undefined(whole, DEFAULT_CAPS)
    assert "KHRCM-OVERLAP" in SPEC.undefined(replace(whole, body=(*body[:2], *body[3:])), DEFAULT_CAPS)
    workgroups = tuple(replace(one, scope="workgroup", rows=32, cols=32) for one in (C, D))
    wide = tuple(replace(one, stride=32) if isinstance(one, Load | Store) else one for one in body)
    apart = replace(whole, matrices=workgroups, body=wide)
    assert "KHRCM-OVERLAP" in SPEC.undefined(apart, DEFAULT_CAPS)


def test_a_decode_function_finds_nothing_new() -> None:
    """KHRCM-ORDER: it has a reference of its own, to which no barrier makes anything visible."""
    tensor = LoadTensor("D", "out", 0, "t", decode=Echo(4, (1, 1), (0, 0), byte=1))
    layouts = (Layout("t", (SetDimension((16, 16)),)),)
    decoded = program(GIVEN, LAST, Barrier(), tensor, SHOWN, layouts=layouts)
    assert SPEC.undefined(decoded, DEFAULT_CAPS) == {"KHRCM-ORDER"}
    plain = program(GIVEN, LAST, Barrier(), replace(tensor, decode=None), SHOWN, layouts=layouts)
    assert not SPEC.undefined(plain, DEFAULT_CAPS)


@pytest.mark.parametrize(("word", "negated"), [(0, False), (1, True), (1 << 31, True)])
def test_a_branch_is_taken_unless_its_condition_is_zero(word: int, negated: bool) -> None:
    body = (Negate("C", "C"),)
    for taken in (WORD, word):
        (found,) = left(program(GIVEN, Branch(taken, body), LAST), word)
        assert (found == BITS.reshape(16, 16) ^ (SIGN if negated else np.uint64(0))).all()


def test_a_loop_may_never_be_passed() -> None:
    (found,) = left(
        program(GIVEN, Repeat(0, (Negate("C", "C"), Load("C", "in", Affine(512, 0, 256), 16, data="W"))), LAST)
    )
    assert (found == BITS.reshape(16, 16)).all()


def test_what_is_never_executed_writes_nothing() -> None:
    """KHRCM-UNWRITTEN."""
    assert SPEC.undefined(program(Branch(0, (GIVEN,)), LAST), DEFAULT_CAPS) == {"KHRCM-UNWRITTEN"}
    assert not SPEC.undefined(program(Branch(1, (GIVEN,)), LAST), DEFAULT_CAPS)


@pytest.mark.parametrize(
    "around", [lambda one: Branch(0, (one,)), lambda one: Repeat(0, (one,))], ids=["branch", "loop"]
)
def test_types_hold_where_nothing_is_executed(around: object) -> None:
    """A compiler sees a product of four accumulators; the numbers of an access that is never made do not matter."""
    assert callable(around)
    product, unaligned = around(MulAdd("C", "C", "C", "C")), around(Store("C", "out", 1, 16))
    refused = program(GIVEN, product, LAST)
    assert SPEC.rejected(refused, DEFAULT_CAPS) == {"KHRCM-CAPS-MATCH"}
    device = NumpyBackend(SequentialUnit(), {SPEC.name: CoopMat2Device})
    with pytest.raises(Refused) as why:
        device.run(SPEC.name, refused, outline(with_values(case_of(program(GIVEN, LAST)), program=refused)))
    assert why.value.clauses == ("KHRCM-CAPS-MATCH",)
    assert not SPEC.rejected(program(GIVEN, unaligned, LAST), DEFAULT_CAPS)
    left(program(GIVEN, unaligned, LAST))


@pytest.mark.parametrize("taken", [-1, 1 << 32, WORD])
def test_a_condition_is_a_word(taken: object) -> None:
    with pytest.raises(BadInput, match=r"instruction 1: a condition .*expected 0 to"):
        SPEC.rejected(program(Branch(taken, ())), DEFAULT_CAPS)  # type: ignore[arg-type]


class Taking(CoopMat2Device):
    """Takes every branch."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        body = tuple(replace(one, taken=1) if isinstance(one, Branch) else one for one in program.body)
        return super().run(replace(program, body=body), inputs)


class OneBit(CoopMat2Device):
    """Looks at the lowest bit of a condition."""

    def run(self, program: CoopMatProgram, inputs: Images) -> Images:
        running = Running(program, inputs, {})
        bits = [running.value(one.taken, 0, 0) & 1 if isinstance(one, Branch) else 0 for one in program.body]
        body = tuple(
            replace(one, taken=bit) if isinstance(one, Branch) else one
            for one, bit in zip(program.body, bits, strict=True)
        )
        return super().run(replace(program, body=body), inputs)


class Eager(CoopMat2Device):
    """Finds in memory what was there before the program."""

    def load(self, running: Running, access: Load, loop: int) -> np.ndarray[tuple[int, ...], np.dtype[np.uint64]]:
        before = {name: image.copy() for name, image in running.given.items()}
        return super().load(Running(running.program, running.given, before, running.matrices), access, loop)


@pytest.mark.parametrize(("array", "device"), [("branches", Taking), ("branches", OneBit), ("handed-over", Eager)])
def test_the_lists_tell(array: str, device: type[CoopMat2Device]) -> None:
    backend = NumpyBackend(SequentialUnit(), {SPEC.name: device})
    lister = Lister(SPEC, grammar_of(SPEC.name), DEFAULT_CAPS, DEFAULT_SEED)
    found = arrays_of(SPEC.name)[array]
    for chosen in list(tuples(found, DEFAULT_CAPS, SPEC.rows(DEFAULT_CAPS), 2))[:3]:
        recipe = lister.met(SPEC.row(DEFAULT_CAPS, chosen["row"]), found, chosen)
        assert recipe is not None
        judge = CaseJudge(backend, backend.describe(), PRACTICE, {recipe.id: ()}, limit=0)
        assert judge.judge_listed(recipe)[0].outcome == "illegal" or chosen.get("way", "plain").endswith("tensor")
