"""The program builder of the sub-group matrix functions: the vectors of a function, and its calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, ClassVar

from mmaspec.oracle.intel_subgroup_mma.caps_support import FORMATS
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.programs.base import Buffer
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Caps, Form
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Mad, MadProgram, Repeat, Use
from mmaspec.programs.register_kernels import Repeat as AnyRepeat
from mmaspec.strategies.grammar import DrawContext
from mmaspec.strategies.register_kernels.builder import Builder

_SIGNATURES = {(one.size, FORMS[one.form], one.rows): one for one in signatures()}


class ProgramBuilder(Builder):
    """One kernel under construction for a row, whose products have a drawn or given number of rows.

    ``rows`` and ``form`` are those of what is declared and called next.
    """

    repeat_type: ClassVar[type[AnyRepeat]] = Repeat
    weights: ClassVar[tuple[tuple[int, int], ...]] = ((1, 1), (1, 2), (1, 4), (2, 8))
    """How often a kernel has how many rows."""

    def __init__(
        self,
        context: DrawContext[Caps],
        waves: int | None = None,
        *,
        run_time: bool = True,
        rows: int | None = None,
    ) -> None:
        super().__init__(context, waves, run_time=run_time)
        self.size = context.caps.sub_group_size
        self.lanes = self.size
        self.form: Form = context.row.entry
        self.integer = self.form.integer
        self.rows = self.choices.weighted(self.weights) if rows is None else rows

    @property
    def signature(self) -> Signature:
        """The function that is called next."""
        return _SIGNATURES[self.size, self.form, self.rows]

    @property
    def depth(self) -> int:
        """K."""
        return self.form.k

    @property
    def results(self) -> int:
        """Elements of one product's result."""
        return self.rows * self.size

    def vector(self, name: str, use: Use, fill: int | None) -> Fragment:
        """The fragment of the vector that the function takes."""
        signature = self.signature
        component, count = {"a": signature.a, "b": signature.b, "cd": signature.acc}[use]
        holds: Any = self.element(use).name
        return Fragment(name, use, holds, component, count, fill)  # type: ignore[arg-type]

    def element(self, use: Use) -> Format:
        """The format of the elements of such a fragment, as the function's name has it."""
        name = {"a": self.form.a, "b": self.form.b, "cd": self.form.acc}[use]
        return format_named(FORMATS.get(name, name))

    def held(self, fragment: Fragment) -> Format:
        """The format of the elements that a fragment holds."""
        return format_named(fragment.holds)

    def product(self, d: str, a: str, b: str, c: str | None, flags: None = None) -> Mad:
        """A call; everything that could be a flag is in the function's name."""
        del flags
        return Mad(self.form.function, d, a, b, c)

    def assembled(self, buffers: tuple[Buffer, ...], fragments: tuple[Any, ...], body: tuple[Any, ...]) -> MadProgram:
        """The program."""
        return MadProgram(self.size, buffers, fragments, body, self.waves)

    @contextmanager
    def of(self, form: Form | None = None, rows: int | None = None) -> Iterator[None]:
        """Another form or another number of rows, within."""
        mine = (self.form, self.rows)
        self._take(form or self.form, rows or self.rows)
        yield
        self._take(*mine)

    def _take(self, form: Form, rows: int) -> None:
        self.form, self.rows, self.integer = form, rows, form.integer

    @contextmanager
    def other_form(self, caps: Caps, kind: str) -> Iterator[None]:
        """Another form of the device, within; ``kind`` says in what it differs."""
        with self.of(self.choices.one_of(unlike(self.form, caps, kind))):
            yield


def others(form: Form, caps: Caps) -> list[Form]:
    """The other forms of a device."""
    return [FORMS[name] for name in caps.in_reach if FORMS[name] != form]


UNLIKE: Mapping[str, Callable[[Form, Form], bool]] = MappingProxyType(
    {
        "signs": lambda one, other: one.integer and other.integer and one.bits == other.bits,
        "widths": lambda one, other: one.integer and other.integer and one.bits != other.bits,
        "float-inputs": lambda one, other: not one.integer and one.a != other.a and one.acc == other.acc,
        "accumulators": lambda one, other: not one.integer and one.a == other.a,
        "float-and-integer": lambda one, other: one.integer != other.integer,
    }
)
"""In what two forms that are not the same differ -> whether they do."""


def unlike(form: Form, caps: Caps, kind: str) -> list[Form]:
    """The other forms of a device that differ from one in a given way."""
    return [other for other in others(form, caps) if UNLIKE[kind](form, other)]
