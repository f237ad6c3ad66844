"""The program builder of RDNA3: the vectors of a row's builtin or instruction, and its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, cast

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.program import (
    AnyWmma,
    ElementType,
    Flag,
    Fragment,
    Load,
    Repeat,
    Use,
    VWmma,
    Wmma,
    WmmaProgram,
)
from mmaspec.programs.base import Buffer, Index
from mmaspec.programs.formats import Format
from mmaspec.programs.register_kernels import Load as AnyLoad
from mmaspec.programs.register_kernels import Repeat as AnyRepeat
from mmaspec.strategies.amd_rdna3_wmma import free_signs
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.builder import Builder
from mmaspec.strategies.register_kernels.calls import with_calls

Signs = tuple[bool, bool]
"""``a_sign`` and ``b_sign``."""


class Flags(NamedTuple):
    """The flags of a call: of an integer form signs and clamp, of one with 16-bit C and D OPSEL; None: drawn."""

    signs: Signs | None = None
    clamp: bool | None = None
    opsel: bool | None = None


class ProgramBuilder(Builder):
    """One kernel of RDNA3 under construction for a row."""

    load_type: ClassVar[type[AnyLoad]] = Load
    repeat_type: ClassVar[type[AnyRepeat]] = Repeat
    both_signed: ClassVar[Flags] = Flags(signs=(True, True))
    wraps: ClassVar[Flags] = Flags(clamp=False)
    free_signs: ClassVar[bool] = True
    """Whether operands of instructions may change their signs in any way; not in kernels about just that."""

    def __init__(self, context: DrawContext[Caps], waves: int | None = None, *, run_time: bool = True) -> None:
        super().__init__(context, waves, run_time=run_time)
        self.form: Form = context.row.entry
        self.integer: bool = self.form.integer
        self.wave_size: Any = 64 if self.form.wave == "w64" else 32
        self.lanes: int = self.wave_size
        self._opsel: bool | None = None

    @property
    def sums(self) -> str:
        """For 16-bit results sums of few terms: of many, bounds are so wide that they hide most mistakes."""
        return "few-terms" if self.form.halves else super().sums

    @property
    def exact(self) -> str:
        """Sums of 16 bits need not be exact: those of few terms are bounded best."""
        return "few-terms" if self.form.halves else super().exact

    @property
    def regimes(self) -> Sequence[tuple[int, str]]:
        """With 16-bit results dense sums less often."""
        return ((4, self.sums), (1, "window"), (1, "normal")) if self.form.halves else super().regimes

    @property
    def builtin(self) -> str:
        """The builtin that is called next."""
        return self.form.name

    @property
    def depth(self) -> int:
        """K."""
        return 16

    @property
    def elements(self) -> int:
        """Of floats half as many as others: there are more rows, and forms that are alike but for the size of waves."""
        return super().elements if self.integer else super().elements // 2

    @property
    def results(self) -> int:
        """Elements of one product's result."""
        return 256

    def vector(self, name: str, use: Use, fill: int | None) -> Fragment:
        """The fragment of the vector that the builtin takes."""
        element, count = vector_of(self.form, use)
        return Fragment(name, use, element, count, fill)

    def element(self, use: Use) -> Format:
        """The format of the elements of such a fragment; bytes without their sign."""
        return element_format(self.vector("", use, None))

    def held(self, fragment: Fragment) -> Format:
        """The format of the elements that a fragment holds."""
        return element_format(fragment)

    def load_at(self, into: str, buffer: str, block: Index, data: str | None = None) -> Load:
        """A load of a given block; a second matrix that the fragment holds has a name made of the first one's."""
        high = f"{data} high" if data is not None and self.declared[into].halves else None
        return Load(into, buffer, block, data, high=high)

    def wmma(
        self,
        d: str,
        a: str,
        b: str,
        c: str | None,
        signs: Signs | None = None,
        clamp: bool | None = None,
        opsel: bool | None = None,
    ) -> AnyWmma:
        """The builtin or instruction; the flags of its form are drawn unless given, and others left out."""
        choices = self.choices
        if self.form.instruction:
            return self._instruction(d, a, b, c, Flags(signs, clamp, opsel))
        if self.integer:
            a_sign, b_sign = signs if signs is not None else (choices.chance(50), choices.chance(50))
            flag: Flag = choices.chance(50) if clamp is None else clamp
            return Wmma(self.builtin, d, a, b, c, a_sign, b_sign, flag)
        if self.form.halves:
            return Wmma(self.builtin, d, a, b, c, opsel=self._drawn_opsel() if opsel is None else opsel)
        return Wmma(self.builtin, d, a, b, c)

    def _instruction(self, d: str, a: str, b: str, c: str | None, flags: Flags) -> VWmma:
        """The same with the bits of an instruction."""
        choices, opcode = self.choices, cast("Any", self.form.opcode)
        if self.integer:
            signs = flags.signs or (choices.chance(50), choices.chance(50))
            clamp = choices.chance(50) if flags.clamp is None else flags.clamp
            return VWmma(opcode, d, a, b, c, neg_lo=(*signs, False), clamp=clamp)
        if self.form.halves:
            opsel = self._drawn_opsel() if flags.opsel is None else flags.opsel
            return VWmma(opcode, d, a, b, c, op_sel=(False, False, opsel))
        return VWmma(opcode, d, a, b, c)

    def _drawn_opsel(self) -> bool:
        """Of calls that are tied each has its own; others would leave the C of the next one undefined."""
        if self.form.tied:
            return self.choices.chance(50)
        if self._opsel is None:
            self._opsel = self.choices.chance(50)
        return self._opsel

    def product(self, d: str, a: str, b: str, c: str | None, flags: Flags | None = None) -> AnyWmma:
        """The builtin or instruction; flags are drawn where they are not given."""
        return self.wmma(d, a, b, c, *(flags or Flags()))

    @classmethod
    def steady(cls, choices: Choices) -> Flags:
        """The signs of all calls of a kernel."""
        return Flags(signs=(choices.chance(50), choices.chance(50)))

    def draft(self, regime: str, batch: int | None = None) -> Draft:
        """Of instructions on floats also operands change their signs, where that is free."""
        made = super().draft(regime, batch)
        if self.form.instruction and self.free_signs and regime in free_signs.REGIMES:
            return replace(made, program=free_signs.signed(self.choices, made.program))
        return made

    def assembled(self, buffers: tuple[Buffer, ...], fragments: tuple[Any, ...], body: tuple[Any, ...]) -> WmmaProgram:
        """The program."""
        return WmmaProgram(self.wave_size, buffers, fragments, body, self.waves)

    @contextmanager
    def of(self, form: Form) -> Iterator[None]:
        """Another form of the same wave size, within."""
        mine = self.form
        self.form, self.integer = form, form.integer
        yield
        self.form, self.integer = mine, mine.integer

    @contextmanager
    def other_form(self, caps: Caps, kind: str) -> Iterator[None]:
        """Another form of the same wave size, within; ``kind`` says in what it differs."""
        with self.of(self.choices.one_of(unlike(self.form, caps, kind))):
            yield


