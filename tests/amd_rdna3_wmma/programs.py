"""Programs written out by hand, for the tests of this specification."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma, Buffer, Fragment, Load, Store, VWmma, Wmma, WmmaProgram

OPERANDS = {"f16": ("half", 16, 2), "bf16": ("short", 16, 2), "iu8": ("int", 4, 4), "iu4": ("int", 2, 4)}
"""Format of A and B -> element and slots of their vectors, bytes of a slot."""
ACCUMULATORS = {"f32": ("float", 1), "i32": ("int", 1), "f16": ("half", 2), "bf16": ("short", 2)}
"""Format of C and D -> element of their vectors, slots of a register."""
BUILTINS = tuple(
    f"{name}_w{wave}"
    for name in (
        "f32_16x16x16_f16", "f32_16x16x16_bf16", "f16_16x16x16_f16", "f16_16x16x16_f16_tied", "bf16_16x16x16_bf16",
        "bf16_16x16x16_bf16_tied", "i32_16x16x16_iu8", "i32_16x16x16_iu4",
    )
    for wave in (32, 64)
)  # fmt: skip
NARROW = tuple(name for name in BUILTINS if name.startswith(("f16", "bf16")))
TIED = tuple(name for name in BUILTINS if "tied" in name)


def lanes_of(builtin: str) -> Any:
    """The wave size in a builtin's name."""
    return 64 if builtin.endswith("w64") else 32


def fragments_of(builtin: str) -> tuple[Fragment, Fragment, Fragment, Fragment]:
    """A, B, C and D as a builtin takes them."""
    result, _, operands = builtin.split("_")[:3]
    (operand, slots, _), (accumulator, halves) = OPERANDS[operands], ACCUMULATORS[result]
    count = 256 // lanes_of(builtin) * halves
    a, b = (Fragment(name, name, operand, slots) for name in "ab")  # type: ignore[arg-type]
    c, d = (Fragment(name, "cd", accumulator, count) for name in "cd")  # type: ignore[arg-type]
    return a, b, c, d


def product(builtin: str = "f32_16x16x16_f16_w32", *, opsel: bool = False) -> WmmaProgram:
    """D = A*B + C in one wave, each fragment loaded from its own block; 16-bit C with another matrix beside it."""
    fragments = fragments_of(builtin)
    integer, narrow = builtin.startswith("i32"), builtin in NARROW
    block = lanes_of(builtin) * fragments[0].vector_bytes
    flags: dict[str, Any] = {"a_sign": True, "b_sign": False, "clamp": False} if integer else {}
    if narrow:
        flags = {"opsel": opsel}
    return WmmaProgram(
        wave_size=lanes_of(builtin),
        buffers=(Buffer("in", 2 * block), Buffer("addend", 1024), Buffer("out", 1024)),
        fragments=fragments,
        body=(
            Load("a", "in", 0, "A"),
            Load("b", "in", 1, "B"),
            Load("c", "addend", 0, "C", high="High" if narrow else None),
            Wmma(builtin, "d", "a", "b", "c", **flags),
            Store("d", "out", 0),
        ),
    )


def written(name: str, **fields: Any) -> WmmaProgram:
    """D = A*B + C by an instruction, every matrix loaded, and stored, as it stands in registers."""
    program = product(name.removeprefix("v_wmma_"))
    step: Any = VWmma(name[: name.rindex("_w")], "d", "a", "b", "c")  # type: ignore[arg-type]
    if fields.get("inline") is not None:
        fields["c"] = None
    body = tuple(replace(step, **fields) if isinstance(one, AnyWmma) else one for one in program.body)
    return replace(program, body=body)
