"""The answers of a device to ``D3D12_FEATURE_DATA_WAVE_MMA``, kept as the rows that the query returned.

The query is keyed by datatype and by M and N separately (WM-CAPS-QUERY).
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Datatype = Literal["byte", "float16", "float"]
"""``D3D12_WAVE_MMA_DATATYPE``: 0, 1 and 2. ``byte`` covers both signs, so they share one K (WM-K-UNIQUE)."""

DIMENSIONS = (16, 64)
"""``D3D12_WAVE_MMA_DIMENSION``: the values that M and N can take."""

PRECISION_16 = 0x1
"""Flag of ``D3D12_WAVE_MMA_ACCUM_PRECISION``: 16-bit accumulators."""
PRECISION_32 = 0x2
"""Flag of ``D3D12_WAVE_MMA_ACCUM_PRECISION``: 32-bit accumulators."""

DATATYPES: dict[str, Datatype] = {"u8": "byte", "s8": "byte", "f16": "float16", "f32": "float"}
"""Element of a Left or Right matrix -> the datatype under which it is queried."""

ACCUMULATORS: dict[Datatype, dict[int, str]] = {
    "byte": {PRECISION_32: "s32"},
    "float16": {PRECISION_16: "f16", PRECISION_32: "f32"},
    "float": {PRECISION_32: "f32"},
}
"""Datatype -> precision flag -> element of the accumulators that it stands for.

WM-CAPS-BYTE, WM-CAPS-F16, WM-CAPS-F32.
"""


class WaveMmaSupport(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One answer of the query; the outputs have no meaning where ``supported`` is false."""

    datatype: Datatype
    m: int
    n: int
    supported: bool = True
    k: int = 16
    accum_precision: int = PRECISION_32
    required_wave_size: int = 32


class WaveMmaCaps(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Every answer that a device gave; a combination that is missing is not supported.

    ``wave_lanes`` is the device's range of lanes in a wave.
    """

    support: tuple[WaveMmaSupport, ...]
    wave_lanes: tuple[int, int] = (32, 32)

    def answer(self, datatype: Datatype, m: int, n: int) -> WaveMmaSupport | None:
        """The row of a combination, or None where it is not supported."""
        for row in self.support:
            if (row.datatype, row.m, row.n) == (datatype, m, n) and row.supported:
                return row
        return None


def accumulators(answer: WaveMmaSupport) -> tuple[str, ...]:
    """Elements of the accumulators that a row supports, narrowest first."""
    kinds = ACCUMULATORS[answer.datatype]
    return tuple(element for flag, element in sorted(kinds.items()) if answer.accum_precision & flag)


DEFAULT_DEPTH: dict[Datatype, int] = {"byte": 32, "float16": 16, "float": 16}
"""K of the default caps, by datatype."""

_BOTH = PRECISION_16 | PRECISION_32


def _default(datatype: Datatype, m: int, n: int, precision: int, wave_size: int = 32) -> WaveMmaSupport:
    return WaveMmaSupport(datatype, m, n, True, DEFAULT_DEPTH[datatype], precision, wave_size)


DEFAULT_CAPS = WaveMmaCaps(
    (
        *(_default("byte", m, n, PRECISION_32) for m in DIMENSIONS for n in DIMENSIONS),
        _default("float16", 16, 16, _BOTH),
        _default("float16", 16, 64, PRECISION_32),
        _default("float16", 64, 16, PRECISION_16),
        _default("float16", 64, 64, _BOTH),
        _default("float", 16, 16, PRECISION_32, 0),
        _default("float", 64, 16, PRECISION_32, 0),
    ),
    wave_lanes=(32, 64),
)
"""A device with every datatype: bytes in every size, float16 with one or both precisions by size, float in two.

Waves have 32 or 64 lanes; byte and float16 need 32, float takes either.
"""
