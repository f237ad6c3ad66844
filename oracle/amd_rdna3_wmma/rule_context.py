"""The argument of the rules of the RDNA3 matrix builtins: a program and caps."""

from __future__ import annotations

from functools import cached_property

from mmaspec.oracle.amd_rdna3_wmma.builtins import Builtin, parse
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.amd_rdna3_wmma.program import VWmma, Wmma, WmmaProgram
from mmaspec.programs.tree import unrolled

Call = tuple[Wmma, Builtin | None]
"""A call, and the builtin that it names; None where the name does not follow the syntax."""


class Context(RuleContext[WmmaProgram, Caps]):
    """A resolved kernel for a device with some of the builtins."""

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """Every executed call of a builtin."""
        return tuple((step, parse(step.builtin)) for _, step in unrolled(self.program) if isinstance(step, Wmma))

    @cached_property
    def instructions(self) -> tuple[VWmma, ...]:
        """Every executed product that is written as the instruction."""
        return tuple(step for _, step in unrolled(self.program) if isinstance(step, VWmma))
