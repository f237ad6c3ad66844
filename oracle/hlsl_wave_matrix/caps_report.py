"""What a device may answer to the caps query, one function a clause."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, Breach, CapsReport
from mmaspec.programs.hlsl_wave_matrix.caps import (
    ACCUMULATORS,
    DIMENSIONS,
    Datatype,
    WaveMmaCaps,
    WaveMmaSupport,
    accumulators,
)

K_UNIT = 16
WAVE_SIZES = (4, 8, 16, 32, 64, 128)
"""The waves that shaders can be compiled for."""

SHORT: Mapping[Datatype, str] = MappingProxyType({"byte": "byte", "float16": "f16", "float": "f32"})
"""Datatype -> its name in that of a row."""

_PRECISION_CLAUSES: Mapping[Datatype, str] = MappingProxyType(
    {"byte": "WM-CAPS-BYTE", "float16": "WM-CAPS-F16", "float": "WM-CAPS-F32"}
)

AnswerRule = Callable[[WaveMmaSupport, WaveMmaCaps], Iterator[Breach]]
"""(a supported answer, all answers) -> what it breaks."""


def row_names(answer: WaveMmaSupport) -> tuple[str, ...]:
    """The rows that an answer makes: one for each accumulator, ``byte-16x64-s32``; without any, ``byte-16x64``."""
    stem = f"{SHORT[answer.datatype]}-{answer.m}x{answer.n}"
    return tuple(f"{stem}-{accumulator}" for accumulator in accumulators(answer)) or (stem,)


def k_mult16(answer: WaveMmaSupport, _: WaveMmaCaps) -> Iterator[Breach]:
    """WM-K-MULT16: K is a multiple of 16, and not 0 (reading of WM-AMB-02: any multiple)."""
    if answer.k <= 0 or answer.k % K_UNIT:
        yield Breach("WM-K-MULT16", f"K = {answer.k}", f"a multiple of {K_UNIT}")


def k_unique(answer: WaveMmaSupport, caps: WaveMmaCaps) -> Iterator[Breach]:
    """WM-K-UNIQUE: one K for each datatype, M and N."""
    depths = sorted({other.k for other in _same_question(answer, caps) if other.supported})
    if len(depths) > 1:
        several = " and ".join(map(str, depths))
        yield Breach("WM-K-UNIQUE", f"K = {several} for one datatype, M and N", "a single K")


def query(answer: WaveMmaSupport, caps: WaveMmaCaps) -> Iterator[Breach]:
    """WM-CAPS-QUERY: M and N can be asked for, and a question has one answer."""
    if answer.m not in DIMENSIONS or answer.n not in DIMENSIONS:
        sizes = " or ".join(map(str, DIMENSIONS))
        yield Breach("WM-CAPS-QUERY", f"M = {answer.m}, N = {answer.n}", f"{sizes} for both")
    elif len({replace(other, k=0) if other.supported else None for other in _same_question(answer, caps)}) > 1:
        yield Breach("WM-CAPS-QUERY", "different answers for one datatype, M and N", "a single answer")


def precision(answer: WaveMmaSupport, _: WaveMmaCaps) -> Iterator[Breach]:
    """WM-CAPS-BYTE, WM-CAPS-F16, WM-CAPS-F32: the precision flags are some of those that the datatype can have."""
    flags = ACCUMULATORS[answer.datatype]
    if not answer.accum_precision or answer.accum_precision & ~sum(flags):
        found = f"accumulator precision {answer.accum_precision:#x}"
        known = " or ".join(f"{mask:#x}" for mask in range(1, sum(flags) + 1) if not mask & ~sum(flags))
        yield Breach(_PRECISION_CLAUSES[answer.datatype], found, known)


def wave_size(answer: WaveMmaSupport, caps: WaveMmaCaps) -> Iterator[Breach]:
    """WM-CAPS-WAVESIZE: the required wave size lies in the range of lanes, or is 0 and the range has some."""
    low, high = caps.wave_lanes
    size = answer.required_wave_size
    if not 0 < low <= high:
        yield Breach("WM-CAPS-WAVESIZE", f"waves of {low} to {high} lanes", "a range that holds a wave size")
    elif size and not low <= size <= high:
        yield Breach("WM-CAPS-WAVESIZE", f"required wave size {size}", f"{low} to {high}, the lanes of its waves, or 0")


RULES: tuple[AnswerRule, ...] = (k_mult16, k_unique, query, precision, wave_size)
"""In the order in which a report names what is broken."""


def _same_question(answer: WaveMmaSupport, caps: WaveMmaCaps) -> Iterator[WaveMmaSupport]:
    key = (answer.datatype, answer.m, answer.n)
    return (other for other in caps.support if (other.datatype, other.m, other.n) == key)


def _not_covered(answer: WaveMmaSupport, caps: WaveMmaCaps) -> str:
    low, high = (answer.required_wave_size,) * 2 if answer.required_wave_size else caps.wave_lanes
    if any(low <= size <= high for size in WAVE_SIZES):
        return ""
    return f"no shader has waves of {low}{f' to {high}' if low != high else ''} lanes"


@lru_cache(maxsize=16)
def caps_report(caps: WaveMmaCaps) -> CapsReport[WaveMmaCaps]:
    """The answers of a device, judged one by one; what is not supported has no meaning beyond that."""
    found = []
    kept = []
    for answer in caps.support:
        if not answer.supported:
            kept.append(answer)
            continue
        breaches = tuple(breach for rule in RULES for breach in rule(answer, caps))
        why = "" if breaches else _not_covered(answer, caps)
        found.append(Answer(row_names(answer), breaches, why))
        if not breaches and not why and answer not in kept:
            kept.append(answer)
    usable = caps if len(kept) == len(caps.support) else replace(caps, support=tuple(kept))
    return CapsReport(usable, caps, tuple(found))
