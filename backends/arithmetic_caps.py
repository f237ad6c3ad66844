"""Caps cut down to the types that an arithmetic unit supports, specification by specification."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps
from mmaspec.programs.hlsl_wave_matrix.caps import ACCUMULATORS, DATATYPES, WaveMmaCaps, WaveMmaSupport
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, Property

Supports = Callable[[str, str, str], bool]
"""Formats of A, B and C -> whether there is arithmetic for them."""


def offered(spec: str, caps: Any, supports: Supports) -> Any | None:
    """The rows of ``caps`` all of whose types are supported; None if there are none."""
    return _CUT[spec](caps, supports)


def _wave_matrix(caps: WaveMmaCaps, supports: Supports) -> WaveMmaCaps | None:
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


def _rdna3(caps: Caps, supports: Supports) -> Caps | None:
    """A builtin stays if it is supported with all of its sign flags."""

    def whole(builtin: str) -> bool:
        result, _, operands, _ = builtin.split("_")
        if operands == "iu8":
            return all(supports(a, b, "s32") for a, b in product(("u8", "s8"), repeat=2))
        return supports(operands, operands, result)

    kept = tuple(builtin for builtin in caps.builtins if whole(builtin))
    return replace(caps, builtins=kept) if kept else None


def _coopmat2(caps: CoopMatCaps, supports: Supports) -> CoopMatCaps | None:
    """A property stays if its product is supported, does not saturate, and leaves a result like C."""

    def plain(entry: Property) -> bool:
        return entry.c == entry.result and not entry.saturating and supports(entry.a, entry.b, entry.c)

    fixed = tuple(entry for entry in caps.fixed if plain(entry))
    flexible = tuple(entry for entry in caps.flexible if plain(entry))
    return replace(caps, fixed=fixed, flexible=flexible) if fixed or flexible else None


_CUT: Mapping[str, Callable[[Any, Supports], Any | None]] = MappingProxyType(
    {"amd-rdna3-wmma": _rdna3, "hlsl-wave-matrix": _wave_matrix, "nv-coopmat2": _coopmat2}
)
