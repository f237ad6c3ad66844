"""The caps of a Vulkan device: fixed and flexible properties, and the features and limits of the NV extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct

from mmaspec.programs.nv_coopmat2.program import Component

OTHER_COMPONENTS = ("e4m3", "e5m2", "s64", "u64", "s8-packed", "u8-packed")
"""Component types that a device may list, and that no program has."""

_KINDS = f"f16|bf16|f32|f64|s8|u8|s16|u16|s32|u32|{'|'.join(OTHER_COMPONENTS)}|VK_COMPONENT_TYPE_[A-Z0-9_]{{1,60}}"

if TYPE_CHECKING:
    # Properties with others are left out by the oracle's caps_report before anything else looks at them.
    CapsComponent = Component
    CapsScope = Literal["subgroup", "workgroup"]
else:
    CapsComponent = Annotated[str, Meta(pattern=f"^({_KINDS})$")]
    """A component type: one that programs have, one of `OTHER_COMPONENTS`, or any other by its name in Vulkan."""
    CapsScope = Annotated[str, Meta(pattern="^(subgroup|workgroup|VK_SCOPE_[A-Z0-9_]{1,60})$")]
    """A scope: ``subgroup``, ``workgroup``, or one that matrices of programs do not have by its name in Vulkan."""


class FixedSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One ``VkCooperativeMatrixPropertiesKHR``: A is M x K, B is K x N, C and the result are M x N.

    ``saturating``: products have the operand SaturatingAccumulation, and only those with it have this property.
    """

    m: int
    n: int
    k: int
    a: CapsComponent
    b: CapsComponent
    c: CapsComponent
    result: CapsComponent
    saturating: bool = False
    scope: CapsScope = "subgroup"


class FlexibleSize(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One ``VkCooperativeMatrixFlexibleDimensionsPropertiesNV``: M, N and K are multiples of these granularities.

    ``invocations`` is the workgroup size that matrices of workgroup scope need.
    """

    m: int
    n: int
    k: int
    a: CapsComponent
    b: CapsComponent
    c: CapsComponent
    result: CapsComponent
    saturating: bool = False
    scope: CapsScope = "workgroup"
    invocations: int = 128


Property = FixedSize | FlexibleSize
"""One property that a device lists."""


class Features(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``VkPhysicalDeviceCooperativeMatrix2FeaturesNV``: which parts of the NV extension there are."""

    workgroup_scope: bool = True
    flexible_dimensions: bool = True
    reductions: bool = True
    conversions: bool = True
    per_element: bool = True
    tensor_addressing: bool = True
    block_loads: bool = True


class CoopMatCaps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything a device reported, in its own order.

    ``maximum`` is ``cooperativeMatrixFlexibleDimensionsMaxDimension``; ``workgroup_size`` and ``shared_memory`` are
    the largest workgroup with matrices of workgroup scope, and the bytes of shared memory that it gives up for them.
    """

    fixed: tuple[FixedSize, ...]
    flexible: tuple[FlexibleSize, ...] = ()
    maximum: int = 1024
    features: Features = Features()
    workgroup_size: int = 1024
    shared_memory: int = 0

    @property
    def properties(self) -> tuple[Property, ...]:
        """Every property that the features let programs use, the fixed ones first."""
        found: list[Property] = [*self.fixed]
        if self.features.flexible_dimensions:
            found += self.flexible
        return tuple(entry for entry in found if self.features.workgroup_scope or entry.scope != "workgroup")


DEFAULT_CAPS = CoopMatCaps(
    fixed=(
        FixedSize(16, 8, 16, "f16", "f16", "f32", "f32"),
        FixedSize(16, 16, 16, "f16", "f16", "f32", "f32"),
        FixedSize(16, 16, 16, "f16", "f16", "f16", "f16"),
        FixedSize(16, 16, 16, "bf16", "bf16", "f32", "f32"),
        FixedSize(16, 8, 8, "f32", "f32", "f32", "f32"),
        FixedSize(16, 16, 32, "s8", "s8", "s32", "s32"),
        FixedSize(16, 16, 32, "u8", "u8", "u32", "u32"),
        FixedSize(16, 16, 16, "u8", "s8", "s32", "s32"),
        FixedSize(16, 16, 16, "s16", "s16", "s32", "s32"),
        FixedSize(16, 16, 16, "u16", "u16", "u32", "u32"),
        FixedSize(16, 8, 32, "s8", "s8", "s32", "s32", saturating=True),
        FixedSize(16, 8, 32, "u8", "u8", "u32", "u32", saturating=True),
    ),
    flexible=(
        FlexibleSize(32, 32, 16, "f16", "f16", "f32", "f32"),
        FlexibleSize(32, 32, 32, "s8", "s8", "s32", "s32"),
    ),
)
"""The properties of no one device: every component type that compilers take, a product of mixed signs, saturation.

No compiler and no known device takes matrices of f64, though the specification has clauses about them.
"""
