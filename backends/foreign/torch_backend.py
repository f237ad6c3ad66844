"""PyTorch, on a GPU if it sees one: baddbmm for floats (bf16 widened to f32), ``_int_mm`` for bytes."""

from __future__ import annotations

from typing import Any

import torch  # pyright: ignore[reportMissingImports] - an extra

from mmaspec.backends.arithmetic_only import ArithmeticOnly, Array, Shape, Types

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FLOATS = {("f16", "f16", "f16"), ("f16", "f16", "f32"), ("bf16", "bf16", "f32"), ("f32", "f32", "f32")}
INTEGERS = {"u8", "s8", "u4", "s4"}
"""Factors of integer sums: those of four bits come as bytes."""


class Torch(ArithmeticOnly):
    """``_int_mm`` takes signed bytes, and on a GPU few sizes that are not multiples of 32: the rest is padding."""

    name: str = "torch"
    version: str = f"{torch.__version__}, {DEVICE}"

    def supports(self, types: Types) -> bool:  # noqa: D102
        return types in FLOATS or (types.c == "s32" and {types.a, types.b} <= INTEGERS)

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:  # noqa: D102
        x, y, z = (torch.from_numpy(v if types.c == "s32" else v.astype(c.dtype)).to(DEVICE) for v in (a, b, c))
        result: Array = (_bytes(shape, x, y) + z if types.c == "s32" else torch.baddbmm(z, x, y)).cpu().numpy()
        return result


def _bytes(shape: Shape, a: Any, b: Any) -> Any:
    """An unsigned operand is moved down by 128, and what that takes from the sums is added again."""
    down_a, down_b = (128 * (x.dtype == torch.uint8) for x in (a, b))
    m, n, k = (-size % 32 for size in shape)
    x = torch.nn.functional.pad((a.short() - down_a).char(), (0, k, 0, m))
    y = torch.nn.functional.pad((b.short() - down_b).char(), (0, n, 0, k))
    multiply: Any = torch._int_mm  # pyright: ignore[reportPrivateImportUsage]
    total = torch.stack([multiply(*pair) for pair in zip(x, y, strict=True)])
    total += down_b * x.sum(2, keepdim=True, dtype=torch.int32) + down_a * y.sum(1, keepdim=True, dtype=torch.int32)
    return (total + down_a * down_b * shape.k)[:, : shape.m, : shape.n]
