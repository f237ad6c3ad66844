"""clang's front end takes the kernels of all functions, and refuses what the rules refuse.

It sees types and names. Which functions a device has it cannot know: all 88 are declared, and once more those of a
kernel's own sub-group size alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from itertools import product as product_of
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.blame import ablations, instrumented
from mmaspec.oracle.intel_subgroup_mma.functions import signatures
from mmaspec.oracle.intel_subgroup_mma.names import TAKEN
from mmaspec.oracle.intel_subgroup_mma.text import text
from mmaspec.oracle.intel_subgroup_mma.undefined import undefined
from mmaspec.oracle.intel_subgroup_mma.validity import rejected
from mmaspec.programs.base import Buffer
from mmaspec.programs.errors import BadInput
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps
from mmaspec.programs.intel_subgroup_mma.program import Fragment, Load, MadProgram
from mmaspec.programs.tree import unrolled
from mmaspec.strategies.grammar import forms_of
from mmaspec.strategies.intel_subgroup_mma import GRAMMAR
from tests.near_miss_forms import drawn

from .opencl_c import complaints, front_end, joined, refused
from .programs import caps_of, everything, function, product
from .test_rules import REFUSED, with_calls, with_fragment

CLANG = front_end()
pytestmark = pytest.mark.skipif(CLANG is None, reason="no OpenCL C IS COMPILED: neither clang nor `ziglang` is there")


HELD = {"int": "s32", "uint": "s32", "float": "f32", "half": "f16", "short": "bf16", "ushort": "bf16"}
"""Component -> elements that fill it."""


def said(*programs: MadProgram, own: bool = False) -> list[str]:
    """What clang says against the kernels; ``own``: only the functions of their sub-group size are declared."""
    assert CLANG is not None
    texts = [text(program, caps_for(program)) for program in programs]
    sizes = tuple({program.sub_group_size for program in programs}) if own else (8, 16)
    return complaints(CLANG, joined(texts), sizes)


def caps_for(program: MadProgram) -> Caps:
    return Caps(16, FORMS_OF[16]) if program.sub_group_size == 16 else Caps()


def test_what_does_not_compile_is_seen() -> None:
    assert CLANG is not None
    source = text(product(function(8, "i8_i8_i32", 2)), Caps())
    assert not complaints(CLANG, source)
    assert complaints(CLANG, source.replace("* 8 + item", "* i + item", 1))
    assert complaints(CLANG, source, sizes=(16,)), "that device has no such function"


@pytest.mark.parametrize("waves", [1, 3])
def test_every_function_can_be_called(waves: int) -> None:
    assert not said(*(product(signature, waves) for signature in signatures()))
    for size in (8, 16):
        assert not said(*(product(one, waves) for one in signatures() if one.size == size), own=True)


def test_zeros_other_results_and_some_work_items() -> None:
    def changed() -> Iterator[MadProgram]:
        for signature in signatures():
            program = product(signature)
            yield with_calls(program, c=None)
            yield with_calls(program, converged=False)
            d = replace(program.fragment("acc"), name="d", fill=1)
            yield replace(with_calls(program, d="d"), fragments=(*program.fragments, d))

    assert not said(*changed())


def test_every_kind_of_statement() -> None:
    assert not said(everything())


def test_every_program_of_blame() -> None:
    def programs() -> Iterator[MadProgram]:
        for program in (*(product(signature) for signature in signatures()), everything()):
            yield instrumented(program).program
            for place, _ in unrolled(program):
                yield from (one.program for one in ablations(program, place))

    assert not said(*programs())


def test_any_name_is_made_a_word() -> None:
    def programs() -> Iterator[MadProgram]:
        for name in (*sorted(TAKEN), "2", "a b", "é", "intel_sub_group_x", "x\ny"):
            fragment = Fragment(name, "a", "s8", "int", 2)
            yield MadProgram(8, (Buffer(name, 64),), (fragment,), (Load(name, name, data="A\n*/"),))

    assert not said(*programs())


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_rules_refuse_is_refused(what: str) -> None:
    program, _ = REFUSED[what]
    assert said(program)
    assert said(program, own=True)


EXAMPLES = {
    entry.name.removesuffix(".toml"): msgspec.toml.decode(entry.read_bytes())
    for entry in resources.files("mmaspec.examples").joinpath("clauses").iterdir()
    if entry.name.startswith("ISGMMA-")
}


@pytest.mark.parametrize("clause", sorted(EXAMPLES))
def test_the_golden_examples_compile_or_not_as_they_say(clause: str) -> None:
    example: dict[str, Any] = EXAMPLES[clause]
    program = msgspec.convert(example["case"]["program"], type=MadProgram)
    assert bool(said(program)) == (example["expect"]["verdict"] == "rejected")


def other_vectors(rows: tuple[int, ...], counts: tuple[int, ...]) -> Iterator[tuple[MadProgram, Caps]]:
    """Products of every form, one vector of each declared as any other; without those that are not judged."""
    for number, (size, form) in enumerate((size, form) for size, forms in FORMS_OF.items() for form in forms):
        signature = function(size, form, rows[number % len(rows)])
        program = with_calls(product(signature), d="d")
        program = replace(program, fragments=(*program.fragments, replace(program.fragment("acc"), name="d")))
        for name, component, count in product_of(("a", "b", "acc", "d"), HELD, counts):
            held = {"holds": HELD[component]} if name in ("acc", "d") else {}
            try:
                changed = with_fragment(program, name, component=component, count=count, **held)
                rejected(changed, caps_of(signature))
            except BadInput:  # elements that the components cannot hold, or scalars that the language converts
                continue
            yield changed, caps_of(signature)


@pytest.mark.parametrize("sizes", [(8, 16), (8,), (16,)], ids=["all functions", "those of 8", "those of 16"])
@pytest.mark.parametrize(
    ("rows", "counts", "most"),
    [((2, 4, 8), (2, 8, 16), 300), ((2, 4, 8), (1,), 60), ((1,), (1, 2, 8, 16), 150)],
    ids=["vectors", "a scalar for a vector", "one row"],
)
def test_calls_are_refused_exactly_where_the_rules_refuse_them(
    rows: tuple[int, ...], counts: tuple[int, ...], most: int, sizes: tuple[int, ...]
) -> None:
    assert CLANG is not None
    own = [one for one in other_vectors(rows, counts) if one[1].sub_group_size in sizes]
    # What only the other size's functions take is undefined, and refused where these are not declared.
    judged = [one for one in own if len(sizes) > 1 or not undefined(*one)]
    found = refused(CLANG, [text(*one) for one in judged], sizes)
    assert found == [bool(rejected(*one)) for one in judged]
    assert found.count(True) > 0
    assert found.count(False) < most


def every_near_miss(caps: Caps) -> Iterator[str]:
    """The text of every form of near misses in every row, as several drafts have it: most often with other rows."""
    for row, (clause, near_miss) in product_of(SPEC.rows(caps), GRAMMAR.near_misses.items()):
        for form in forms_of(near_miss) if SPEC.catalogue.applies(clause, row.tags) else ():
            for number in range(6) if form.fits(row, caps) else ():
                draft = drawn(SPEC.name, caps, row, form, f"{row.name}/{clause}/{form.name}/{number}")
                if draft is not None:
                    yield text(draft.program, caps)


@pytest.mark.parametrize("size", [8, 16])
def test_every_near_miss_is_refused(size: Any) -> None:
    assert CLANG is not None
    texts = sorted(set(every_near_miss(Caps(size, FORMS_OF[size]))))
    assert len(texts) > 1000
    for declared in ((8, 16), (size,)):
        assert [one for taken, one in zip(refused(CLANG, texts, declared), texts, strict=True) if not taken] == []


def test_a_scalar_of_the_other_sign_is_ambiguous_among_all_functions() -> None:
    """Why such calls are not judged: they compile or not, as more or fewer functions are declared."""
    program = with_fragment(product(function(8, "i8_i8_i32", 1)), "a", component="uint")
    assert not said(program, own=True)
    assert any("ambiguous" in line for line in said(program))
    sums = with_fragment(product(function(16, "bf16_bf16_bf16", 1)), "acc", component="ushort")
    assert any("ambiguous" in line for line in said(sums, own=True))
