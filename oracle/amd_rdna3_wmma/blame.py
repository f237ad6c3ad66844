"""One circumstance of one instruction taken away: what then goes away was wrong about it."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma.addresses import block_bytes
from mmaspec.oracle.amd_rdna3_wmma.sources import changed, fresh, instruction_at, own_blocks, placed, writes
from mmaspec.oracle.spec import Toggle
from mmaspec.programs.amd_rdna3_wmma.program import Fragment, Load, Repeat, Wmma, WmmaProgram
from mmaspec.programs.base import Buffer, Place

_SOME_BITS = {"float": 0x40A00000, "int": 0x00000305}
"""A constant addend: 5.0, and an integer with two bytes set."""

_TAME_BITS = 1 << 20
"""An integer addend above the magnitude of any negative sum of products, with room for every other one."""


def toggles(program: WmmaProgram, place: Place) -> tuple[Toggle, ...]:
    """Every circumstance of the instruction at ``place``, the most telling first."""
    step = instruction_at(program, place.path)
    if isinstance(step, Wmma):
        return tuple(_of_wmma(program, place.path, step))
    if isinstance(step, Load):
        return tuple(_of_load(program, place.path, step))
    return ()


def _of_wmma(program: WmmaProgram, path: tuple[int, ...], step: Wmma) -> Iterator[Toggle]:
    def with_step(clause: str, new: Wmma, *fragments: Fragment) -> Toggle:
        grown = replace(program, fragments=(*program.fragments, *fragments))
        return Toggle(clause, changed(grown, path, lambda _: new))

    taken = {fragment.name for fragment in program.fragments}
    d = program.fragment(step.d)
    if step.clamp is not None:
        clause = "RDNA3-IU-CLAMP" if step.clamp else "RDNA3-IU-NOCLAMP"
        yield with_step(clause, replace(step, clamp=not step.clamp))
    for sign in (True, False):
        if step.a_sign is not None and (step.a_sign, step.b_sign) != (sign, sign):
            yield with_step("RDNA3-IU-SIGN", replace(step, a_sign=sign, b_sign=sign))
    zero = Fragment(fresh("zero", taken), "cd", d.element, d.count, fill=0)
    if step.c is None:
        yield with_step("RDNA3-ZERO-C", replace(step, c=zero.name), zero)
        return
    if _carried(program, path, step):
        some = Fragment(fresh("constant", taken), "cd", d.element, d.count, fill=_SOME_BITS.get(d.element, 0))
        yield with_step("RDNA3-TILE", replace(step, c=some.name), some)
    if step.c == step.d:
        other = Fragment(fresh("other", taken), "cd", d.element, d.count, fill=0)
        yield with_step("RDNA3-INPLACE", replace(step, d=other.name), other)
    if step.clamp is not None:
        # Its low bits are zero and no sum with it is negative: what goes away was lost range.
        tame = Fragment(fresh("tame", taken), "cd", d.element, d.count, fill=_TAME_BITS)
        yield with_step("RDNA3-IU-ACC", replace(step, c=tame.name), tame)
    yield with_step("RDNA3-MMA", replace(step, c=zero.name), zero)


def _carried(program: WmmaProgram, path: tuple[int, ...], step: Wmma) -> bool:
    """Whether the addend is what an earlier pass of the enclosing loop left."""
    outer = program.body[path[0]]
    return isinstance(outer, Repeat) and any(writes(plain) == step.c for plain in outer.body)


def _of_load(program: WmmaProgram, path: tuple[int, ...], step: Load) -> Iterator[Toggle]:
    """A buffer of its own, from its start on; only for data that no other load finds."""
    if step.data is None or _shared(program, path, step):
        return
    fragment = program.fragment(step.into)
    count = next(times for at_path, _, times in placed(program) if at_path == path)
    block, by_wave, by_loop = own_blocks(step.block, count)
    blocks = (program.waves if by_wave else 1) * (count if by_loop else 1)
    name = fresh("own", {buffer.name for buffer in program.buffers})
    buffer = Buffer(name, blocks * block_bytes(fragment, program.wave_size))
    grown = replace(program, buffers=(*program.buffers, buffer))
    yield Toggle("RDNA3-MEM-FREE", changed(grown, path, lambda _: replace(step, buffer=name, block=block)))


def _shared(program: WmmaProgram, path: tuple[int, ...], step: Load) -> bool:
    """Whether another load finds the same data, which would then lie in two places."""
    return any(
        isinstance(other, Load) and other_path != path and other.data == step.data
        for other_path, other, _ in placed(program)
    )
