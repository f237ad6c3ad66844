"""Programs for blame: ablations, with one circumstance removed, and the instrumented program."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.coverage import PACKED
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, component_of_a, component_of_b, signatures
from mmaspec.oracle.intel_subgroup_mma.rule_context import meant
from mmaspec.oracle.register_kernels.blame import ASSIGNED, assigned, carried, fresh, loaded_alone, with_numbers
from mmaspec.oracle.register_kernels.blame import instrumented as instrumented_kernel
from mmaspec.oracle.spec import Ablation, DataEdit, Instrumented
from mmaspec.programs import tree
from mmaspec.programs.base import Place
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, Form
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, Mad, MadProgram, Plain

_SOME_BITS = {"f32": 0x40A00000, "s32": 0x00000305, "f16": 0x4500, "bf16": 0x40A0}
"""What an accumulator holds -> a constant addend: 5.0, or an integer with two bytes set."""

_TAME_BITS = 1 << 22
"""An integer addend above the magnitude of any negative sum of products, with room for every other one."""

_WIDE_BITS = (1 << 32) - (1 << 30) + 5
"""An integer addend with which no sum leaves 32 bits, and each has the sign and most of the bits of one that might."""

_IN_A_WORD: dict[int, DataEdit] = {8: "k alike in fours", 4: "k alike in eights", 16: "k alike in twos"}
"""Width of an element -> data of which it makes no difference how 32 bits are packed."""


def instrumented(program: MadProgram) -> Instrumented:
    """The program with every written variable stored to a buffer of its own, one block a sub-group and pass."""
    return instrumented_kernel(program)


def ablations(program: MadProgram, place: Place) -> tuple[Ablation, ...]:
    """Every circumstance of the instruction at ``place``, the most telling first."""
    step: Plain = tree.at(program, place)
    if isinstance(step, Mad):
        signature = meant(program, step)
        return () if signature is None else tuple(_of_mad(program, place, step, signature))
    if isinstance(step, Load):
        alone = loaded_alone(program, place, step)
        return () if alone is None else (Ablation("ISGMMA-MEM-FREE", alone),)
    return ()


def _of_mad(program: MadProgram, place: Place, step: Mad, signature: Signature) -> Iterator[Ablation]:
    def with_step(clause: str, new: Mad, *fragments: Fragment) -> Ablation:
        grown = replace(program, fragments=(*program.fragments, *fragments))
        return Ablation(clause, tree.replace(grown, place, new))

    taken = {fragment.name for fragment in program.fragments}
    form, d = FORMS[signature.form], program.fragment(step.d)

    def constant(name: str, bits: int) -> Fragment:
        return replace(d, name=fresh(name, taken), fill=bits)

    if (late := assigned(program, place, step)) is not None:
        yield Ablation("ISGMMA-MEM-FREE", *late, says=ASSIGNED)
    yield from _of_signs(program, place, step, signature)
    if step.c is not None and carried(program, place, step):
        some = constant("constant", _SOME_BITS[d.holds])
        yield with_step("ISGMMA-BY-VALUE", replace(step, c=some.name), some)
    elif step.c is not None and step.c == step.d:  # in a loop the sum would not be passed on
        other = constant("other", 0)
        yield with_step("ISGMMA-BY-VALUE", replace(step, d=other.name), other)
    elif step.c is None:
        declared = constant("zeros", 0)
        yield with_step("ISGMMA-BY-VALUE", replace(step, c=declared.name), declared)
    if form.integer:
        wide = constant("wide", _WIDE_BITS)
        wraps = with_step("ISGMMA-INT-WRAP", replace(step, c=wide.name), wide)
        yield Ablation(wraps.clause, wraps.program, clears=False)
        # Its low bits are zero and no sum with it is negative: what goes away was lost range, or hung on the addend.
        tame = constant("tame", _TAME_BITS)
        lost = with_step("ISGMMA-INT-ACC", replace(step, c=tame.name), tame)
        yield Ablation(lost.clause, lost.program, clears=False, tells="addends")
    else:
        bits = _SOME_BITS[program.fragment(step.a).holds]
        for numbers in with_numbers(program, place, step, bits, _SOME_BITS[d.holds]):
            yield Ablation("ISGMMA-FP-NAN", numbers, clears=False, tells="nan")
    yield Ablation(PACKED[form.bits], program, data=_IN_A_WORD[form.bits])
    if form.integer:
        yield Ablation("ISGMMA-INT-EXACT", program, data="no product")
    if step.c is not None:
        zero = constant("zero", 0)
        added = with_step("ISGMMA-OP", replace(step, c=zero.name), zero)
        yield Ablation(added.clause, added.program, clears=False)


def _of_signs(program: MadProgram, place: Place, step: Mad, signature: Signature) -> Iterator[Ablation]:
    """The function of the same vectors whose factors have one sign, where the variables are this call's alone."""
    form = FORMS[signature.form]
    if not form.integer or form.a[0] == form.b[0]:
        return
    for sign in "iu":
        other = next(
            one
            for one in signatures()
            if (one.size, one.rows) == (signature.size, signature.rows)
            and (FORMS[one.form].a, FORMS[one.form].b) == (f"{sign}{form.bits}",) * 2
        )
        wanted = FORMS[other.form]
        changed = _held_as(program, step, wanted, signature.size)
        if changed is not None:
            yield Ablation("ISGMMA-SIGN", tree.replace(changed, place, replace(step, function=other.function)))


def _held_as(program: MadProgram, step: Mad, form: Form, size: int) -> MadProgram | None:
    """The program whose factors are declared as a form takes them; None where another call takes them as they are."""
    names = {step.a, step.b}
    others = [one for _, one, _ in tree.walk(program) if isinstance(one, Mad) and one is not step]
    if any(names & {one.a, one.b} for one in others):
        return None
    types = {step.a: component_of_a(form, size), step.b: component_of_b(form)}
    fragments = tuple(
        replace(one, component=types[one.name], holds=_held(one.name == step.a, form)) if one.name in types else one
        for one in program.fragments
    )
    return replace(program, fragments=fragments)


def _held(left: bool, form: Form) -> str:
    return (form.a if left else form.b).replace("i", "s")
