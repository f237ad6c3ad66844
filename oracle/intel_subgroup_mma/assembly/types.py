"""Types of vectors in SPIR-V for OpenCL: integers have a width and no sign, and sixteen-bit types need a capability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mmaspec.programs.intel_subgroup_mma.program import Component, Fragment


class Scalar(NamedTuple):
    """A type of components: its name here, its declaration, the capability that it needs, and integers of its width."""

    name: str
    declaration: str
    capability: str
    integer: Component


SCALARS: dict[Component, Scalar] = {
    "int": Scalar("i32", "OpTypeInt 32 0", "", "int"),
    "uint": Scalar("i32", "OpTypeInt 32 0", "", "int"),
    "short": Scalar("i16", "OpTypeInt 16 0", "Int16", "short"),
    "ushort": Scalar("i16", "OpTypeInt 16 0", "Int16", "short"),
    "float": Scalar("f32", "OpTypeFloat 32", "", "int"),
    "half": Scalar("f16", "OpTypeFloat 16", "Float16", "short"),
}
"""Component -> its type."""


@dataclass(frozen=True, slots=True)
class Vector:
    """Component and count; a count of 1 is a scalar."""

    component: Component
    count: int = 1

    @property
    def name(self) -> str:
        """The type's ID: ``%v8i32``."""
        scalar = SCALARS[self.component].name
        return f"%{scalar}" if self.count == 1 else f"%v{self.count}{scalar}"

    @property
    def integer(self) -> Vector:
        """As many integers of the same width."""
        return Vector(SCALARS[self.component].integer, self.count)


WORD = Vector("uint")
"""The type of indices."""


def vector_of(fragment: Fragment) -> Vector:
    """The type of a fragment."""
    return Vector(fragment.component, fragment.count)
