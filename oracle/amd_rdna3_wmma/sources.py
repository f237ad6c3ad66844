"""Where a program's data lie, how its states are shown, and what can be changed about one instruction."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from mmaspec.oracle.amd_rdna3_wmma.addresses import access_addresses, block_bytes, element_format
from mmaspec.oracle.source import Source
from mmaspec.oracle.spec import Observed
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Fragment, Load, Plain, Repeat, Store, Wmma, WmmaProgram
from mmaspec.programs.base import Affine, Buffer, Index, Place
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import Format, format_named


def placed(program: WmmaProgram) -> Iterator[tuple[tuple[int, ...], Plain, int]]:
    """Every written instruction once: its path, itself, and how often it runs."""
    for outer, instruction in enumerate(program.body):
        if isinstance(instruction, Repeat):
            for inner, plain in enumerate(instruction.body):
                yield (outer, inner), plain, instruction.count
        else:
            yield (outer,), instruction, 1


def sources(program: WmmaProgram) -> tuple[Source, ...]:
    """The data of every load that names some; a name may come again for the same bytes only."""
    found: dict[str, Source] = {}
    for path, step, count in placed(program):
        if isinstance(step, Load) and step.data is not None:
            for source in _sources_of(program, path, step, count):
                known = found.setdefault(source.name, source)
                if known.buffer != source.buffer or not np.array_equal(known.addresses, source.addresses):
                    raise BadInput(f"program: data {source.name!r} named for two different places")
    _check_apart(found)
    return tuple(found.values())


def _sources_of(program: WmmaProgram, path: tuple[int, ...], step: Load, count: int) -> Iterator[Source]:
    fragment = program.fragment(step.into)
    block = step.block if isinstance(step.block, Affine) else Affine(0)
    waves = program.waves if block.wave else 1
    passes = range(count if block.loop else 1)
    addresses = access_addresses(step, fragment, program.wave_size, waves, passes)
    role = {"a": "a", "b": "b", "cd": "c"}[fragment.use]
    fmt = _read_as(program, path, fragment)
    names = (step.data, *step.replicas)
    if len(set(names)) == 1:
        yield Source(names[0], role, fmt, step.buffer, addresses)  # type: ignore[arg-type]
        return
    for copy, name in enumerate(names):
        mine = addresses[[n for n, other in enumerate(names) if other == name]]
        if name not in names[:copy]:
            yield Source(name, role, fmt, step.buffer, mine)  # type: ignore[arg-type]


def _read_as(program: WmmaProgram, path: tuple[int, ...], fragment: Fragment) -> Format:
    """The format under which the next instruction takes the fragment: bytes have their sign from its flag."""
    fmt = element_format(fragment)
    if fmt.name != "u8":
        return fmt
    for _, step, _ in sorted(placed(program), key=lambda item: item[0] < path):
        if isinstance(step, Wmma) and fragment.name in (step.a, step.b):
            sign = step.a_sign if fragment.name == step.a else step.b_sign
            return format_named("s8") if sign is True else fmt
    return fmt


def _check_apart(found: dict[str, Source]) -> None:
    """Different data need different bytes."""
    spans: dict[str, list[tuple[NDArray[np.int64], Source]]] = {}
    for source in found.values():
        flat = np.unique(source.addresses)
        for taken, other in spans.setdefault(source.buffer, []):
            if np.isin(flat, taken).any():
                raise BadInput(f"program: data {source.name!r} and {other.name!r} lie on the same bytes")
        spans[source.buffer].append((flat, source))


def writes(step: Plain) -> str | None:
    """The fragment that an instruction writes."""
    if isinstance(step, Wmma):
        return step.d
    return step.into if isinstance(step, (Load, Fill)) else None


def observe(program: WmmaProgram) -> Observed:
    """The program with every written fragment stored to a buffer of its own, one block a wave and pass."""
    shows: dict[str, Place] = {}
    buffers: list[Buffer] = []
    taken = {buffer.name for buffer in program.buffers}

    def shown(step: Plain, path: tuple[int, ...], count: int) -> tuple[Plain, ...]:
        name = writes(step)
        if name is None:
            return (step,)
        buffer = fresh("seen_" + "_".join(str(part + 1) for part in path), taken)
        fragment = program.fragment(name)
        buffers.append(Buffer(buffer, block_bytes(fragment, program.wave_size) * program.waves * count))
        shows[buffer] = Place(path)
        return (step, Store(name, buffer, Affine(0, wave=count, loop=1 if len(path) > 1 else 0)))

    body: list[Plain | Repeat] = []
    for outer, step in enumerate(program.body):
        if isinstance(step, Repeat):
            inside = [one for n, plain in enumerate(step.body) for one in shown(plain, (outer, n), step.count)]
            body.append(replace(step, body=tuple(inside)))
        else:
            body.extend(shown(step, (outer,), 1))
    return Observed(replace(program, buffers=(*program.buffers, *buffers), body=tuple(body)), shows)


def fresh(name: str, taken: set[str]) -> str:
    """A name like ``name`` that is not taken; it is taken from now on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def instruction_at(program: WmmaProgram, path: tuple[int, ...]) -> Plain:
    """The instruction at a path."""
    outer = program.body[path[0]]
    if isinstance(outer, Repeat):
        return outer.body[path[1]]
    return outer


def changed(program: WmmaProgram, path: tuple[int, ...], change: Callable[[Plain], Plain]) -> WmmaProgram:
    """The program with one instruction changed."""
    body = list(program.body)
    outer = body[path[0]]
    if isinstance(outer, Repeat):
        inside = list(outer.body)
        inside[path[1]] = change(inside[path[1]])
        body[path[0]] = replace(outer, body=tuple(inside))
    else:
        body[path[0]] = change(outer)
    return replace(program, body=tuple(body))


def own_blocks(block: Index, count: int) -> tuple[Affine, bool, bool]:
    """Blocks from 0 on that keep an argument's dependence on wave and pass, and which of them it depends on."""
    affine = block if isinstance(block, Affine) else Affine(0)
    by_wave, by_loop = affine.wave != 0, affine.loop != 0
    return Affine(0, wave=(count if by_loop else 1) * by_wave, loop=int(by_loop)), by_wave, by_loop
