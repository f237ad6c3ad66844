"""What drivers report, read as it was recorded; and the rows that follow from it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from mmaspec.backends.faults import fault_named
from mmaspec.backends.given_caps import decode_caps
from mmaspec.oracle.numerics.legal import full
from mmaspec.oracle.nv_coopmat2 import SPEC
from mmaspec.oracle.nv_coopmat2.matrices.product import mul_add
from mmaspec.oracle.nv_coopmat2.practice import PRACTICE_RULES
from mmaspec.programs.errors import BadInput
from mmaspec.programs.formats import format_named
from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, CoopMatCaps, Features, FixedSize, FlexibleSize
from mmaspec.programs.nv_coopmat2.program import Component
from mmaspec.programs.nv_coopmat2.recorded import DEVICES, FEATURES, FIXED, FLEXIBLE, PROPERTIES, recorded

from .doubles import WITH_DOUBLES

PROPERTY: dict[str, Any] = {
    "MSize": 16,
    "NSize": 8,
    "KSize": 32,
    "AType": 3,
    "BType": "VK_COMPONENT_TYPE_SINT8_KHR",
    "CType": "VK_COMPONENT_TYPE_SINT32_KHR",
    "ResultType": 5,
    "saturatingAccumulation": 1,
    "scope": 3,
}
"""Names and numbers mixed, as tools write them."""
STEPS = {name: PROPERTY[name] for name in ("AType", "BType", "CType", "ResultType")} | {
    "MGranularity": 32,
    "NGranularity": 16,
    "KGranularity": 64,
    "saturatingAccumulation": False,
    "scope": "VK_SCOPE_WORKGROUP_KHR",
    "workgroupInvocations": 256,
}


def record(**parts: Any) -> bytes:
    return json.dumps({FIXED: [PROPERTY]} | parts).encode()


def test_names_and_numbers_mean_the_same() -> None:
    data = record(
        **{
            FLEXIBLE: [STEPS],
            FEATURES: {"cooperativeMatrixReductions": True, "cooperativeMatrixConversions": 0},
            PROPERTIES: {"cooperativeMatrixFlexibleDimensionsMaxDimension": 256},
        }
    )
    nothing = dict.fromkeys(Features.__struct_fields__, False)
    assert recorded(data, "file") == CoopMatCaps(
        fixed=(FixedSize(16, 8, 32, "s8", "s8", "s32", "s32", saturating=True),),
        flexible=(FlexibleSize(32, 16, 64, "s8", "s8", "s32", "s32", invocations=256),),
        maximum=256,
        features=Features(**(nothing | {"reductions": True})),
    )


def test_what_programs_cannot_have_is_kept_and_not_covered() -> None:
    others = [
        PROPERTY | {"AType": "VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT"},
        PROPERTY | {"AType": 6, "BType": 10},
        PROPERTY | {"BType": 77},
        PROPERTY | {"scope": "VK_SCOPE_DEVICE_KHR"},
        PROPERTY | {"CType": "VK_COMPONENT_TYPE_SINT16_KHR"},
        PROPERTY | {"AType": 5, "BType": 5},
        PROPERTY | {"AType": 0, "BType": 0},
        PROPERTY | {"AType": 0, "BType": 0, "CType": 1, "ResultType": 1},
        PROPERTY | {"MSize": 512, "KSize": 512},
        PROPERTY | {"KSize": 1 << 30},
    ]
    found = recorded(record(**{FIXED: [*others, PROPERTY]}), "file")
    assert found is not None
    assert len(found.fixed) == len(others) + 1
    report = SPEC.reported(found)
    assert report.not_covered() == {
        "e4m3-s8-s32-16x8x32-saturating": "no program has components of type e4m3",
        "s64-u64-s32-16x8x32-saturating": "no program has components of type s64, u64",
        "s8-VK_COMPONENT_TYPE_77-s32-16x8x32-saturating": "no program has components of type VK_COMPONENT_TYPE_77",
        "s8-s32-16x8x32-VK_SCOPE_DEVICE_KHR-saturating": "no program has matrices of scope VK_SCOPE_DEVICE_KHR",
        "s8-s16-to-s32-16x8x32-saturating": "no product of the language has a result of another type than C",
        "f16-s32-16x8x32-saturating": "products that mix integers and floats are not modelled",
        "f16-f32-16x8x32-saturating": "saturation is stated of integers only",
        "s8-s32-512x8x512-saturating": "matrices of more than 65536 elements are not modelled",
        "s8-s32-16x8x1073741824-saturating": "sums of more than 4096 integer products are not modelled",
    }
    wide = "s32-s32-16x8x32-saturating"
    assert [row.name for row in SPEC.rows(found)] == [wide, "s8-s32-16x8x32-saturating"]
    assert len(report.usable.fixed) == 7, "what programs can be written for is supported"


def test_properties_without_their_feature_are_not_covered() -> None:
    nothing = replace(Features(), flexible_dimensions=False, workgroup_scope=False)
    scoped = replace(DEFAULT_CAPS.fixed[0], scope="workgroup")
    caps = replace(DEFAULT_CAPS, fixed=(*DEFAULT_CAPS.fixed, scoped), features=nothing)
    assert set(SPEC.reported(caps).not_covered().values()) == {
        "the device lists it without the feature of flexible dimensions",
        "the device lists it without the feature of workgroup scope",
    }
    far = replace(DEFAULT_CAPS, maximum=16)
    assert set(SPEC.reported(far).not_covered().values()) == {
        "no multiple of its granularities is within the maximum of 16"
    }


IMPOSSIBLE = (
    ("KHRCM-CAPS-SIZES", replace(DEFAULT_CAPS, fixed=(replace(DEFAULT_CAPS.fixed[0], k=0), *DEFAULT_CAPS.fixed[1:]))),
    ("NVCM2-FLEX-POW2", replace(DEFAULT_CAPS, flexible=(replace(DEFAULT_CAPS.flexible[0], n=24),))),
    ("NVCM2-FLEX-POW2", replace(DEFAULT_CAPS, flexible=(replace(DEFAULT_CAPS.flexible[0], n=0),))),
    ("NVCM2-WG-SHARED", replace(DEFAULT_CAPS, flexible=(replace(DEFAULT_CAPS.flexible[0], invocations=0),))),
    ("NVCM2-WG-SHARED", replace(DEFAULT_CAPS, workgroup_size=64)),
)


@pytest.mark.parametrize(("clause", "caps"), IMPOSSIBLE)
def test_a_property_that_breaks_a_clause_fails_it_and_makes_no_row(clause: str, caps: CoopMatCaps) -> None:
    report = SPEC.reported(caps)
    assert {breach.clause for _, breach in report.breaches()} == {clause}
    rows = {row.name for row in SPEC.rows(report.usable)}
    assert rows == set(report.rows()) - {row for row, _ in report.breaches()}
    with pytest.raises(BadInput, match=clause):
        SPEC.rows(caps)


def test_a_list_without_powers_of_two_fails_once_and_is_tested_nevertheless() -> None:
    caps = CoopMatCaps(
        (FixedSize(24, 16, 16, "f16", "f16", "f32", "f32"), FixedSize(16, 48, 16, "s8", "s8", "s32", "s32"))
    )
    report = SPEC.reported(caps)
    assert [(row, breach.clause) for row, breach in report.breaches()] == [("f16-f32-24x16x16", "KHRCM-CAPS-SIZES")]
    assert [row.name for row in SPEC.rows(report.usable)] == ["f16-f32-24x16x16", "s8-s32-16x48x16"]


@pytest.mark.parametrize(
    "data",
    [
        record(**{FIXED: [PROPERTY | {"MSize": "many"}]}),
        record(**{FIXED: [{"MSize": 16}]}),
        record(**{FLEXIBLE: {}}),
        b"\xff",
        b"[" * 100_000,
    ],
    ids=["size", "missing", "no list", "not text", "deep"],
)
def test_a_damaged_record_gets_one_line(data: bytes) -> None:
    with pytest.raises(BadInput, match=r"caps\.json") as raised:
        decode_caps("nv-coopmat2", data, "caps.json")
    assert "\n" not in str(raised.value)


def test_caps_in_our_own_terms_are_no_record() -> None:
    assert recorded(b'{"fixed": []}', "file") is None
    assert recorded(b"[1]", "file") is None


def test_the_device_that_comes_with_the_package() -> None:
    rows = {row.name for row in SPEC.rows(DEVICES["nvidia-h100-580"])}
    sizes = ("16x16x16", "16x8x16", "16x8x8")
    assert rows == {f"f16-{kind}-{size}" for kind in ("f16", "f32") for size in sizes} | {
        "u8-u32-16x16x32",
        "u8-u32-16x8x32",
        "s8-s32-16x16x32",
        "s8-s32-16x8x32",
        "bf16-f32-16x16x16",
    }


def test_conversions_are_shown_where_an_accumulator_has_another_type_of_its_size_and_workgroup() -> None:
    halves = FixedSize(16, 16, 16, "f16", "f16", "f16", "f16")
    steps = FlexibleSize(32, 32, 16, "f16", "f16", "f16", "f16", invocations=128)
    for others, shown in (
        ((), set()),
        ((replace(halves, c="f32", result="f32"),), {"f16-f16-16x16x16", "f16-f32-16x16x16"}),
        ((replace(halves, m=8, c="f32", result="f32"),), set()),
    ):
        caps = CoopMatCaps((halves, *others), (), 0)
        assert {row.name for row in SPEC.rows(caps) if "converts" in row.tags} == shown
    for invocations, count in ((128, 2), (256, 0)):
        caps = CoopMatCaps((), (steps, replace(steps, c="f32", result="f32", invocations=invocations)), 256)
        assert sum("converts" in row.tags for row in SPEC.rows(caps)) == count


def test_default_rows_have_every_tag_of_the_catalogue_but_those_of_f64() -> None:
    tags = frozenset[str]().union(*(row.tags for row in SPEC.rows(DEFAULT_CAPS)))
    assert {"f16", "bf16", "f32", "s8", "u8", "s16", "u16", "acc-s32", "acc-u32", "saturates"} <= tags
    wanted = {tag for clause in SPEC.catalogue.clause.values() for tag in clause.rows}
    assert wanted - tags == {"acc-f64", "wide"}
    assert wanted <= tags.union(*(row.tags for row in SPEC.rows(WITH_DOUBLES)))


@pytest.mark.parametrize(
    ("types", "extended"),
    [
        (("s32", "s32", "s32"), ""), (("u32", "u32", "u32"), ""), (("s16", "s8", "s16"), "b"),
        (("s8", "s16", "s16"), "a"), (("s8", "s8", "s32"), "ab"),
    ],
)  # fmt: skip
def test_factors_as_wide_as_the_result_are_not_extended(
    types: tuple[Component, Component, Component], extended: str
) -> None:
    """Their low bits are the same with either sign: the clause does not concern such a row, and no step names it."""
    (row,) = SPEC.rows(CoopMatCaps((FixedSize(16, 16, 16, *types, result=types[2]),)))
    assert {f"extends-{use}" for use in extended} == {tag for tag in row.tags if tag.startswith("extends-")}
    assert SPEC.catalogue.applies("KHRCM-INT-EXT", row.tags) is bool(extended)
    wrong = {use for use in "ab" if not row.tags.isdisjoint(fault_named(f"cm-{use}-other-sign").rows)}
    assert wrong == set(extended)
    a, b, c = (full(format_named(one), (16, 16), 1) for one in types)
    _, points = mul_add(a, b, c, PRACTICE_RULES, saturating=False)
    assert ("KHRCM-INT-EXT" in points) is bool(extended)


def test_addresses_are_shown_once_for_every_width_and_scope() -> None:
    for caps in (DEFAULT_CAPS, *DEVICES.values()):
        shown = [row for row in SPEC.rows(caps) if "addresses" in row.tags]
        assert SPEC.rows(caps)[0] in shown
        assert {row.tags & {"subgroup", "workgroup"} for row in shown} == {
            row.tags & {"subgroup", "workgroup"} for row in SPEC.rows(caps)
        }


@pytest.mark.parametrize("feature", ["flexible_dimensions", "workgroup_scope"])
def test_properties_that_features_switch_off_make_no_row(feature: str) -> None:
    without = replace(DEFAULT_CAPS, features=replace(Features(), **{feature: False}))
    assert {row.name for row in SPEC.rows(without)} == {
        row.name for row in SPEC.rows(DEFAULT_CAPS) if "flexible" not in row.tags
    }
