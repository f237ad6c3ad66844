"""Counterfactuals of what a device answers to the caps query: the reference device with other answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec.structs import replace

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.hlsl_wave_matrix.device import WaveMatrixDevice
from mmaspec.programs.hlsl_wave_matrix.caps import PRECISION_16, Datatype, WaveMmaCaps, WaveMmaSupport

_THIRD_FLAG = 0x4

_misreport = partial(planting.misreport, "hlsl-wave-matrix", WaveMatrixDevice)

Change = Callable[[WaveMmaSupport], WaveMmaSupport]


def _each(change: Change, caps: WaveMmaCaps) -> WaveMmaCaps:
    return replace(caps, support=tuple(change(answer) if answer.supported else answer for answer in caps.support))


def _again(change: Change, caps: WaveMmaCaps) -> WaveMmaCaps:
    """Every answer, and then once more, changed."""
    return replace(caps, support=(*caps.support, *(change(answer) for answer in caps.support if answer.supported)))


def _deeper(by: int, answer: WaveMmaSupport) -> WaveMmaSupport:
    return replace(answer, k=answer.k + by)


def _unsupported(answer: WaveMmaSupport) -> WaveMmaSupport:
    return replace(answer, supported=False)


def _precision(datatype: Datatype, flag: int, answer: WaveMmaSupport) -> WaveMmaSupport:
    if answer.datatype != datatype:
        return answer
    return replace(answer, accum_precision=answer.accum_precision | flag)


def _beyond_the_range(caps: WaveMmaCaps) -> WaveMmaCaps:
    return _each(partial(_with_waves, 2 * max(caps.wave_lanes)), caps)


def _with_waves(size: int, answer: WaveMmaSupport) -> WaveMmaSupport:
    return replace(answer, required_wave_size=size)


REPORTS: tuple[Fault, ...] = (
    _misreport(
        "wm-reports-any-depth", "WM-K-MULT16", "K could be any multiple of 8", partial(_each, partial(_deeper, 8))
    ),
    _misreport("wm-reports-two-depths", "WM-K-UNIQUE", "one size had two K", partial(_again, partial(_deeper, 16))),
    _misreport(
        "wm-reports-yes-and-no", "WM-CAPS-QUERY", "a size were supported and not", partial(_again, _unsupported)
    ),
    _misreport(
        "wm-reports-16-bit-sums-of-bytes",
        "WM-CAPS-BYTE",
        "sums of bytes could have 16 bits",
        partial(_each, partial(_precision, "byte", PRECISION_16)),
        ("byte",),
    ),
    _misreport(
        "wm-reports-third-precision",
        "WM-CAPS-F16",
        "there were a third precision",
        partial(_each, partial(_precision, "float16", _THIRD_FLAG)),
        ("f16",),
    ),
    _misreport(
        "wm-reports-16-bit-sums-of-floats",
        "WM-CAPS-F32",
        "sums of float could have 16 bits",
        partial(_each, partial(_precision, "float", PRECISION_16)),
        ("f32",),
    ),
    _misreport(
        "wm-reports-wave-beyond-range",
        "WM-CAPS-WAVESIZE",
        "a wave larger than the device's could be required",
        _beyond_the_range,
    ),
)
"""They report wrongly, and run every program as they should."""
