"""Reading recorded caps of a Vulkan driver, with the names of the Vulkan structures.

A file is one JSON object. Each key is the name of a structure; properties come as a list of it. Values keep their
Vulkan names (``VK_COMPONENT_TYPE_FLOAT16_KHR``) or numbers, Booleans may be 0 and 1. Keys that say nothing here are
skipped: ``about`` is one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import Struct

from mmaspec.programs.errors import BadInput
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Features, FixedSize, FlexibleSize

FIXED = "VkCooperativeMatrixPropertiesKHR"
FLEXIBLE = "VkCooperativeMatrixFlexibleDimensionsPropertiesNV"
FEATURES = "VkPhysicalDeviceCooperativeMatrix2FeaturesNV"
PROPERTIES = "VkPhysicalDeviceCooperativeMatrix2PropertiesNV"

_KINDS: tuple[tuple[str, int, str], ...] = (
    ("FLOAT16_KHR", 0, "f16"),
    ("FLOAT32_KHR", 1, "f32"),
    ("FLOAT64_KHR", 2, "f64"),
    ("SINT8_KHR", 3, "s8"),
    ("SINT16_KHR", 4, "s16"),
    ("SINT32_KHR", 5, "s32"),
    ("UINT8_KHR", 7, "u8"),
    ("UINT16_KHR", 8, "u16"),
    ("UINT32_KHR", 9, "u32"),
    ("BFLOAT16_KHR", 1000141000, "bf16"),
    ("SINT64_KHR", 6, "s64"),
    ("UINT64_KHR", 10, "u64"),
    ("SINT8_PACKED_NV", 1000491000, "s8-packed"),
    ("UINT8_PACKED_NV", 1000491001, "u8-packed"),
    ("FLOAT8_E4M3_EXT", 1000491002, "e4m3"),
    ("FLOAT8_E5M2_EXT", 1000491003, "e5m2"),
    ("FLOAT_E4M3_NV", 1000491002, "e4m3"),
    ("FLOAT_E5M2_NV", 1000491003, "e5m2"),
)
_BY_NAME: dict[str | int, str] = {f"VK_COMPONENT_TYPE_{name}": kind for name, _, kind in _KINDS}
_BY_NUMBER: dict[str | int, str] = {number: kind for _, number, kind in _KINDS}
COMPONENTS: Mapping[str | int, str] = MappingProxyType(_BY_NAME | _BY_NUMBER)
"""``VkComponentTypeKHR`` by name and by number -> component type."""
SCOPES: Mapping[str | int, str] = MappingProxyType(
    {"VK_SCOPE_SUBGROUP_KHR": "subgroup", "VK_SCOPE_WORKGROUP_KHR": "workgroup", 3: "subgroup", 2: "workgroup"}
)
"""``VkScopeKHR`` by name and by number -> scope."""


class _Kinds(Struct, rename="pascal"):
    """The component types of a property; their names begin with a capital there."""

    a_type: str | int
    b_type: str | int
    c_type: str | int
    result_type: str | int


class _Fixed(_Kinds, rename={"saturating": "saturatingAccumulation", "m": "MSize", "n": "NSize", "k": "KSize"}):
    """``VkCooperativeMatrixPropertiesKHR``."""

    m: int
    n: int
    k: int
    saturating: bool
    scope: str | int


class _Flexible(
    _Kinds,
    rename={
        "saturating": "saturatingAccumulation",
        "m": "MGranularity",
        "n": "NGranularity",
        "k": "KGranularity",
        "invocations": "workgroupInvocations",
    },
):
    """``VkCooperativeMatrixFlexibleDimensionsPropertiesNV``."""

    m: int
    n: int
    k: int
    saturating: bool
    scope: str | int
    invocations: int


_FEATURES = {
    "workgroup_scope": "cooperativeMatrixWorkgroupScope",
    "flexible_dimensions": "cooperativeMatrixFlexibleDimensions",
    "reductions": "cooperativeMatrixReductions",
    "conversions": "cooperativeMatrixConversions",
    "per_element": "cooperativeMatrixPerElementOperations",
    "tensor_addressing": "cooperativeMatrixTensorAddressing",
    "block_loads": "cooperativeMatrixBlockLoads",
}
_LIMITS = {
    "maximum": "cooperativeMatrixFlexibleDimensionsMaxDimension",
    "workgroup_size": "cooperativeMatrixWorkgroupScopeMaxWorkgroupSize",
    "shared_memory": "cooperativeMatrixWorkgroupScopeReservedSharedMemory",
}


def recorded(data: bytes, where: str) -> CoopMatCaps | None:
    """The caps in a file called ``where``; None where it has no ``VkCooperativeMatrixPropertiesKHR``.

    A feature that is not there is off. Component types and scopes that are not known here keep their names in Vulkan.
    Raises ``BadInput`` for a file of the right kind with something wrong in it.
    """
    try:
        found: Any = msgspec.json.decode(data)
        if not isinstance(found, dict) or FIXED not in found:
            return None
        fixed = msgspec.convert(found[FIXED], list[_Fixed], strict=False)
        flexible = msgspec.convert(found.get(FLEXIBLE, []), list[_Flexible], strict=False)
        features = msgspec.convert(found.get(FEATURES, {}), dict[str, bool], strict=False)
        limits = msgspec.convert(found.get(PROPERTIES, {}), dict[str, int], strict=False)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        says = " ".join(str(error).split())
        raise BadInput(f"{where}: not a record of what a Vulkan driver reports: {says}") from error
    caps = CoopMatCaps(
        fixed=tuple(FixedSize(**_plain(entry)) for entry in fixed),
        flexible=tuple(FlexibleSize(**_plain(entry), invocations=entry.invocations) for entry in flexible),
        features=Features(**{name: features.get(vulkan, False) for name, vulkan in _FEATURES.items()}),
        **{name: limits[vulkan] for name, vulkan in _LIMITS.items() if vulkan in limits},
    )
    try:
        return msgspec.convert(msgspec.to_builtins(caps), type=CoopMatCaps)
    except msgspec.ValidationError as error:
        raise BadInput(f"{where}: not a record of what a Vulkan driver reports: {error}") from error


def _plain(entry: _Fixed | _Flexible) -> dict[str, Any]:
    """The fields that both kinds of properties have."""
    return {
        "m": entry.m,
        "n": entry.n,
        "k": entry.k,
        "a": _component(entry.a_type),
        "b": _component(entry.b_type),
        "c": _component(entry.c_type),
        "result": _component(entry.result_type),
        "saturating": entry.saturating,
        "scope": SCOPES.get(entry.scope, _named("VK_SCOPE", entry.scope)),
    }


def _component(value: str | int) -> str:
    return COMPONENTS.get(value, _named("VK_COMPONENT_TYPE", value))


def _named(kind: str, value: str | int) -> str:
    """The name in Vulkan of a value that is not known here."""
    return f"{kind}_{value}" if isinstance(value, int) else value


def _shipped() -> Mapping[str, CoopMatCaps]:
    folder = resources.files("mmaspec.programs.nv_coopmat2").joinpath("devices")
    found = {}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        caps = recorded(file.read_bytes(), file.name) if file.name.endswith(".json") else None
        if caps is not None:
            found[file.name.removesuffix(".json")] = caps
    return MappingProxyType(found)


DEVICES = _shipped()
"""Devices whose caps come with the package: file name without its end -> caps."""
