"""The program builder: fragments, buffers with blocks at drawn places, literal and run-time arguments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from mmaspec.programs import register_kernels
from mmaspec.programs.base import Affine, Buffer, Index, RunTime, Word
from mmaspec.programs.formats import Format
from mmaspec.programs.register_kernels import Fragment, Store, Use
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.regimes.encoding import bits_of
from mmaspec.strategies.register_kernels.calls import executed

ELEMENTS = 16384
"""Results that the products of one case compute, at most, where a specification says nothing else."""

ARGUMENTS = "args"

WAVES = ((9, 1), (9, 2), (6, 3), (1, 4), (1, 8))
"""How often a kernel has how many waves: mostly few, for those cost time, and now and then more."""

Flags = Any
"""What a specification's calls say beside their matrices, as its builder takes it; None: everything is drawn."""


class Builder(ABC):
    """One kernel under construction for a row.

    Buffers hold blocks of one vector size; a request for blocks leaves a gap before them, so that offsets are
    rarely zero, and may put them behind those of an earlier request. What a product is, and which vectors hold its
    matrices, a specification says in a subclass.
    """

    load_type: ClassVar[type[register_kernels.Load]] = register_kernels.Load
    repeat_type: ClassVar[type[register_kernels.Repeat]] = register_kernels.Repeat
    """The specification's own statements, where it has them."""
    both_signed: ClassVar[Flags] = None
    """Flags of a call that takes both factors as signed, where flags say that."""
    wraps: ClassVar[Flags] = None
    """Flags of a call whose sums of integers wrap, where flags say that."""

    integer: bool
    """Whether matrices are of integers."""
    lanes: int
    """Lanes of a wave."""

    def __init__(self, context: DrawContext[Any], waves: int | None = None, *, run_time: bool = True) -> None:
        self.choices: Choices = context.choices
        self.waves: int = self.choices.weighted(WAVES) if waves is None else waves
        self.body: list[Any] = []
        self.words: list[Word] = []
        self._run_time = run_time
        self._fragments: dict[str, Any] = {}
        self._ends: dict[str, int] = {}
        self._vectors: dict[str, int] = {}
        self._bases: dict[str, int] = {}

    # What a specification says

    @abstractmethod
    def vector(self, name: str, use: Use, fill: int | None) -> Fragment:
        """The fragment of the vector that the row's products take for a use."""

    @abstractmethod
    def element(self, use: Use) -> Format:
        """The format of the elements of such a fragment."""

    @abstractmethod
    def held(self, fragment: Any) -> Format:
        """The format of the elements that any fragment of the specification holds."""

    @property
    def regimes(self) -> Sequence[tuple[int, str]]:
        """How often which data are drawn for a template on floats that is not about its data."""
        return ((2, self.sums), (1, "normal"))

    @property
    def sums(self) -> str:
        """The data of kernels on floats that are about something else, so that whatever is wrong shows in the sums."""
        return "window"

    @property
    def exact(self) -> str:
        """The data of kernels on floats whose sums are exact, as far as a specification demands that."""
        return "whole"

    @property
    @abstractmethod
    def depth(self) -> int:
        """K: products that are summed for an element of a result."""

    @property
    @abstractmethod
    def results(self) -> int:
        """Elements of one product's result."""

    @abstractmethod
    def product(self, d: str, a: str, b: str, c: str | None, flags: Flags = None) -> Any:
        """The row's call; flags are drawn unless given."""

    @abstractmethod
    def assembled(self, buffers: tuple[Buffer, ...], fragments: tuple[Any, ...], body: tuple[Any, ...]) -> Any:
        """The program."""

    @abstractmethod
    def other_form(self, caps: Any, kind: str) -> AbstractContextManager[None]:
        """Fragments and products within are those of another form, which the device has, of a kind that there is."""

    @classmethod
    def steady(cls, choices: Choices) -> Flags:
        """Drawn flags with which all calls of a kernel read the signs of their factors alike."""
        del choices
        return None

    # Fragments

    def fragment(self, name: str, use: Use, fill: int | None = None) -> str:
        """Declare a fragment of the vector that the row's products take."""
        self._fragments[name] = self.vector(name, use, fill)
        return name

    @property
    def declared(self) -> dict[str, Any]:
        """The fragments so far, by name."""
        return dict(self._fragments)

    def number(self, use: Use, value: int, exponent: int = 0) -> int:
        """The bits of ``value * 2^exponent`` as an element for a use; integers have no exponent."""
        return bits_of(self.element(use), value, exponent)

    # Memory

    def buffer(self, name: str, vector_bytes: int) -> str:
        """A buffer of blocks of vectors of this size; made when first asked for."""
        if name not in self._vectors:
            self._vectors[name] = vector_bytes
            self._ends[name] = 0
            self._bases[name] = self.choices.one_of((32, 64, 96, 160))
        return name

    def blocks(self, buffer: str, passes: int, *, by_wave: bool, by_loop: bool) -> Index:
        """Fresh blocks of a buffer: one for each wave and pass that shall differ, in either order, maybe spread."""
        choices = self.choices
        spread = choices.weighted([(2, 1), (1, 2)])
        waves, passes = (self.waves if by_wave else 1), (passes if by_loop else 1)
        if choices.chance(50):
            wave_step, loop_step = passes * spread, spread
        else:
            wave_step, loop_step = spread, waves * spread
        base = self._ends[buffer] + choices.weighted([(1, 0), (3, 1), (2, 2)])
        self._ends[buffer] = base + wave_step * (waves - 1) + loop_step * (passes - 1) + 1
        if by_wave or by_loop:
            return Affine(base, wave=wave_step * by_wave, loop=loop_step * by_loop)
        if self._run_time and choices.chance(40):
            return self.argument(base)
        return base

    def argument(self, value: int) -> RunTime:
        """A block number that the kernel loads: a word of the buffer of arguments."""
        offset = 4 * (len(self.words) * 2 + 1)
        self.words.append(Word(ARGUMENTS, offset, value))
        return RunTime(ARGUMENTS, offset)

    def _beside(self, buffer: str, fragment: str) -> str:
        """The buffer of that name for vectors of the fragment's size: another one where it has those of another."""
        vector = self._fragments[fragment].vector_bytes
        return self.buffer(f"{buffer}_{vector}" if self._vectors.get(buffer, vector) != vector else buffer, vector)

    def load(
        self, into: str, data: str, buffer: str, passes: int = 1, *, by_wave: bool | None = None, by_loop: bool = False
    ) -> Any:
        """A load of new data; unless given, it is drawn whether every wave has its own."""
        name = self._beside(buffer, into)
        own = self.waves > 1 and (self.choices.chance(70) if by_wave is None else by_wave)
        return self.load_at(into, name, self.blocks(name, passes, by_wave=own, by_loop=by_loop), data)

    def load_at(self, into: str, buffer: str, block: Index, data: str | None = None) -> Any:
        """A load of a given block."""
        return self.load_type(into, buffer, block, data)

    def store(self, fragment: str, buffer: str = "out", passes: int = 1, *, by_loop: bool = False) -> Store:
        """A store to fresh blocks, a wave's own."""
        name = self._beside(buffer, fragment)
        return Store(fragment, name, self.blocks(name, passes, by_wave=self.waves > 1, by_loop=by_loop))

    # Instructions

    def add(self, *instructions: Any) -> None:
        """Append to the body."""
        self.body.extend(instructions)

    def repeat(self, count: int, body: Sequence[Any]) -> Any:
        """A loop."""
        return self.repeat_type(count, tuple(body))

    def program(self) -> Any:
        """The kernel; buffers reach to the end of their last block, or a block further."""
        buffers = []
        for name, vector in self._vectors.items():
            end = self._ends[name] + self.choices.integer(0, 1)
            buffers.append(Buffer(name, end * vector * self.lanes, self._bases[name]))
        if self.words:
            buffers.append(Buffer(ARGUMENTS, self.words[-1].offset + 8))
        return self.assembled(tuple(buffers), tuple(self._fragments.values()), tuple(self.body))

    @property
    def elements(self) -> int:
        """Results that the products of one case compute, at most, where the batch is drawn."""
        return ELEMENTS

    def draft(self, regime: str, batch: int | None = None) -> Draft:
        """The kernel with its data regime; the batch fills the budget of one case unless given."""
        program = self.program()
        if batch is None:
            batch = max(4, min(64, self.elements // (self.results * program.waves * max(executed(program.body), 1))))
        return Draft(program, regime, batch, tuple(self.words))


__all__ = ["ARGUMENTS", "Builder", "Flags"]
