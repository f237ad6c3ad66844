"""Caps reduced to the types that an arithmetic unit supports."""

from __future__ import annotations

from itertools import product

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Supports
from mmaspec.programs.hlsl_wave_matrix.caps import ACCUMULATORS, DATATYPES, WaveMmaCaps, WaveMmaSupport


def offered(caps: WaveMmaCaps, supports: Supports) -> WaveMmaCaps | None:
    """A row of the query stays with those accumulators that every pair of its elements has."""

    def precision(answer: WaveMmaSupport) -> int:
        elements = [element for element, datatype in DATATYPES.items() if datatype == answer.datatype]
        flags = 0
        for flag, accumulator in ACCUMULATORS[answer.datatype].items():
            if all(supports(a, b, accumulator) for a, b in product(elements, repeat=2)):
                flags |= flag
        return answer.accum_precision & flags

    kept = tuple(replace(answer, accum_precision=flags) for answer in caps.support if (flags := precision(answer)))
    return replace(caps, support=kept) if kept else None