_ELEMENTS: Mapping[str, ElementType] = {"f16": "half", "bf16": "short", "f32": "float", "i32": "int"}
_SLOTS = {"f16": 16, "bf16": 16, "iu8": 4, "iu4": 2}


def vector_of(form: Form, use: Use) -> tuple[ElementType, int]:
    """Element and slots of the vector that a form takes for a use."""
    if use != "cd":
        return _ELEMENTS.get(form.operands, "int"), _SLOTS[form.operands]
    return _ELEMENTS[form.result], (4 if form.wave == "w64" else 8) * (2 if form.halves else 1)


UNLIKE: Mapping[str, Callable[[Form, Form], bool]] = MappingProxyType(
    {
        "same-inputs": lambda one, other: one.operands == other.operands and one.result != other.result,
        "same-result": lambda one, other: one.operands != other.operands and one.result == other.result,
        "float-and-integer": lambda one, other: one.integer != other.integer,
        "tied-and-untied": lambda one, other: one.result == other.result and one.tied != other.tied,
    }
)
"""In what two forms of one wave size that are not the same differ -> whether they do."""


def unlike(form: Form, caps: Caps, kind: str) -> list[Form]:
    """The other forms of a device for the same wave size that differ from one in a given way.

    Those of builtins for a builtin, those of instructions for an instruction.
    """
    found = (other for other in caps.forms if (other.wave, other.instruction) == (form.wave, form.instruction))
    return [other for other in found if other != form and UNLIKE[kind](form, other)]


__all__ = ["UNLIKE", "Flags", "ProgramBuilder", "Signs", "unlike", "vector_of", "with_calls"]
