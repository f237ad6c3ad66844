"""Programs for blame that are made alike for every kernel on fragments: instrumented ones, and loads moved apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from msgspec import structs

from mmaspec.oracle.spec import Instrumented
from mmaspec.programs import tree
from mmaspec.programs.base import Affine, Buffer, Index, Place
from mmaspec.programs.register_kernels import Fill, Load, Product, RegisterProgram, Repeat, Store, writes

AnyProgram = TypeVar("AnyProgram", bound=RegisterProgram)
ASSIGNED = "constants assigned by statements instead of where operands are declared"
"""What was changed where initialisers of declarations became statements."""
Statement = Load | Store | Product


def instrumented(program: RegisterProgram) -> Instrumented:
    """The program with every written fragment stored to a buffer of its own, one block a wave and pass."""
    taken = {buffer.name for buffer in program.buffers}

    def stored(place: Place, step: Statement, passes: int) -> tuple[Store, Buffer] | None:
        name = writes(step)
        if name is None:
            return None
        own = fresh("seen_" + "_".join(str(part + 1) for part in place.path), taken)
        size = program.lanes * program.fragment(name).vector_bytes * program.waves * passes
        block = Affine(0, wave=passes, loop=1 if len(place.path) > 1 else 0)
        return Store(name, own, block), Buffer(own, size)

    return Instrumented(*tree.instrument(program, stored))


def carried(program: RegisterProgram, place: Place, step: Product) -> bool:
    """Whether the addend is the result of an earlier pass of the enclosing loop."""
    outer = program.body[place.path[0]]
    return isinstance(outer, Repeat) and any(writes(plain) == step.c for plain in outer.body)


def assigned(program: AnyProgram, place: Place, step: Product) -> tuple[AnyProgram, Place] | None:
    """The program in which a product's operands get by statements what their declarations give them, and its place.

    None where none of them is initialised where it is declared.
    """
    names = dict.fromkeys(name for name in (step.a, step.b, step.c) if name is not None)
    given = [fragment for fragment in map(program.fragment, names) if fragment.fill is not None]
    if not given:
        return None
    late = {fragment.name: structs.replace(fragment, fill=None) for fragment in given}
    changed: AnyProgram = structs.replace(  # type: ignore[type-var]
        program,  # pyright: ignore[reportArgumentType] - every program is a struct, which its protocol cannot say
        fragments=tuple(late.get(fragment.name, fragment) for fragment in program.fragments),
        body=(*(Fill(fragment.name, fragment.fill) for fragment in given), *program.body),
    )
    first, *inner = place.path
    return changed, Place((first + len(given), *inner), place.loop)


def loaded_alone(program: AnyProgram, place: Place, step: Load) -> AnyProgram | None:
    """The program with a buffer of its own for a load, from its start on; None unless its data are its alone."""
    if step.data is None or _shared(program, place, step):
        return None
    fragment, count = program.fragment(step.into), tree.passes(program, place)
    block, by_wave, by_loop = _own_blocks(step.block, count)
    blocks = (program.waves if by_wave else 1) * (count if by_loop else 1)
    name = fresh("own", {buffer.name for buffer in program.buffers})
    buffer = Buffer(name, blocks * program.lanes * fragment.vector_bytes)
    grown: AnyProgram = structs.replace(program, buffers=(*program.buffers, buffer))  # type: ignore[type-var]
    return tree.replace(grown, place, structs.replace(step, buffer=name, block=block))


def _shared(program: RegisterProgram, place: Place, step: Load) -> bool:
    """Whether another load finds the same data, which would then lie in two places."""
    return any(
        isinstance(other, Load) and elsewhere.path != place.path and other.data == step.data
        for elsewhere, other, _ in tree.walk(program)
    )


def with_numbers(program: AnyProgram, place: Place, step: Product, bits: int, wide: int) -> Iterator[AnyProgram]:
    """The program with the same number everywhere in some operands of a product of floats, its addend first.

    ``bits`` are those of the number in factors, ``wide`` those in the addend.
    """
    taken = {fragment.name for fragment in program.fragments}
    like = {"a": step.a, "b": step.b, "c": step.d}
    plain: dict[str, Any] = {
        role: structs.replace(
            program.fragment(name),
            name=fresh(f"plain_{role}", taken),
            fill=wide if role == "c" else bits,
        )
        for role, name in like.items()
    }
    for roles in ("c", "b", "bc", "a", "ac"):
        given: dict[str, object] = {role: plain[role].name for role in roles}
        if "c" in roles and hasattr(step, "inline"):
            given["inline"] = 0
        declared = (*program.fragments, *(plain[role] for role in roles))
        grown: AnyProgram = structs.replace(program, fragments=declared)  # type: ignore[type-var]
        yield tree.replace(grown, place, structs.replace(step, **given))  # type: ignore[type-var]


def fresh(name: str, taken: set[str]) -> str:
    """A name like ``name`` that is not taken; it is taken from now on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _own_blocks(block: Index, count: int) -> tuple[Affine, bool, bool]:
    """Blocks from 0 on that keep an argument's dependence on wave and pass, and which of them it depends on."""
    affine = block if isinstance(block, Affine) else Affine(0)
    by_wave, by_loop = affine.wave != 0 or affine.row != 0, affine.loop != 0
    return Affine(0, wave=(count if by_loop else 1) * by_wave, loop=int(by_loop)), by_wave, by_loop
