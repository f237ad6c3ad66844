"""Programs that must be rejected, written by hand, and the classes that they must show."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from mmaspec.programs.nv_coopmat2.caps import DEFAULT_CAPS, Features
from mmaspec.programs.nv_coopmat2.program import (
    Combine,
    Convert,
    CoopMatProgram,
    Layout,
    Load,
    LoadTensor,
    Matrix,
    MulAdd,
    Nibbles,
    Reduce,
    SetDimension,
    Slice,
    Store,
    Transpose,
    View,
)

from .shown import WORDS, A, B, C, D, shown, written

WIDE = Matrix("X", "s32", 16, 32, 2)
LAYOUT = Layout("t", (SetDimension((16, 16)),))
TENSOR = written(
    LoadTensor("W", "in", 0, "t", data="T"), Store("W", "out", 0, 16), matrices=(WORDS,), layouts=(LAYOUT,)
)


def words(*body: object, matrices: tuple[Matrix, ...] = (WORDS,)) -> CoopMatProgram:
    """A program that loads W first."""
    return written(Load("W", "in", 0, 16, data="T"), *body, matrices=matrices)  # type: ignore[arg-type]


CASES: dict[str, tuple[CoopMatProgram, str, set[str]]] = {
    "columns": (words(Convert("X", "W"), matrices=(WORDS, WIDE)), "invalid/conversion-rule", {"columns"}),
    "major": (words(Store("W", "out", 0, 16, 2)), "plain-store/plain-major", {"other"}),
    "pointer": (words(Store("W", "out", 1, 16)), "invalid/plain-alignment", {"pointer-off"}),
    "stride": (words(Store("W", "out", 0, 17)), "plain-store/plain-alignment", {"stride-off"}),
    "stride of nothing": (words(Store("W", "out", 0, 0)), "plain-store/plain-stride-kind", {"zero-store"}),
    "mask": (words(Reduce("W", "W", 5, Combine("add"))), "reduction/reduce-mask", {"two-by-two-and-row"}),
    "qualifier": (
        words(Reduce("W", "W", 1, Combine("add", qualifier="inout"))), "invalid/function-qualifier", {"inout"},
    ),
    "parameters": (words(Reduce("W", "W", 1, Combine("add", ("f16", None)))), "invalid/combine-parameters", {"f16"}),
    "transpose": (words(Transpose("W", "W")), "invalid/transpose-types", {"to-accumulator"}),
    "storage": (words(matrices=(replace(WORDS, storage="shared"),)), "invalid/storage", {"shared"}),
    "uniform": (replace(words(), uniform=("in",)), "invalid/uniform-block", {"plain-load"}),
    "use": (words(matrices=(replace(WORDS, use=7),)), "matrix/use", {"other"}),
    "one argument more": (
        replace(TENSOR, layouts=(Layout("t", (SetDimension((16, 16, 16)),)),)), "invalid/setter-arity", {"one-more"},
    ),
    "spans": (
        replace(TENSOR, layouts=(Layout("t", (*LAYOUT.calls, Slice((0, 0), (16,)))),)),
        "layout/setter-arity",
        {"right", "spans-missing"},
    ),
    "clamp mode": (replace(TENSOR, layouts=(replace(LAYOUT, clamp_mode=9),)), "tensor-load/clamp-mode", {"other"}),
    "permutation": (
        written(
            LoadTensor("W", "in", 0, "t", view="v"),
            matrices=(WORDS,), layouts=(LAYOUT,), views=(View("v", permutation=(0, 0)),),
        ),
        "view/view-permutation",
        {"repeated"},
    ),
    "decode": (
        written(
            LoadTensor("W", "in", 0, "t", decode=Nibbles(4, (1, 1, 8), component="f16", by_value=True)),
            matrices=(WORDS,), layouts=(LAYOUT,),
        ),
        "invalid/decode-signature",
        {"by-value", "rank-too-large"},
    ),
    "saturating": (
        written(MulAdd("D", "A", "B", "C", 0x10), matrices=(A, B, C, D)),
        "product/saturating",
        {"unsupported", "on-floats"},
    ),
    "size": (
        words(matrices=(replace(WORDS, rows=33, cols=32, scope="workgroup"),)),
        "invalid/size-rule",
        {"one-off", "m-only"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_near_misses_show_what_is_wrong(name: str) -> None:
    program, axis, classes = CASES[name]
    assert shown(program, target="KHRCM-STORAGE")[axis] == classes


def test_a_device_without_a_part_of_the_extension() -> None:
    caps = replace(DEFAULT_CAPS, features=Features(reductions=False, conversions=False))
    found = shown(words(Reduce("W", "W", 1, Combine("add"))), caps=caps, target="NVCM2-FEATURES")
    assert found["device/missing-feature"] == {"reductions", "conversions"}
    assert found["invalid/missing-feature"] == {"reductions"}
    assert found["device/property-scope"] >= {"different-sizes"}
