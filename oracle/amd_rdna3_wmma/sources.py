"""The data of a program's loads: their elements, and where each lies in memory."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.amd_rdna3_wmma.addresses import access_addresses, element_format
from mmaspec.oracle.register_kernels.sources import ROLES, apart, gathered
from mmaspec.oracle.source import Source
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Load, Wmma, WmmaProgram
from mmaspec.programs.base import Place
from mmaspec.programs.formats import Format, format_named
from mmaspec.programs.tree import walk


def sources(program: WmmaProgram) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only."""

    def sources_of(place: Place, step: Load, count: int) -> Iterator[Source]:
        return _sources_of(program, place, step, count)

    return gathered(program, sources_of)  # type: ignore[arg-type]


def _sources_of(program: WmmaProgram, place: Place, step: Load, count: int) -> Iterator[Source]:
    fragment = program.fragment(step.into)
    waves, passes = apart(program, step, count)
    addresses = access_addresses(step, fragment, program.wave_size, waves, passes)
    role, fmt = ROLES[fragment.use], _read_as(program, place, fragment)
    names = (step.data, *step.replicas)
    assert step.data is not None
    if len(set(names)) == 1:
        yield Source(step.data, role, fmt, step.buffer, addresses)
        return
    for copy, name in enumerate(names):
        assert name is not None
        mine = addresses[[n for n, other in enumerate(names) if other == name]]
        if name not in names[:copy]:
            yield Source(name, role, fmt, step.buffer, mine)


def _read_as(program: WmmaProgram, place: Place, fragment: Fragment) -> Format:
    """The format under which the next instruction takes the fragment: bytes have their sign from its flag."""
    fmt = element_format(fragment)
    if fmt.name != "u8":
        return fmt
    for _, step, _ in sorted(walk(program), key=lambda item: item[0].path < place.path):
        if isinstance(step, Wmma) and fragment.name in (step.a, step.b):
            sign = step.a_sign if fragment.name == step.a else step.b_sign
            return format_named("s8") if sign is True else fmt
    return fmt
