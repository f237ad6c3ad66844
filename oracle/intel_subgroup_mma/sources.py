"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.intel_subgroup_mma.addresses import access_bits, element_format
from mmaspec.oracle.register_kernels.sources import ROLES, apart, gathered
from mmaspec.oracle.source import Source
from mmaspec.programs.base import Place
from mmaspec.programs.intel_subgroup_mma.program import Load, MadProgram


def sources(program: MadProgram) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only."""

    def sources_of(_: Place, step: Load, count: int) -> Iterator[Source]:
        assert step.data is not None
        fragment = program.fragment(step.into)
        fmt, bits = element_format(fragment), access_bits(program, step, *apart(program, step, count))[None]
        first_bits = bits % 8 if fmt.bits < 8 else None
        yield Source(step.data, ROLES[fragment.use], fmt, step.buffer, bits // 8, first_bits=first_bits)

    return gathered(program, sources_of)
