"""Counterfactuals of the RDNA3 matrix builtins: machines that deviate in one place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.amd_rdna3_wmma.device import GROUP, Registers, State, WmmaMachine
from mmaspec.backends.numpy.amd_rdna3_wmma.validity import Checks
from mmaspec.backends.numpy.backend import Machine, NumpyBackend
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.backends.numpy.units.unit import ArithmeticUnit, Bits, Overflow
from mmaspec.backends.protocol import Images
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import Affine, Fragment, Load, Repeat, Store, Wmma, WmmaProgram
from mmaspec.programs.profile import PRACTICE

SPEC = "amd-rdna3-wmma"
Width = Literal[8, 16]


class _Lenient(WmmaMachine):
    """Leaves out one check, and runs what then comes as well as it can."""

    def __init__(self, unit: SequentialUnit, *, skipped: str) -> None:
        super().__init__(unit)
        self.checks = Checks(frozenset({skipped}))

    def broken(self, program: WmmaProgram, inputs: object) -> tuple[str, ...]:
        del inputs
        return self.checks.broken(program)


class _OnlyIn:
    """Deviates in programs whose builtins have one of ``words`` in their names; the plain machine in others.

    A layout rule belongs to one packing or one wave size: its counterfactual must leave the other alone.
    """

    def __init__(
        self, unit: ArithmeticUnit, *, machine: Callable[[ArithmeticUnit], WmmaMachine], words: frozenset[str]
    ) -> None:
        self._deviating, self._plain, self._words = machine(unit), WmmaMachine(unit), words

    def caps(self) -> Caps:
        return self._plain.caps()

    def broken(self, program: WmmaProgram, inputs: Images) -> tuple[str, ...]:
        return self._plain.broken(program, inputs)

    def run(self, program: WmmaProgram, inputs: Images) -> Images:
        steps = [step for outer in program.body for step in (outer.body if isinstance(outer, Repeat) else (outer,))]
        meant = any(isinstance(step, Wmma) and self._words & set(step.builtin.split("_")) for step in steps)
        return (self._deviating if meant else self._plain).run(program, inputs)


def _signed(bits: Bits) -> NDArray[np.int64]:
    """32-bit integers of their codes."""
    return (bits.astype(np.int64) ^ 0x80000000) - 0x80000000


class _OperandsExchanged(WmmaMachine):
    """A is taken from B's registers and B from A's, so the product comes out transposed."""

    def wmma(self, state: State, step: Wmma) -> None:
        super().wmma(state, replace(step, a=step.b, b=step.a, a_sign=step.b_sign, b_sign=step.a_sign))


class _CDropped(WmmaMachine):
    def addend(self, state: State, step: Wmma) -> Registers:
        return np.zeros_like(super().addend(state, step))


class _ColumnsOfA(WmmaMachine):
    """The comments of the sample taken at their word: a lane holds a column of A and a row of B."""

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        return np.swapaxes(super().left(state, registers, width), -1, -2)

    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        return np.swapaxes(super().right(state, registers, width), -1, -2)


class _HalvesOfASwapped(WmmaMachine):
    """Odd k in the low half, in A only: a swap in both factors would not show."""

    def left(self, state: State, registers: Registers, width: Width) -> Bits:
        k = np.arange(16)
        return super().left(state, registers, width)[..., k ^ 1]


class _BytesOfBBigEndian(WmmaMachine):
    def right(self, state: State, registers: Registers, width: Width) -> Bits:
        k = np.arange(16)
        return super().right(state, registers, width)[..., k ^ 3, :]


class _FurtherElements(WmmaMachine):
    """The lanes above 15 hold the rest of k, as on the architecture after this one: lanes 0-15 its first part."""

    def lines(self, state: State, elements: Bits) -> Bits:
        lines = super().lines(state, elements)
        part = GROUP // state.groups
        spread = [lines[:, :, group, :, :part] for group in range(state.groups)]
        joined = np.concatenate(spread, axis=-1)
        return np.broadcast_to(joined[:, :, None], lines.shape)


class _RowsInSequence(WmmaMachine):
    """Group g holds consecutive rows: rows 8g to 8g+7 of a wave32, 4g to 4g+3 of a wave64."""

    def rows_of(self, groups: int) -> NDArray[np.int64]:
        return np.arange(GROUP).reshape(groups, GROUP // groups)


class _ResultsReplicated(WmmaMachine):
    """D in lanes 0-15 alone, and copies of it in the others, as A and B have them."""

    def results(self, state: State, rows: Bits) -> Registers:
        return super().results(state, np.broadcast_to(rows[:, :, :1], rows.shape))


class _SignFlagsExchanged(WmmaMachine):
    def formats(self, step: Wmma) -> tuple[str, str, str]:
        return super().formats(replace(step, a_sign=step.b_sign, b_sign=step.a_sign))


class _AlwaysSigned(WmmaMachine):
    def formats(self, step: Wmma) -> tuple[str, str, str]:
        return super().formats(replace(step, a_sign=True, b_sign=True))


class _SixteenBitSums(WmmaMachine):
    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        total = super().product(step, a, b, c)
        if step.builtin.startswith("f32"):
            return total
        return (((total & np.uint64(0xFFFF)) ^ np.uint64(0x8000)) - np.uint64(0x8000)) & np.uint64(0xFFFFFFFF)


class _DotOfSixteenBits(WmmaMachine):
    """The sum of the sixteen products is clamped to 16 bits before C is added."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        if step.builtin.startswith("f32"):
            return super().product(step, a, b, c)
        dot = super().product(step, a, b, np.zeros_like(c))
        total = _signed(c) + np.clip(_signed(dot), -0x8000, 0x7FFF)
        if step.clamp:
            total = np.clip(total, -(1 << 31), (1 << 31) - 1)
        return total.astype(np.uint64) & np.uint64(0xFFFFFFFF)


