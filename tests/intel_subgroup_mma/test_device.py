"""The reference device meets the oracle: every function, on random bytes; and it refuses what the rules refuse."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.intel_subgroup_mma import DEVICE
from mmaspec.backends.numpy.intel_subgroup_mma.device import MadDevice, MadState
from mmaspec.backends.numpy.register_kernels import Registers
from mmaspec.backends.numpy.units.catalogue import ExactUnit, SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.semantics import execute
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.oracle.memory import Memory
from mmaspec.oracle.numerics.legal import illegal
from mmaspec.oracle.readings import Readings
from mmaspec.programs.base import Affine, Buffer
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fill, Load, Mad, MadProgram, Repeat, Store
from mmaspec.programs.profile import PRACTICE

from .programs import caps_of, fragments, function, named, product
from .test_rules import REFUSED

ALL = pytest.mark.parametrize("signature", signatures(), ids=named)
UNITS = (ExactUnit, SequentialUnit)
BATCH = 3
U8 = format_named("u8")
Given = dict[str, NDArray[np.uint8]]


def given(signature: Signature, program: MadProgram, *, tame: bool) -> Given:
    """The views of all buffers but ``out``: any bytes, or small numbers of the matrix that lies there."""
    draw = np.random.default_rng(sum(map(ord, named(signature))))
    form, found = FORMS[signature.form], {}
    for buffer in program.buffers:
        element = {"in_a": form.a, "in_b": form.b, "in_acc": form.acc}.get(buffer.name, "")
        if element in ("f16", "bf16", "f32") and tame:
            values = draw.integers(-6, 7, (BATCH, buffer.size)).astype(np.float32)
            kind = {"f16": np.float16, "f32": np.float32}.get(element)
            if kind is None:  # small integers lose nothing where the low half of a float is cut off
                halves = (values.view(np.uint32) >> np.uint32(16)).astype(np.uint16)
                found[buffer.name] = halves.view(np.uint8)[:, : buffer.size]
            else:
                found[buffer.name] = values.astype(kind).view(np.uint8)[:, : buffer.size]
        else:
            found[buffer.name] = draw.integers(0, 256, (BATCH, buffer.size), np.uint8)
    return found


def compared(program: MadProgram, held: Given, unit: type[ArithmeticUnit], device: type[MadDevice] = MadDevice) -> int:
    """Elements in which the device leaves the legal sets of what it stores."""
    memory = Memory(program.buffers, BATCH)
    for name, view in held.items():
        if name != "out":
            memory.place(name, np.arange(view.shape[1]), view.astype(np.uint64), U8)
    execute(program, memory, PRACTICE, Readings({}))
    images = {
        buffer.name: np.pad(held[buffer.name], ((0, 0), (buffer.base, buffer.total - buffer.base - buffer.size)))
        for buffer in program.buffers
    }
    left = device(unit()).run(program, images)
    wrong = 0
    for region in memory.regions():
        base = next(buffer.base for buffer in program.buffers if buffer.name == region.buffer)
        width = np.arange(region.legal.fmt.nbytes)
        stored = left[region.buffer][:, base + region.addresses[..., None] + width].astype(np.uint64)
        got = (stored << (8 * width).astype(np.uint64)).sum(axis=-1, dtype=np.uint64)
        wrong += int((illegal(region.legal, got) & region.live).sum())
    return wrong


@ALL
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("tame", [False, True], ids=["any-bytes", "small-numbers"])
def test_every_function_computes_what_the_oracle_says(
    signature: Signature, unit: type[ArithmeticUnit], *, tame: bool
) -> None:
    program = product(signature)
    held = given(signature, program, tame=tame)
    assert compared(program, held, unit) == 0
    assert DEVICE.make(unit()).broken(Submitted(program, {})) == ()


class Unsigned(MadDevice):
    """A is unsigned, whatever the name says."""

    def factors(self, step: Mad) -> tuple[str, str]:
        return "u8", super().factors(step)[1]


class Without(MadDevice):
    """The accumulator is zero."""

    def addend(self, state: MadState, step: Mad) -> Registers:
        return np.zeros_like(super().addend(state, step))


@pytest.mark.parametrize("device", [Unsigned, Without])
def test_a_device_that_is_wrong_is_seen(device: type[MadDevice]) -> None:
    signature = function(8, "i8_u8_i32", 4)
    program = product(signature)
    assert compared(program, given(signature, program, tame=False), ExactUnit, device) > 0


@pytest.mark.parametrize("size", [8, 16])
@pytest.mark.parametrize("form", ["u4_i4_i32", "f16_f16_f32"])
def test_loops_sub_groups_fills_and_zeros(size: int, form: str) -> None:
    """A product over k in place by three sub-groups, then its factors with zeros, and a filled factor."""
    signature = function(size, form, 4)
    a, b, acc = fragments(signature)
    other = replace(acc, name="d")
    passes, waves = 2, 3
    sizes = {f.name: waves * passes * size * f.vector_bytes for f in (a, b, acc)}
    body = (
        Load("acc", "in_acc", Affine(0, wave=1), "C"),
        Repeat(
            passes,
            (
                Load("a", "in_a", Affine(0, wave=passes, loop=1), "A"),
                Load("b", "in_b", Affine(1, wave=1, loop=waves - 1), "B"),
                Mad(signature.function, "acc", "a", "b", "acc"),
            ),
        ),
        Store("acc", "out", Affine(0, wave=2)),
        Mad(signature.function, "d", "a", "b"),
        Store("d", "out", Affine(1, wave=2)),
        Fill("a", 1 if form[0] == "u" else 0x3C00),
        Mad(signature.function, "d", "a", "b", "acc"),
        Store("d", "out", Affine(2 * waves, wave=1)),
    )
    program = MadProgram(
        sub_group_size=size,
        buffers=(
            Buffer("in_a", sizes["a"]),
            Buffer("in_b", sizes["b"]),
            Buffer("in_acc", sizes["acc"]),
            Buffer("out", 2 * sizes["acc"]),
        ),
        fragments=(a, b, acc, other),
        body=body,
        waves=waves,
    )
    assert rejected(program, caps_of(signature)) == frozenset()
    assert compared(program, given(signature, program, tame=True), ExactUnit) == 0


@pytest.mark.parametrize("what", REFUSED)
def test_it_refuses_what_fits_no_function_by_the_same_clauses(what: str) -> None:
    program, clauses = REFUSED[what]
    assert set(MadDevice(ExactUnit()).broken(Submitted(program, {}))) == clauses


def test_it_offers_the_forms_of_its_arithmetic() -> None:
    caps = Caps(16, FORMS_OF[16])
    assert DEVICE.offered(caps, lambda *_: True) == caps
    floats = DEVICE.offered(caps, lambda *types: types[2] != "s32")
    assert floats is not None
    assert [name for name in floats.forms if FORMS[name].integer] == []
    assert len(floats.forms) == 4
    assert DEVICE.offered(caps, lambda *_: False) is None
