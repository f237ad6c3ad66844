"""What a device reports: ``VkCooperativeMatrixPropertiesKHR`` and the flexible dimensions of the NV extension."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from mmaspec.oracle.nv_coopmat2.program import Component

CapsScope = Literal["subgroup", "workgroup"]


class FixedSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One ``VkCooperativeMatrixPropertiesKHR``: A is M x K, B is K x N, C and the result are M x N."""

    m: int
    n: int
    k: int
    a: Component
    b: Component
    c: Component
    result: Component
    saturating: bool = False
    scope: CapsScope = "subgroup"


class FlexibleSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One ``VkCooperativeMatrixFlexibleDimensionsPropertiesNV``: M, N and K are multiples of these granularities.

    ``invocations`` is the workgroup size that matrices of workgroup scope need.
    """

    m: int
    n: int
    k: int
    a: Component
    b: Component
    c: Component
    result: Component
    saturating: bool = False
    scope: CapsScope = "workgroup"
    invocations: int = 128


Property = FixedSize | FlexibleSize
"""One property that a device lists."""


class CoopMatCaps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything a device reported, in its own order.

    ``maximum`` is ``cooperativeMatrixFlexibleDimensionsMaxDimension``.
    """

    fixed: tuple[FixedSize, ...]
    flexible: tuple[FlexibleSize, ...] = ()
    maximum: int = 1024

    @property
    def properties(self) -> tuple[Property, ...]:
        """Every property, the fixed ones first."""
        found: list[Property] = [*self.fixed]
        return (*found, *self.flexible)


DEFAULT_CAPS = CoopMatCaps(
    fixed=(
        *(FixedSize(16, n, k, "f16", "f16", "f32", "f32") for n, k in ((16, 16), (8, 16), (8, 8))),
        *(FixedSize(16, n, 32, "s8", "s8", "s32", "s32") for n in (16, 8)),
    ),
    flexible=(
        FlexibleSize(32, 32, 16, "f16", "f16", "f32", "f32"),
        FlexibleSize(32, 32, 32, "s8", "s8", "s32", "s32"),
    ),
)
"""The rows of one NVIDIA generation for f16 into f32 and s8 into s32, none saturating."""
