"""Caps that the WaveMatrix document allows and the embedded device does not report: waves of other sizes."""

from __future__ import annotations

from mmaspec.programs.hlsl_wave_matrix.caps import PRECISION_16, PRECISION_32, WaveMmaCaps, WaveMmaSupport

_BOTH = PRECISION_16 | PRECISION_32

WAVES_OF_64 = WaveMmaCaps(
    (
        WaveMmaSupport("byte", 16, 16, k=32, required_wave_size=64),
        WaveMmaSupport("byte", 64, 64, k=16, required_wave_size=64),
        WaveMmaSupport("float16", 16, 16, k=16, accum_precision=_BOTH, required_wave_size=64),
        WaveMmaSupport("float", 16, 16, k=16, required_wave_size=64),
    ),
    wave_lanes=(32, 64),
)
"""A device with waves of 32 and 64 lanes, whose matrices need the larger ones."""

WAVES_OF_16 = WaveMmaCaps(
    (
        WaveMmaSupport("byte", 16, 16, k=64, required_wave_size=16),
        WaveMmaSupport("byte", 16, 64, k=32, required_wave_size=0),
        WaveMmaSupport("float16", 16, 16, k=32, accum_precision=_BOTH, required_wave_size=16),
        WaveMmaSupport("float", 16, 16, k=16, required_wave_size=0),
    ),
    wave_lanes=(8, 32),
)
"""Waves of 8 to 32 lanes: most rows need 16, some take any, and K differs by size."""

WAVES_OF_8 = WaveMmaCaps(
    (
        WaveMmaSupport("byte", 16, 16, k=32, required_wave_size=8),
        WaveMmaSupport("float16", 16, 16, k=16, accum_precision=PRECISION_32, required_wave_size=8),
        WaveMmaSupport("float16", 64, 16, k=16, accum_precision=PRECISION_16, required_wave_size=16),
        WaveMmaSupport("float", 16, 16, k=16, required_wave_size=0),
    ),
    wave_lanes=(8, 16),
)
"""Waves of 8 or 16 lanes: rows that need 8, one that needs 16, one that takes either."""
