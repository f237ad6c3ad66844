"""The programs that are run beside a listed one: those of blame, and those that the reducer tries."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from msgspec.structs import replace

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import AnySpec, spec_named
from mmaspec.programs import tree
from mmaspec.programs.arguments import loaded_arguments
from mmaspec.programs.base import Program
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.recipe import Recipe, materialise
from mmaspec.strategies.reducer import reduce_case
from mmaspec.suites.judging.blaming.circumstances import at_run_time, one_wave
from mmaspec.suites.judging.blaming.differing import Each, alike_in
from mmaspec.suites.judging.blaming.straight import all_straight, straight


def of_blame(spec: AnySpec, resolved: Program) -> Iterator[tuple[str, Program]]:
    """What it is, and the program: with literal arguments, instrumented, every ablation, each of these instrumented."""
    yield "literal arguments", resolved
    yield "instrumented", spec.instrumented(resolved).program
    for place, _, _ in tree.walk(resolved):
        for number, ablation in enumerate(spec.ablations(resolved, place), 1):
            what = f"{ablation.clause}, ablation {number} of {place}"
            yield what, ablation.program
            yield f"{what}, instrumented", spec.instrumented(ablation.program).program


def of_circumstances(recipe: Recipe) -> Iterator[tuple[str, Program]]:
    """The same for the circumstances of a whole program: waves, loops, and where arguments come from."""
    case = materialise(replace(recipe, batch=1))
    program = resolve(case.program, case.words)
    found = one_wave(case, program, program.waves - 1)
    if found is not None:
        yield "one wave", found.program
    for place in dict.fromkeys(place for place, _, _ in tree.walk(program) if len(place.path) > 1):
        found = straight(case, program, place)
        if found is not None:
            yield f"the loop around {place} written out", found.program
    found = all_straight(case, program)
    if found is not None:
        yield "all loops written out", found.program
    eaches: tuple[Each, ...] = ("wave", "pass")
    for each in eaches:
        for place, _, _ in tree.walk(program):
            if program.waves > 1 if each == "wave" else len(place.path) > 1:
                for name, alike in alike_in(each, case, program, place):
                    yield f"{name} of {place} the same in every {each}", alike.program
    arguments = loaded_arguments(case.program)
    middle = (len(arguments) + 1) // 2
    halves = (some for some in (arguments[:middle], arguments[middle:]) if some)
    for some in dict.fromkeys((*halves, *((one,) for one in arguments))):
        yield f"only {', '.join(map(str, some))} loaded at run time", resolve(case.program, case.words, keep=some)
    loaded = at_run_time(case.with_program(program))
    if loaded is not None:
        yield "arguments loaded at run time", loaded.program


def of_reduction(recipe: Recipe, budget: int) -> Iterator[tuple[str, Program]]:
    """The same for what the reducer tries within a budget, if about every second smaller program still fails.

    Candidates that are invalid or undefined are never run, and left out; the smallest of the others is blamed as well.
    """
    tried: dict[bytes, bool] = {}
    found: list[Program] = []
    spec = spec_named(recipe.spec)

    def still_fails(case: Case) -> bool:
        digest = sha256(repr(case.program).encode()).digest()
        if digest in tried or digest[0] % 2:
            return False
        program = resolve(case.program, case.words)
        try:
            tried[digest] = not spec.rejected(program, case.caps) and not spec.undefined(program, case.caps)
        except BadInput:
            tried[digest] = False
        if tried[digest]:
            found.extend((case.program, program))
        return tried[digest]

    reduce_case(materialise(replace(recipe, batch=1)), still_fails, budget=budget)
    for number, program in enumerate(found, 1):
        yield f"reduction {number}", program
    if found:
        yield from ((f"smallest reduction: {what}", program) for what, program in of_blame(spec, found[-1]))
