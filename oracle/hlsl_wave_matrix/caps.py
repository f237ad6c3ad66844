"""What a device reports through ``D3D12_FEATURE_DATA_WAVE_MMA``, kept as the rows that the query returned.

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
"""Datatype -> precision flag -> element of the accumulators that the flag stands for (WM-CAPS-BYTE, -F16, -F32)."""


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


DEFAULT_DEPTH: dict[Datatype, int] = {"byte": 32, "float16": 16}
"""K of the default caps, by datatype."""

_DEFAULT_PRECISION: dict[Datatype, int] = {"byte": PRECISION_32, "float16": PRECISION_16 | PRECISION_32}

DEFAULT_CAPS = WaveMmaCaps(
    tuple(
        WaveMmaSupport(datatype, m, n, True, depth, _DEFAULT_PRECISION[datatype], 32)
        for datatype, depth in DEFAULT_DEPTH.items()
        for m in DIMENSIONS
        for n in DIMENSIONS
    )
)
"""A device with byte and float16 in every size, both float16 precisions, and waves of 32 lanes."""
