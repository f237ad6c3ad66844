"""Legal variants of WaveMatrix alone: a conversion that flushes, and caps with waves of other sizes."""

from __future__ import annotations

from mmaspec.backends.numpy.backend import OwnVariant
from mmaspec.backends.numpy.hlsl_wave_matrix.flushing import FlushingLoads
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

VARIANTS: tuple[OwnVariant[WaveMmaCaps], ...] = (
    OwnVariant(
        "flush-on-load",
        "A WaveMatrix Load converts into an opaque format, and nothing says that subnormals survive it.",
        FlushingLoads,
        liberties=frozenset({"subnormals"}),
    ),
    *(
        OwnVariant(
            f"waves-of-{size}",
            f"A WaveMatrix device says which waves its matrices need: {says}.",
            caps=caps,
            rows=("int", "float"),
        )
        for size, says, caps in (
            (64, "64 lanes, where it has waves of 32 as well", WAVES_OF_64),
            (16, "16 lanes or any number from 8 to 32, with a K that differs by size", WAVES_OF_16),
            (8, "8 lanes, 16, or either", WAVES_OF_8),
        )
    ),
)
