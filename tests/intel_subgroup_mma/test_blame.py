"""Programs made for blame: they are valid, defined, and about a clause of the catalogue."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma.blame import ablations, instrumented
from mmaspec.oracle.intel_subgroup_mma.functions import Signature, signatures
from mmaspec.oracle.intel_subgroup_mma.sources import sources
from mmaspec.oracle.intel_subgroup_mma.undefined import undefined
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.oracle.spec import Ablation
from mmaspec.programs.base import Affine, Buffer, Place
from mmaspec.programs.intel_subgroup_mma.program import Load, Mad, MadProgram, Repeat, Store
from mmaspec.programs.tree import walk

from .programs import caps_of, fragments, function, named, product
from .test_catalogue import CATALOGUE


def looped(signature: Signature) -> MadProgram:
    """``acc`` grows in a loop over k, by two sub-groups; then a product with zeros into another variable."""
    a, b, acc = fragments(signature)
    sizes = {f.name: 4 * signature.size * f.vector_bytes for f in (a, b, acc)}
    return MadProgram(
        sub_group_size=signature.size,
        buffers=(*(Buffer(f"in_{name}", size) for name, size in sizes.items()), Buffer("out", sizes["acc"])),
        fragments=(a, b, acc, replace(acc, name="d")),
        body=(
            Load("acc", "in_acc", Affine(0, wave=1), "C"),
            Repeat(
                2,
                (
                    Load("a", "in_a", Affine(0, wave=2, loop=1), "A"),
                    Load("b", "in_b", Affine(0, wave=1), "B"),
                    Mad(signature.function, "acc", "a", "b", "acc"),
                ),
            ),
            Store("acc", "out", Affine(0, wave=1)),
            Mad(signature.function, "d", "a", "b"),
            Store("d", "out", Affine(2, wave=1)),
        ),
        waves=2,
    )


def of_all(program: MadProgram) -> list[tuple[Place, Ablation]]:
    """The ablations of every instruction."""
    return [(place, one) for place, _, _ in walk(program) for one in ablations(program, place)]


@pytest.mark.exhaustive(every=5)
@pytest.mark.parametrize("signature", signatures(), ids=named)
def test_every_ablation_can_be_run_and_finds_its_data(signature: Signature) -> None:
    caps = caps_of(signature)
    for program in (product(signature), looped(signature)):
        names = {source.name for source in sources(program)}
        found = of_all(program)
        assert found
        for _, one in found:
            assert isinstance(one.program, MadProgram)
            assert rejected(one.program, caps) == frozenset()
            assert undefined(one.program, caps) == frozenset()
            assert {source.name for source in sources(one.program)} == names
            assert CATALOGUE.clause[one.clause].testable
            assert (one.program != program) != bool(one.data), "one circumstance: of the program, or of its data"


def test_what_is_told_apart() -> None:
    def clauses(size: int, form: str) -> set[str]:
        signature = function(size, form, 2)
        return {one.clause for program in (product(signature), looped(signature)) for _, one in of_all(program)}

    common = {"ISGMMA-BY-VALUE", "ISGMMA-MEM-FREE", "ISGMMA-OP"}
    integers = {"ISGMMA-INT-ACC", "ISGMMA-INT-EXACT", "ISGMMA-INT-WRAP"}
    assert clauses(8, "i8_u8_i32") == common | integers | {"ISGMMA-K32-PACK-A", "ISGMMA-SIGN"}
    assert clauses(16, "u4_u4_i32") == common | integers | {"ISGMMA-K64-PACK-A"}
    assert clauses(16, "bf16_bf16_bf16") == common | {"ISGMMA-K16-PACK-A", "ISGMMA-FP-NAN"}


def test_factors_get_one_sign_both_ways() -> None:
    program = product(function(8, "u8_i8_i32", 1))
    found = [one.program for _, one in of_all(program) if one.clause == "ISGMMA-SIGN"]
    calls = [next(step.function for step in one.body if isinstance(step, Mad)) for one in found]  # type: ignore[attr-defined]
    assert calls == ["i8_i8_matrix_mad_k32", "u8_u8_matrix_mad_k32"]
    assert [one.fragment("b").component for one in found] == ["int", "uint"]  # type: ignore[attr-defined]


def test_every_state_is_stored_where_the_instrumented_program_says() -> None:
    signature = function(16, "i8_i8_i32", 4)
    program = looped(signature)
    shown = instrumented(program)
    assert isinstance(shown.program, MadProgram)
    caps = caps_of(signature)
    assert rejected(shown.program, caps) == undefined(shown.program, caps) == frozenset()
    written = [place for place, step, _ in walk(program) if not isinstance(step, Store)]
    assert sorted(shown.shows.values()) == sorted(written)
    stores = {step.buffer: step for _, step, _ in walk(shown.program) if isinstance(step, Store)}
    sizes = {buffer.name: buffer.size for buffer in shown.program.buffers}
    for buffer, place in shown.shows.items():
        passes = 2 if len(place.path) > 1 else 1
        vector = shown.program.fragment(stores[buffer].fragment).vector_bytes
        assert sizes[buffer] == 16 * vector * 2 * passes


def test_data_that_two_loads_find_are_not_moved() -> None:
    """Moved for one of them they would lie in two places."""
    program = product(function(8, "i8_i8_i32", 2))
    first = program.body[0]
    assert isinstance(first, Load)
    assert [one.clause for one in ablations(program, Place((0,)))] == ["ISGMMA-MEM-FREE"]
    twice = replace(program, body=(first, *program.body))
    assert ablations(twice, Place((0,))) == ablations(twice, Place((1,))) == ()
