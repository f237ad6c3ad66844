"""The table of functions against the declarations of the document, known here by their digest alone."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from mmaspec.oracle.intel_subgroup_mma.functions import Signature, overloads, parse, signatures
from mmaspec.programs.formats import format_named
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps

from .programs import named

DECLARATIONS = "9cac502d7b9ee2b0a6a175876cb9a2a6406eea53746c17796c30d3482b2aa77d"
"""SHA-256 of the document's 88 declarations in their order, a line each, comments left out, single spaces."""


def test_the_declarations_are_those_of_the_document() -> None:
    lines = "\n".join(signature.declaration for signature in signatures())
    assert sha256(lines.encode()).hexdigest() == DECLARATIONS


def test_there_are_forty_functions_for_one_size_and_forty_eight_for_the_other() -> None:
    assert Counter(signature.size for signature in signatures()) == {8: 40, 16: 48}
    assert len({signature.function for signature in signatures()}) == 10
    assert len({signature.declaration for signature in signatures()}) == 88


def test_no_argument_list_is_common_to_both_sizes() -> None:
    for function in {signature.function for signature in signatures()}:
        taken = [(one.a, one.b, one.acc) for one in overloads(function)]
        assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("signature", signatures(), ids=named)
def test_vectors_hold_the_matrices_that_the_name_speaks_of(signature: Signature) -> None:
    form, bits = FORMS[signature.form], {"int": 32, "uint": 32, "short": 16, "ushort": 16, "float": 32, "half": 16}
    assert signature.a[1] == signature.rows == signature.acc[1]
    assert bits[signature.a[0]] * signature.size == form.k * form.bits
    assert bits[signature.b[0]] * signature.b[1] == form.k * form.bits
    assert bits[signature.acc[0]] == format_named(form.acc.replace("i32", "s32")).bits
    assert signature.a[0].startswith("u") == (form.a[0] == "u")
    assert signature.b[0].startswith("u") == (form.b[0] == "u")


def test_names_are_taken_apart() -> None:
    for name, form in FORMS.items():
        found = parse(form.function)
        assert found is not None, name
        assert (found.a, found.b, found.k) == (form.a, form.b, form.k)
    for other in (
        "i8_i8_matrix_mad",
        "i8_i8_matrix_mad_k",
        "i8_matrix_mad_k32",
        "i8_i8_matrix_mad_k32 ",
        "I8_I8_matrix_mad_k32",
    ):
        assert parse(other) is None


def test_k_is_256_bits_of_a_column() -> None:
    assert {(form.bits, form.k) for form in FORMS.values()} == {(8, 32), (4, 64), (16, 16)}


def test_a_device_has_the_forms_of_its_sub_group_size() -> None:
    assert len(Caps().in_reach) == 10
    assert Caps(16, FORMS_OF[16]).in_reach == FORMS_OF[16]
    assert Caps(8, FORMS_OF[16]).in_reach == FORMS_OF[8], "those of the other size are not there to be asked about"
    assert "f16_f16_f16" not in Caps(16, FORMS_OF[16], fp16=False).in_reach
    assert "f16_f16_f32" in Caps(16, FORMS_OF[16], fp16=False).in_reach, "its halves travel as integers"
