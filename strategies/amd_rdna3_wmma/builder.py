"""The program builder of RDNA3: the vectors of a row's builtin, and its calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, Caps
from mmaspec.programs.amd_rdna3_wmma.program import Flag, Fragment, Load, Repeat, Use, Wmma, WmmaProgram
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import Format
from mmaspec.programs.register_kernels import Load as AnyLoad
from mmaspec.programs.register_kernels import Repeat as AnyRepeat
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.register_kernels.builder import Builder
from mmaspec.strategies.register_kernels.calls import with_calls

Signs = tuple[bool, bool]
"""``a_sign`` and ``b_sign``."""


class Flags(NamedTuple):
    """The flags of a call of an integer form; None: drawn."""

    signs: Signs | None = None
    clamp: bool | None = None


class ProgramBuilder(Builder):
    """One kernel of RDNA3 under construction for a row."""

    load_type: ClassVar[type[AnyLoad]] = Load
    repeat_type: ClassVar[type[AnyRepeat]] = Repeat
    both_signed: ClassVar[Flags] = Flags(signs=(True, True))
    wraps: ClassVar[Flags] = Flags(clamp=False)

    def __init__(self, context: DrawContext[Caps], waves: int | None = None, *, run_time: bool = True) -> None:
        super().__init__(context, waves, run_time=run_time)
        row = context.row
        self.integer: bool = "int" in row.tags
        self.builtin: str = row.name
        self.wave_size: Any = 64 if "w64" in row.tags else 32
        self.lanes: int = self.wave_size

    @property
    def depth(self) -> int:
        """K."""
        return 16

    @property
    def results(self) -> int:
        """Elements of one product's result."""
        return 256

    def vector(self, name: str, use: Use, fill: int | None) -> Fragment:
        """The fragment of the vector that the row's builtin takes."""
        slots = 4 if self.wave_size == 64 else 8
        if use == "cd":
            return Fragment(name, use, "int" if self.integer else "float", slots, fill)
        return Fragment(name, use, "int", 4, fill) if self.integer else Fragment(name, use, "half", 16, fill)

    def element(self, use: Use) -> Format:
        """The format of the elements of such a fragment; bytes without their sign."""
        return element_format(self.vector("", use, None))

    def held(self, fragment: Fragment) -> Format:
        """The format of the elements that a fragment holds."""
        return element_format(fragment)

    def wmma(
        self, d: str, a: str, b: str, c: str | None, signs: Signs | None = None, clamp: bool | None = None
    ) -> Wmma:
        """The row's builtin; the flags of an integer form are drawn unless given."""
        if not self.integer:
            return Wmma(self.builtin, d, a, b, c)
        choices = self.choices
        a_sign, b_sign = signs if signs is not None else (choices.chance(50), choices.chance(50))
        flag: Flag = choices.chance(50) if clamp is None else clamp
        return Wmma(self.builtin, d, a, b, c, a_sign, b_sign, flag)

    def product(self, d: str, a: str, b: str, c: str | None, flags: Flags | None = None) -> Wmma:
        """The row's builtin; flags are drawn where they are not given."""
        given = flags or Flags()
        return self.wmma(d, a, b, c, given.signs, given.clamp)

    @classmethod
    def steady(cls, choices: Choices) -> Flags:
        """The signs of all calls of a kernel."""
        return Flags(signs=(choices.chance(50), choices.chance(50)))

    def assembled(self, buffers: tuple[Buffer, ...], fragments: tuple[Any, ...], body: tuple[Any, ...]) -> WmmaProgram:
        """The program."""
        return WmmaProgram(self.wave_size, buffers, fragments, body, self.waves)

    @contextmanager
    def other_form(self, caps: Caps, kind: str) -> Iterator[None]:
        """The other form of the same wave size, within."""
        del kind
        mine = (self.builtin, self.integer)
        other = partner(self.builtin, caps)
        assert other is not None
        self.builtin, self.integer = other, not self.integer
        yield
        self.builtin, self.integer = mine


def partner(builtin: str, caps: Caps) -> str | None:
    """The builtin of the other form for the same wave size, where a device has it."""
    wave = {name: form.wave for name, form in FORMS.items()}
    return next((name for name in caps.in_reach if name != builtin and wave[name] == builtin.rsplit("_", 1)[1]), None)


__all__ = ["Flags", "ProgramBuilder", "Signs", "partner", "with_calls"]
