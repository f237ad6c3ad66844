"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma.addresses import access_bits, element_format, matrices
from mmaspec.oracle.register_kernels.sources import ROLES, apart, gathered
from mmaspec.oracle.source import Source
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fragment, Load, WmmaProgram
from mmaspec.programs.base import Place
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.tree import Path, walk


def sources(program: WmmaProgram) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only."""
    fragments = {fragment.name: fragment for fragment in program.fragments}
    products = [(place.path, step) for place, step, _ in walk(program) if isinstance(step, AnyWmma)]

    def sources_of(place: Place, step: Load, count: int) -> Iterator[Source]:
        fragment = fragments[step.into]
        waves, passes = apart(program, step, count)
        bits = access_bits(step, fragment, program.wave_size, waves, passes)
        role, fmt = ROLES[fragment.use], _read_as(products, place, fragment)
        for name, mine in _named(step, fragment, bits):
            yield Source(name, role, fmt, step.buffer, mine >> 3, first_bits=mine & 7 if fmt.bits < 8 else None)

    return gathered(program, sources_of)  # type: ignore[arg-type]


def _named(step: Load, fragment: Fragment, bits: NDArray[np.int64]) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Names of data and their copies: of both halves, or of the groups of lanes; what has one name is equal."""
    assert step.data is not None
    if fragment.halves:
        names: tuple[str | None, ...] = (step.data, step.high)
        parts = [bits[..., columns] for columns in matrices(fragment)]
    else:
        if not step.replicas:
            yield step.data, bits
            return
        names = (step.data, *step.replicas)
        parts = [bits[copy : copy + 1] for copy in range(len(bits))]
    for name in dict.fromkeys(names):
        if name is not None:
            yield name, np.concatenate([part for part, other in zip(parts, names, strict=True) if other == name])


def _read_as(products: list[tuple[Path, AnyWmma]], place: Place, fragment: Fragment) -> Format:
    """The format under which the next instruction takes the fragment: packed integers have a sign from its flag.

    After the last one comes the first.
    """
    fmt = element_format(fragment)
    if fmt.is_float or fmt.signed:
        return fmt
    first = bisect_left(products, place.path, key=itemgetter(0))
    for number in chain(range(first, len(products)), range(first)):
        step = products[number][1]
        if fragment.name in (step.a, step.b):
            sign = step.a_sign if fragment.name == step.a else step.b_sign
            return format_named(f"s{fmt.bits}") if sign is True else fmt
    return fmt
