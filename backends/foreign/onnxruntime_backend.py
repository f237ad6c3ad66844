"""ONNX Runtime's CPU kernels: MatMulInteger for bytes, MatMul for floats, and C by an Add."""

from __future__ import annotations

from functools import cache
from typing import Any

import onnxruntime  # pyright: ignore[reportMissingImports] - an extra
from onnx import helper  # pyright: ignore[reportMissingImports]

from mmaspec.backends.arithmetic_only import DTYPES, ArithmeticOnly, Array, Shape, Types

FLOATS = {("f16", "f16", "f16"), ("f16", "f16", "f32"), ("f32", "f32", "f32")}
INTEGERS = {"u8", "s8", "u4", "s4"}
"""Factors of integer sums: those of four bits come as bytes."""


class OnnxRuntime(ArithmeticOnly):
    """Without VNNI its u8 x s8 kernels add pairs of products in 16 saturating bits (onnxruntime#6004)."""

    name: str = "onnxruntime"
    version: str = f"{onnxruntime.__version__}, cpu"

    def supports(self, types: Types) -> bool:  # noqa: D102
        return types in FLOATS or (types.c == "s32" and {types.a, types.b} <= INTEGERS)

    def mma(self, shape: Shape, types: Types, a: Array, b: Array, c: Array) -> Array:  # noqa: D102
        result: Array = _session(types).run(["d"], {"a": a, "b": b, "c": c})[0]
        return result.reshape(-1, shape.m, shape.n)


@cache
def _session(types: Types) -> Any:
    a, b, c = (helper.np_dtype_to_tensor_dtype(DTYPES[fmt]) for fmt in types)
    product = [helper.make_node("MatMulInteger", ["a", "b"], ["p"])]
    if types.c != "s32":
        wide = [helper.make_node("Cast", [name], [f"wide_{name}"], to=c) for name in "ab"]
        product = [*wide, helper.make_node("MatMul", ["wide_a", "wide_b"], ["p"])]
    values = [helper.make_tensor_value_info(n, fmt, [None] * 3) for n, fmt in (("a", a), ("b", b), ("c", c), ("d", c))]
    graph = helper.make_graph([*product, helper.make_node("Add", ["p", "c"], ["d"])], "mma", values[:3], values[3:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
