"""The argument of the rules of GL_NV_cooperative_matrix2: a program and caps."""

from __future__ import annotations

from functools import cached_property

from mmaspec.oracle.nv_coopmat2.footprint import Reached, reached
from mmaspec.oracle.rule_context import RuleContext
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps
from mmaspec.programs.nv_coopmat2.program import CoopMatProgram


class Context(RuleContext[CoopMatProgram, CoopMatCaps]):
    """A resolved program under the properties of a device."""

    @cached_property
    def reached(self) -> list[Reached]:
        """Every executed access, once for every way in which what it depends on can be read.

        Only of a valid program: what an invalid one reaches may make no sense.
        """
        return reached(self.program)
