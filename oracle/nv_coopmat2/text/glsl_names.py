"""The GLSL names of types and constants."""

from __future__ import annotations

from collections.abc import Sequence

EXTENSIONS = (
    "GL_KHR_cooperative_matrix",
    "GL_NV_cooperative_matrix2",
    "GL_KHR_memory_scope_semantics",
    "GL_KHR_shader_subgroup_basic",
    "GL_EXT_shader_explicit_arithmetic_types",
)

BARRIER = (
    "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, "
    "gl_SemanticsAcquireRelease | gl_SemanticsMakeAvailable | gl_SemanticsMakeVisible);"
)
"""What makes stores of all invocations of a workgroup visible to the others, in buffers that are coherent."""

COMPONENTS = {
    "f16": "float16_t",
    "bf16": "bfloat16_t",
    "f32": "float",
    "f64": "double",
    "s8": "int8_t",
    "u8": "uint8_t",
    "s16": "int16_t",
    "u16": "uint16_t",
    "s32": "int",
    "u32": "uint",
}
"""Component type -> GLSL type."""

SCOPES = {"subgroup": "gl_ScopeSubgroup", "workgroup": "gl_ScopeWorkgroup", "device": "gl_ScopeDevice"}
USES = ("gl_MatrixUseA", "gl_MatrixUseB", "gl_MatrixUseAccumulator")
LAYOUTS = ("gl_CooperativeMatrixLayoutRowMajor", "gl_CooperativeMatrixLayoutColumnMajor")
CLAMP_MODES = (
    "gl_CooperativeMatrixClampModeUndefinedNV",
    "gl_CooperativeMatrixClampModeConstantNV",
    "gl_CooperativeMatrixClampModeClampToEdgeNV",
    "gl_CooperativeMatrixClampModeRepeatNV",
    "gl_CooperativeMatrixClampModeMirrorRepeatNV",
)
REDUCE_MASKS = (
    "0",
    "gl_CooperativeMatrixReduceRowNV",
    "gl_CooperativeMatrixReduceColumnNV",
    "gl_CooperativeMatrixReduceRowAndColumnNV",
    "gl_CooperativeMatrixReduce2x2NV",
)
SATURATING_OPERANDS = "gl_MatrixOperandsSaturatingAccumulation"
BFLOAT16 = "GL_EXT_bfloat16"
"""The extension that bf16 needs beside those that every program asks for."""


def constant(names: Sequence[str], value: int) -> str:
    """The name of an enumerated value; the number itself where it has none."""
    return names[value] if 0 <= value < len(names) else str(value)
