"""Rows of a device that follows the text of 2025-09-19, and which clauses concern them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.oracle.hlsl_linalg.caps_report import caps_report
from mmaspec.oracle.hlsl_linalg.revisions import by_revision
from mmaspec.oracle.hlsl_linalg.rows import rows
from mmaspec.oracle.hlsl_linalg.scopes import SCOPES
from mmaspec.programs.hlsl_linalg import (
    DEFAULT_CAPS,
    SOURCE_CAPS,
    Construction,
    LinalgCaps,
    MatrixProduct,
    OuterProductSupport,
    VectorProduct,
    components_of,
)
from tests.hlsl_linalg.catalogue import catalogue

SOURCE = "2025-09-19"


def concerning(caps: LinalgCaps) -> set[str]:
    """The clauses that some row of the caps has."""
    found = rows(caps)
    return {name for name in catalogue().clause if any(catalogue().applies(name, row.tags) for row in found)}


def test_the_device_breaks_nothing_and_all_of_it_can_be_judged() -> None:
    report = caps_report(SOURCE_CAPS)
    assert not list(report.breaches())
    assert not report.not_covered()
    assert {one.name for one in rows(SOURCE_CAPS)} == set(report.rows())


def test_no_row_is_called_as_one_of_the_later_text() -> None:
    names = {one.name for one in rows(SOURCE_CAPS)}
    assert names.isdisjoint(one.name for one in rows(DEFAULT_CAPS))
    assert all(name.endswith("-2025") for name in names)
    assert "wave-f16-f16-f32-2025" in names


def test_every_testable_clause_of_the_text_has_a_row() -> None:
    known = {name for name, one in catalogue().clause.items() if one.testable}
    own = {name for name in known if catalogue().clause[name].revision != "later"}
    assert own - concerning(SOURCE_CAPS) == set()
    assert concerning(SOURCE_CAPS) & known == own


def test_no_row_has_a_clause_of_the_other_text() -> None:
    for caps, other in ((SOURCE_CAPS, "later"), (DEFAULT_CAPS, SOURCE)):
        assert not {name for name in concerning(caps) if catalogue().clause[name].revision == other}


def test_rules_go_by_the_revision_of_their_clause() -> None:
    both = by_revision({"LINALG-STRIDE-16": 1, "LINALG-DIM-POWER": 2, "LINALG-MUL-SHAPE": 3})
    assert both["later"] == {"LINALG-STRIDE-16": 1, "LINALG-MUL-SHAPE": 3}
    assert both["2025-09-19"] == {"LINALG-DIM-POWER": 2, "LINALG-MUL-SHAPE": 3}


def test_the_table_of_scopes() -> None:
    """Five lines with Thread scope, all others with the two scopes above; whatever has it has those too."""
    table = SCOPES["2025-09-19"]
    assert {name for name, scopes in table.items() if "Thread" in scopes} == {
        "Load(ByteAddressBuffer)",
        "InterlockedAccumulate(RWByteAddressBuffer)",
        "Multiply(Matrix, vector)",
        "MultiplyAdd(Matrix, vector, vector)",
        "OuterProduct",
    }
    assert all({"Wave", "ThreadGroup"} <= scopes for scopes in table.values())


def test_the_component_types_with_a_meaning() -> None:
    """Codes up to 18; what is normalised, and one bit, have a code and no meaning."""
    found = {one.name: one.code for one in components_of("2025-09-19")}
    assert found == {
        "I16": 2,
        "U16": 3,
        "I32": 4,
        "U32": 5,
        "I64": 6,
        "U64": 7,
        "F16": 8,
        "F32": 9,
        "F64": 10,
        "PackedS8x32": 17,
        "PackedU8x32": 18,
    }


def test_tier_1_asks_nothing_of_this_text() -> None:
    assert not list(caps_report(replace(SOURCE_CAPS, products=(), vector_products=(), optimal=())).breaches())
    assert list(caps_report(replace(DEFAULT_CAPS, products=())).breaches())
    unbiased = VectorProduct("F16", "F16", "F16")
    caps = replace(SOURCE_CAPS, vector_products=(unbiased,), outer_products=())
    assert not list(caps_report(caps).breaches())


@pytest.mark.parametrize(
    ("row", "why", "caps"),
    [
        (
            "vector-s8-s8-s32-2025",
            "packed vector",
            replace(SOURCE_CAPS, vector_products=(VectorProduct("PackedS8x32", "PackedS8x32", "I32"),)),
        ),
        (
            "wave-bf16-bf16-f32-2025",
            "no program has components of type BFloat16",
            replace(SOURCE_CAPS, products=(MatrixProduct("BFloat16", "BFloat16", "F32", ((16, 16, 16),)),)),
        ),
        (
            "matrix-s8-2025",
            "no program has components of type I8",
            replace(SOURCE_CAPS, construction=(Construction("I8", 8, 16, 8),)),
        ),
    ],
)
def test_what_the_text_has_no_program_for(row: str, why: str, caps: LinalgCaps) -> None:
    report = caps_report(caps)
    assert not list(report.breaches())
    assert why in report.not_covered()[row]
    assert row not in {one.name for one in rows(caps)}


def test_answers_that_contradict_themselves_are_breaches_of_either_text() -> None:
    caps = replace(SOURCE_CAPS, outer_products=(OuterProductSupport("I16", "I16"),))
    ((row, breach),) = caps_report(caps).breaches()
    assert (row, breach.clause) == ("outer-s16-s16-2025", "LINALG-CAPS-OUTER")


def test_rows_of_matrices_by_what_threads_and_functions_do_with_them() -> None:
    tags = {one.name: one.tags for one in rows(SOURCE_CAPS)}
    assert {name for name, found in tags.items() if "functions" in found} == {"matrix-f16-2025", "matrix-f32-2025"}
    assert {name for name, found in tags.items() if "packed-vector" in found} == {"matrix-s8-2025", "matrix-u8-2025"}
