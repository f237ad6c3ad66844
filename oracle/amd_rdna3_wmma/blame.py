"""Programs for blame: ablations, with one circumstance removed, and the instrumented program."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.amd_rdna3_wmma.addresses import element_format
from mmaspec.oracle.amd_rdna3_wmma.alike import alike, flags_alike, words
from mmaspec.oracle.amd_rdna3_wmma.coverage import PACKED
from mmaspec.oracle.amd_rdna3_wmma.modifiers import inline_bits
from mmaspec.oracle.register_kernels.blame import ASSIGNED, assigned, carried, fresh, loaded_alone, with_numbers
from mmaspec.oracle.register_kernels.blame import instrumented as instrumented_kernel
from mmaspec.oracle.spec import Ablation, DataEdit, Instrumented
from mmaspec.programs import tree
from mmaspec.programs.amd_rdna3_wmma.instruction import NO_BITS
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Fill, Fragment, Load, Plain, VWmma, WmmaProgram
from mmaspec.programs.base import Place

_SOME_BITS = {"float": 0x40A00000, "int": 0x00000305, "half": 0x4500, "short": 0x40A0}
"""A constant addend: 5.0, and an integer with two bytes set."""

_IN_A_REGISTER: dict[int, DataEdit] = {16: "k alike in twos", 8: "k alike in fours", 4: "k alike in eights"}
"""Bits of an element of A and B -> data of which it makes no difference how a register holds them."""

LIKE_FLAGS = words("OPSEL")
"""What was changed where OPSEL of another call may have stayed on."""

_TAME_BITS = 1 << 20
"""An integer addend above the magnitude of any negative sum of products, with room for every other one."""


def instrumented(program: WmmaProgram) -> Instrumented:
    """The program with every written fragment stored to a buffer of its own, one block a wave and pass."""
    return instrumented_kernel(program)


def ablations(program: WmmaProgram, place: Place) -> tuple[Ablation, ...]:
    """Every circumstance of the instruction at ``place``, the most telling first."""
    step: Plain = tree.at(program, place)
    if isinstance(step, AnyWmma):
        return tuple(_of_wmma(program, place, step))
    if isinstance(step, Load):
        return tuple(_of_load(program, place, step))
    if isinstance(step, Fill):
        return tuple(_of_fill(program, place, step))
    return ()


def _of_wmma(program: WmmaProgram, place: Place, step: AnyWmma) -> Iterator[Ablation]:
    def with_step(clause: str, new: AnyWmma, *fragments: Fragment) -> Ablation:
        grown = replace(program, fragments=(*program.fragments, *fragments))
        return Ablation(clause, tree.replace(grown, place, new))

    taken = {fragment.name for fragment in program.fragments}
    d = program.fragment(step.d)
    integer = step.a_sign is not None
    yield from _assigned(program, place, step)
    # Before the flags themselves are: with others of its own it may be right as well, which tells less.
    yield from flags_alike(program, step)
    yield from (with_step(clause, other) for clause, other in _with_others(step))
    if step.opsel is not None:
        yield from _of_halves(program, place, step)
    zero = Fragment(fresh("zero", taken), "cd", d.element, d.count, fill=0)
    # Its low bits are zero and no sum with it is negative: what goes away was lost range, or hung on the addend.
    tame = Fragment(fresh("tame", taken), "cd", d.element, d.count, fill=_TAME_BITS)
    lost: tuple[Ablation, ...] = ()
    if integer:
        another = with_step("RDNA3-IU-ACC", _with_addend(step, tame), tame)
        lost = (Ablation(another.clause, another.program, clears=False, tells="addends"),)
    else:
        bits = _SOME_BITS[program.fragment(step.a).element]
        for numbers in with_numbers(program, place, step, bits, _SOME_BITS[d.element]):
            yield Ablation("RDNA3-FP-NAN", numbers, clears=False, tells="nan")
    if step.c is None:
        if not isinstance(step, VWmma) or step.inline == 0:
            yield with_step("RDNA3-ZERO-C", replace(step, c=zero.name), zero)
            yield from lost
            yield from _of_data(program, step)
            return
        same = Fragment(zero.name, "cd", d.element, d.count, fill=inline_bits(step, element_format(d)))
        yield with_step("RDNA3-C-INLINE", _with_addend(step, same), same)
        yield from lost
        yield from _of_data(program, step)
        added = with_step("RDNA3-MMA", replace(step, inline=0))
        yield Ablation(added.clause, added.program, clears=False)
        return
    if carried(program, place, step):
        some = Fragment(fresh("constant", taken), "cd", d.element, d.count, fill=_SOME_BITS[d.element])
        yield with_step("RDNA3-TILE", replace(step, c=some.name), some)
    elif step.c == step.d:  # in a loop the sum would not be passed on
        other = Fragment(fresh("other", taken), "cd", d.element, d.count, fill=0)
        yield with_step("RDNA3-INPLACE", replace(step, d=other.name), other)
    yield from lost
    yield from _of_data(program, step)
    added = with_step("RDNA3-MMA", replace(step, c=zero.name), zero)
    yield Ablation(added.clause, added.program, clears=False)


def _with_addend(step: AnyWmma, c: Fragment) -> AnyWmma:
    """The same with a fragment for C."""
    return replace(step, c=c.name, inline=0) if isinstance(step, VWmma) else replace(step, c=c.name)


def _assigned(program: WmmaProgram, place: Place, step: AnyWmma) -> Iterator[Ablation]:
    """Operands get by statements what their declarations give them."""
    if (late := assigned(program, place, step)) is not None:
        factors = any(program.fragment(name).fill is not None for name in (step.a, step.b))
        zeros = step.c is not None and program.fragment(step.c).fill == 0 and not factors
        yield Ablation("RDNA3-ZERO-C" if zeros else "RDNA3-MEM-FREE", *late, says=ASSIGNED)


def _with_others(step: AnyWmma) -> Iterator[tuple[str, AnyWmma]]:
    """The same with another value of each of its flags, OPSEL apart, and the clause of that."""
    if step.a_sign is not None:
        yield "RDNA3-IU-CLAMP" if step.clamp else "RDNA3-IU-NOCLAMP", replace(step, clamp=not step.clamp)
        for sign in (True, False):
            if (step.a_sign, step.b_sign) != (sign, sign):
                yield "RDNA3-IU-SIGN", _signed(step, sign)
    elif isinstance(step, VWmma) and (step.neg_lo, step.neg_hi) != (NO_BITS, NO_BITS):
        yield "RDNA3-FP-NEG", replace(step, neg_lo=NO_BITS, neg_hi=NO_BITS)


def _signed(step: AnyWmma, sign: bool) -> AnyWmma:
    """The same with both factors signed, or neither."""
    if isinstance(step, VWmma):
        return replace(step, neg_lo=(sign, sign, step.neg_lo[2]))
    return replace(step, a_sign=sign, b_sign=sign)


def _turned(step: AnyWmma) -> AnyWmma:
    """The same with OPSEL the other way."""
    if isinstance(step, VWmma):
        return replace(step, op_sel=(*step.op_sel[:2], not step.op_sel[2]))
    return replace(step, opsel=not step.opsel)


def _of_halves(program: WmmaProgram, place: Place, step: AnyWmma) -> Iterator[Ablation]:
    """A builtin that leaves anything beside its result; OPSEL alike in all calls, the other way; C in both halves."""
    if isinstance(step, VWmma):
        if step.c is None and step.inline != 0:
            return  # in high halves nothing is judged of a constant, so that whatever is wrong would go away
        if step.c == step.d:
            yield _freed(program, place, step)
    elif "_tied" in step.builtin:
        free = replace(step, builtin=step.builtin.replace("_tied", ""))
        yield Ablation("RDNA3-OPSEL-OTHER", tree.replace(program, place, free))
    clause = "RDNA3-OPSEL-HIGH" if step.opsel else "RDNA3-OPSEL-LOW"
    yield from alike(
        program, step, clause, "OPSEL", lambda other: _turned(other) if other.opsel is (not step.opsel) else None
    )
    yield Ablation(clause, tree.replace(program, place, _turned(step)))
    both = program
    for where, load, _ in tree.walk(program):
        if isinstance(load, Load) and load.into == step.c and load.data is not None and load.high != load.data:
            both = tree.replace(both, where, replace(load, high=load.data))
    if both is not program:
        yield Ablation(clause, both, clears=False)


def _freed(program: WmmaProgram, place: Place, step: VWmma) -> Ablation:
    """C is carried over to another fragment and back first: its other halves may then be anything, D is C as before."""
    taken = {fragment.name for fragment in program.fragments}
    a, b, d = (program.fragment(name) for name in (step.a, step.b, step.d))
    left, right = (Fragment(fresh("zero", taken), one.use, one.element, one.count, fill=0) for one in (a, b))
    other = Fragment(fresh("other", taken), "cd", d.element, d.count)
    plain = replace(step, a=left.name, b=right.name, neg_lo=NO_BITS, neg_hi=NO_BITS)
    grown = replace(program, fragments=(*program.fragments, left, right, other))
    for moving in (replace(plain, c=other.name), replace(plain, d=other.name)):
        grown = tree.insert(grown, place, moving)
    *outer, last = place.path
    return Ablation("RDNA3-OPSEL-OTHER", grown, replace(place, path=(*outer, last + 2)))


def _of_data(program: WmmaProgram, step: AnyWmma) -> Iterator[Ablation]:
    """Factors in which the order of k inside a register makes no difference, nor which copy holds it; and no product.

    Without a product the addend passes through: what is left then is not about the range of the product.
    """
    bits = program.fragment(step.a).element_bits
    yield Ablation(PACKED[bits], program, data=_IN_A_REGISTER[bits])
    if program.wave_size == 32:
        yield Ablation("RDNA3-W32-REPLICATE", program, data="halves of k alike")
    else:
        yield Ablation("RDNA3-W64-REPLICATE", program, data="quarters of k alike")
    if step.a_sign is not None:
        yield Ablation("RDNA3-IU-DOT-RANGE", program, data="no product")


def _of_fill(program: WmmaProgram, place: Place, step: Fill) -> Iterator[Ablation]:
    """Zeros are zeros however they are packed: what stays is that some lane or register does not get them."""
    packed = PACKED.get(program.fragment(step.into).element_bits)
    if packed is not None and program.fragment(step.into).use != "cd" and step.bits:
        yield Ablation(packed, tree.replace(program, place, replace(step, bits=0)))


def _of_load(program: WmmaProgram, place: Place, step: Load) -> Iterator[Ablation]:
    """A buffer of its own, from its start on; only for data that no other load finds."""
    alone = loaded_alone(program, place, step)
    if alone is not None:
        yield Ablation("RDNA3-MEM-FREE", alone)