class _SaturatesUnasked(WmmaMachine):
    def overflow(self, step: Wmma) -> Overflow:
        del step
        return "saturate"


class _ClampsUpperEndOnly(WmmaMachine):
    """Sums above the range are clamped, those below it wrap."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        clamped = super().product(step, a, b, c)
        wrapped = super().product(replace(step, clamp=False), a, b, c)
        return np.where(clamped == 0x80000000, wrapped, clamped) if step.clamp else wrapped


class _ClampsUnsigned(WmmaMachine):
    """Clamp to the range of unsigned integers: every negative sum becomes zero."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        total = super().product(step, a, b, c)
        return np.where(total >> np.uint64(31) != 0, np.uint64(0), total) if step.clamp else total


class _SumsInHalf(WmmaMachine):
    """The sum is rounded to f16 before it is stored as f32."""

    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        total = super().product(step, a, b, c)
        if not step.builtin.startswith("f32"):
            return total
        with np.errstate(all="ignore"):
            values = total.astype(np.uint32).view(np.float32).astype(np.float16).astype(np.float32)
        return values.view(np.uint32).astype(np.uint64)


class _NaNBecomesZero(WmmaMachine):
    def product(self, step: Wmma, a: Bits, b: Bits, c: Bits) -> Bits:
        total = super().product(step, a, b, c)
        if not step.builtin.startswith("f32"):
            return total
        return np.where((total & np.uint64(0x7FFFFFFF)) > 0x7F800000, np.uint64(0), total)


class _InPlaceReadsNewValue(WmmaMachine):
    """Where C is the destination, it is read after A*B was written there."""

    def wmma(self, state: State, step: Wmma) -> None:
        if step.c == step.d:
            super().wmma(state, replace(step, c=None))
        super().wmma(state, step)


class _LiteralReadsDestination(WmmaMachine):
    """A literal zero for C is taken to mean the destination, as it stands."""

    def addend(self, state: State, step: Wmma) -> Registers:
        return state.registers[step.d] if step.c is None else super().addend(state, step)


class _FillSkipsOddRegisters(WmmaMachine):
    """Setting an accumulator to zero leaves every other VGPR as it was."""

    def step(self, state: State, step: object) -> None:
        before = state.registers.get(getattr(step, "into", ""))
        super().step(state, step)  # type: ignore[arg-type]
        if getattr(step, "bits", None) == 0 and before is not None:
            into = step.into  # type: ignore[attr-defined]
            if state.fragments[into].use == "cd":
                state.registers[into][..., 1::2] = before[..., 1::2]


