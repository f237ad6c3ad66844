"""clang makes the instruction of every call, with the bits of its flags, and refuses what the rules refuse.

What a compiler sees: names, arguments, constants, and (when it generates code) the wave size. Vectors of one size are
converted into each other unless it is told not to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product as product_of

import pytest
from msgspec.structs import replace

from mmaspec.backends.protocol import Description
from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expect import resolve
from mmaspec.programs.amd_rdna3_wmma.caps import FORMS, BuiltinName
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.amd_rdna3_wmma.builder import with_calls
from mmaspec.strategies.enumerate import case_list
from mmaspec.strategies.recipe import Recipe
from mmaspec.suites.judging.near_miss import unenforced

from .hip import STRICT, WIDE, assembly, body, clang, complaints, joined, mode, refused
from .programs import product
from .registers import SHORT
from .test_rules import REJECTED

CLANG = clang()
pytestmark = pytest.mark.skipif(CLANG is None, reason="NO HIP IS COMPILED: no clang knows gfx1100, `ziglang` is absent")

OFFLINE = Description(name="offline", version="1", roles=("validates",), enforces="compile")
Flags = dict[str, bool]
MODES = pytest.mark.parametrize("option", ["", WIDE], ids=["wave32", "wave64"])


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases."""
    return list(case_list(SPEC.name, SPEC.default_caps, "quick"))


def source(program: WmmaProgram) -> str:
    return SPEC.text(program, SPEC.default_caps)


def flags(builtin: BuiltinName) -> Iterator[Flags]:
    """Every combination of the flags that a builtin has."""
    result = FORMS[builtin].result
    names = ("a_sign", "b_sign", "clamp") if result == "i32" else ("opsel",) if result in SHORT else ()
    for values in product_of((False, True), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def modifiers(given: Flags) -> list[str]:
    """The bits of an instruction: of NEG the signs of A and B, of OPSEL the third one, and clamp."""
    signs = f"neg_lo:[{given.get('a_sign', False):d},{given.get('b_sign', False):d},0]"
    found = ["op_sel:[0,0,1]"] if given.get("opsel") else []
    found += [signs] if "1" in signs else []
    return found + (["clamp"] if given.get("clamp") else [])


@MODES
def test_every_call_is_its_instruction(option: str) -> None:
    """Its name, its modifiers, and how many registers its operands have; a call that is tied is no other one."""
    assert CLANG is not None
    calls = [
        (name, given) for name, form in FORMS.items() if (form.wave == "w64") == bool(option) for given in flags(name)
    ]
    programs = [with_calls(product(name), **given) for name, given in calls]
    assert {mode(source(program)) for program in programs} == {option}
    lines = assembly(CLANG, option, joined([body(source(program)) for program in programs]), STRICT)
    found = [line for line in lines if line.startswith("v_wmma_")]
    assert len(found) == len(calls)
    for line, program, (name, given) in zip(found, programs, calls, strict=True):
        mnemonic, *words = line.replace(", ", " ").split()
        assert mnemonic == f"v_wmma_{FORMS[name].result}_16x16x16_{FORMS[name].operands}"
        assert words[4:] == modifiers(given)
        ranges = [re.fullmatch(r"v\[(\d+):(\d+)\]", word) for word in words[:4]]
        sizes = [int(found[2]) - int(found[1]) + 1 for found in ranges if found]
        assert sizes == [program.fragment(fragment).vector_bytes // 4 for fragment in "dabc"]


@MODES
def test_listed_programs_become_instructions(recipes: list[Recipe], option: str, times: int) -> None:
    assert CLANG is not None
    valid = [recipe for recipe in recipes if not recipe.target]
    texts = [source(resolve(one.program, one.words)) for one in valid]
    some = [body(text) for text in dict.fromkeys(texts) if mode(text) == option][:: max(1, len(texts) // 120 // times)]
    assert len(some) > 20
    lines = assembly(CLANG, option, joined(some), STRICT)
    assert sum(line.startswith(".amdhsa_kernel ") for line in lines) == len(some)
    assert any(line.startswith("v_wmma_") for line in lines)


@MODES
def test_near_misses_are_refused(recipes: list[Recipe], option: str) -> None:
    """Those that a compiler is judged on; of instructions an assembler is (`test_assembled.py`)."""
    assert CLANG is not None
    enforced = [one for one in recipes if one.target and not unenforced(SPEC.catalogue, one.target, OFFLINE)]
    seen = [one for one in enforced if not one.row.startswith("v_")]
    texts = {one.id: source(resolve(one.program, one.words)) for one in seen}
    mine = [one for one in seen if mode(texts[one.id]) == option]
    assert {"RDNA3-SHAPE", "RDNA3-OPS", "RDNA3-SIG", "RDNA3-WAVE-SIZE"} <= {one.target for one in mine}
    found = refused(CLANG, option, [body(texts[one.id]) for one in mine])
    assert [one.id for one, right in zip(mine, found, strict=True) if not right] == []


@MODES
def test_what_the_rules_refuse_is_refused(option: str) -> None:
    assert CLANG is not None
    texts = {what: source(program) for what, (program, _) in REJECTED.items()}
    mine = [what for what in texts if mode(texts[what]) == option]
    found = refused(CLANG, option, [body(texts[what]) for what in mine])
    assert {what: right for what, right in zip(mine, found, strict=True) if not right} == {}


def test_the_wave_size_is_seen_where_code_is_generated() -> None:
    assert CLANG is not None
    bodies = [body(source(product(name))) for name in FORMS]
    for option in ("", WIDE):
        assert refused(CLANG, option, bodies) == [(form.wave == "w64") != bool(option) for form in FORMS.values()]


def test_vectors_of_one_size_are_converted_or_not() -> None:
    """As compilers do as they are told here, such calls are not judged: a sum of int8 for one of float8."""
    assert CLANG is not None
    program = product("f32_16x16x16_f16_w32")
    c = replace(program.fragment("c"), element="int")
    program = replace(program, fragments=tuple(c if one.name == "c" else one for one in program.fragments))
    with pytest.raises(BadInput, match="fragment c is int8; the builtin takes float8"):
        SPEC.rejected(program, SPEC.default_caps)
    assert not complaints(CLANG, "", body(source(program)))
    assert complaints(CLANG, "", body(source(program)), STRICT)