class _PassesStartAfresh(WmmaMachine):
    """Every pass of a loop finds C as it was before the loop."""

    def addend(self, state: State, step: Wmma) -> Registers:
        found = super().addend(state, step)
        return state.entry.get(step.c, found) if state.loop and step.c is not None else found


class _FirstTileEveryPass(WmmaMachine):
    """A load does not move on with the loop."""

    def stretches(self, state: State, step: Load | Store, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        if isinstance(step, Load) and isinstance(step.block, Affine):
            step = replace(step, block=replace(step.block, loop=0))
        return super().stretches(state, step, fragment)


class _ConstantsFillLowHalves(WmmaMachine):
    """A constant vector of halves sets bits 15:0 of each VGPR only."""

    def word_of(self, fragment: Fragment, bits: int) -> int:
        return bits if fragment.element == "half" else super().word_of(fragment, bits)


class _BaseIgnored(WmmaMachine):
    """Loads count blocks from the start of the buffer."""

    def stretches(self, state: State, step: Load | Store, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        if isinstance(step, Load):
            step = replace(step, block=replace(step.block, base=0) if isinstance(step.block, Affine) else 0)
        return super().stretches(state, step, fragment)


class _WavesShareBlock(WmmaMachine):
    """Every wave loads what the first one does."""

    def stretches(self, state: State, step: Load | Store, fragment: Fragment) -> Iterator[tuple[int, slice]]:
        if isinstance(step, Load) and isinstance(step.block, Affine):
            step = replace(step, block=replace(step.block, wave=0))
        return super().stretches(state, step, fragment)


class _StoreSpills(WmmaMachine):
    """A store writes one VGPR past its block."""

    def store(self, state: State, step: Store) -> None:
        for _, stretch in self.stretches(state, step, state.fragments[step.fragment]):
            image = state.images[step.buffer]
            image[:, stretch.stop : stretch.stop + 4] = 0xEE
        super().store(state, step)


def _fault(
    name: str, clause: str, behaves_as_if: str, machine: Callable[..., WmmaMachine], rows: tuple[str, ...] = ()
) -> Fault:
    words = frozenset(rows) & {"f16", "iu8", "w32", "w64"}

    def make() -> NumpyBackend:
        made: Callable[..., Machine] = partial(_OnlyIn, machine=machine, words=words) if words else machine
        return NumpyBackend(SequentialUnit(), {SPEC: made}, name=f"fault:rdna3-{name}", profile=PRACTICE)

    return Fault(f"rdna3-{name}", SPEC, clause, behaves_as_if, make, rows)


def _lenient(name: str, clause: str, behaves_as_if: str) -> Fault:
    return _fault(name, clause, behaves_as_if, partial(_Lenient, skipped=clause))


FAULTS: tuple[Fault, ...] = (
    _lenient("takes-k-32", "RDNA3-SHAPE", "any size in a builtin's name were right"),
    _lenient("takes-any-formats", "RDNA3-OPS", "any formats in a builtin's name were right"),
    _lenient("takes-other-wave-size", "RDNA3-WAVE-SIZE", "a kernel could call the builtins of the other wave size"),
    _lenient("takes-other-vectors", "RDNA3-SIG", "the vectors passed to a builtin could have any length"),
    _lenient("takes-opsel", "RDNA3-OPSEL-ONLY16", "every builtin had an OPSEL argument"),
    _lenient("takes-variable-flags", "RDNA3-IU-IMMEDIATE", "sign flags and clamp could be loaded at run time"),
    _fault("operands-exchanged", "RDNA3-AB-ROWCOL", "A's registers held B, and B's held A", _OperandsExchanged),
    _fault("c-dropped", "RDNA3-MMA", "D were A*B", _CDropped),
    _fault("columns-of-a", "RDNA3-AB-ROWCOL", "a lane held a column of A and a row of B", _ColumnsOfA),
    _fault(
        "halves-of-a-swapped", "RDNA3-AB-PACK16", "the odd k of A were in the low halves", _HalvesOfASwapped, ("f16",)
    ),
    _fault(
        "bytes-of-b-big-endian", "RDNA3-AB-PACK8", "k of B ascended from the high byte", _BytesOfBBigEndian, ("iu8",)
    ),
    _fault(
        "upper-lanes-hold-upper-k",
        "RDNA3-W32-REPLICATE",
        "lanes 16-31 held k = 8 to 15 of A and B",
        _FurtherElements,
        ("w32",),
    ),
    _fault(
        "quarter-lanes-hold-quarter-k",
        "RDNA3-W64-REPLICATE",
        "every sixteen lanes held four further k of A and B",
        _FurtherElements,
        ("w64",),
    ),
    _fault(
        "half-wave-holds-eight-rows",
        "RDNA3-CD-W32",
        "lanes 0-15 held rows 0 to 7 of C and D",
        _RowsInSequence,
        ("w32",),
    ),
    _fault(
        "quarter-wave-holds-four-rows",
        "RDNA3-CD-W64",
        "lanes 0-15 held rows 0 to 3 of C and D",
        _RowsInSequence,
        ("w64",),
    ),
    _fault("results-replicated", "RDNA3-CD-NOREP", "lanes above 15 held copies of the results", _ResultsReplicated),
    _fault("sign-flags-exchanged", "RDNA3-IU-SIGN", "A's sign flag were B's", _SignFlagsExchanged, ("int",)),
    _fault(
        "bytes-always-signed", "RDNA3-IU-SIGN", "both operands were signed whatever the flags", _AlwaysSigned, ("int",)
    ),
    _fault("sums-of-16-bits", "RDNA3-IU-ACC", "C and D had 16 bits", _SixteenBitSums, ("int",)),
    _fault("dot-of-16-bits", "RDNA3-IU-DOT-RANGE", "the sum of products had 16 bits", _DotOfSixteenBits, ("int",)),
    _fault("saturates-unasked", "RDNA3-IU-NOCLAMP", "clamp were always set", _SaturatesUnasked, ("int",)),
    _fault(
        "clamps-upper-end-only", "RDNA3-IU-CLAMP", "clamp worked at the upper end only", _ClampsUpperEndOnly, ("int",)
    ),
    _fault("clamps-unsigned", "RDNA3-IU-CLAMP", "clamp kept the range of unsigned integers", _ClampsUnsigned, ("int",)),
    _fault("sums-in-f16", "RDNA3-FP-ACC", "sums were rounded to f16", _SumsInHalf, ("float",)),
    _fault("nan-becomes-zero", "RDNA3-FP-NAN", "NaN results became zero", _NaNBecomesZero, ("float",)),
    _fault("in-place-reads-new-value", "RDNA3-INPLACE", "D = C were written before C is read", _InPlaceReadsNewValue),
    _fault(
        "literal-zero-reads-destination",
        "RDNA3-ZERO-C",
        "a literal zero meant the destination",
        _LiteralReadsDestination,
    ),
    _fault("fill-skips-odd-registers", "RDNA3-ZERO-C", "zeroing reached every other VGPR", _FillSkipsOddRegisters),
    _fault("passes-start-afresh", "RDNA3-TILE", "every pass of a loop began with the first C", _PassesStartAfresh),
    _fault("first-tile-every-pass", "RDNA3-TILE", "every pass of a loop loaded the first tile", _FirstTileEveryPass),
    _fault(
        "constants-fill-low-halves",
        "RDNA3-SAMPLE",
        "a constant half filled low halves only",
        _ConstantsFillLowHalves,
        ("f16",),
    ),
    _fault("block-base-ignored", "RDNA3-MEM-FREE", "loads counted blocks from the start of the buffer", _BaseIgnored),
    _fault("waves-share-block", "RDNA3-MEM-FREE", "every wave loaded the first wave's blocks", _WavesShareBlock),
    _fault("store-spills", "RDNA3-STORE-ONLY", "a store wrote one more VGPR", _StoreSpills),
)
"""At least one for each testable clause."""
