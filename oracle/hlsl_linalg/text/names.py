"""The words of a shader that no matrix, vector, array or buffer of a program can have for a name."""

from __future__ import annotations

import re

_SCALARS = (
    "bool", "int", "uint", "dword", "half", "float", "double", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
    "uint64_t", "float16_t", "float32_t", "float64_t", "min16float", "min10float", "min16int", "min12int", "min16uint",
)  # fmt: skip
_SIZES = ("", *(str(count) for count in range(1, 5)), *(f"{m}x{n}" for m in range(1, 5) for n in range(1, 5)))

TAKEN = frozenset(
    re.findall(
        r"\w+",
        """
        AppendStructuredBuffer BlendState Buffer ByteAddressBuffer CompileShader ComputeShader ConstantBuffer
        ConsumeStructuredBuffer DepthStencilState DepthStencilView DomainShader GeometryShader HullShader InputPatch
        LineStream NULL OutputPatch PixelShader PointStream RWBuffer RWByteAddressBuffer RWStructuredBuffer
        RWTexture1D RWTexture1DArray RWTexture2D RWTexture2DArray RWTexture3D RasterizerState RenderTargetView
        SamplerComparisonState SamplerState StructuredBuffer Texture1D Texture1DArray Texture2D Texture2DArray
        Texture2DMS Texture2DMSArray Texture3D TextureBuffer TextureCube TextureCubeArray TriangleStream VertexShader
        alignas alignof and and_eq asm asm_fragment auto bitand bitor break case catch cbuffer centroid char char16_t
        char32_t class column_major compile compile_fragment compl const const_cast constexpr continue decltype default
        delete discard do dynamic_cast else enum explicit export extern false for friend fxgroup globallycoherent goto
        groupshared if in indices inline inout interface line lineadj linear long matrix mutable namespace new noexcept
        nointerpolation noperspective not not_eq nullptr operator or or_eq out packoffset pass payload pixelfragment
        point precise primitives private protected public register reinterpret_cast return row_major sample sampler
        sampler_state shared short signed sizeof snorm stateblock stateblock_state static static_assert static_cast
        string struct switch tbuffer technique technique10 technique11 template texture this thread_local throw triangle
        triangleadj true try typedef typeid typename uniform union unorm unsigned using vector vertexfragment vertices
        virtual void volatile wchar_t while xor xor_eq int8_t4_packed uint8_t4_packed

        AccumulatorLayout ComponentEnum ComponentType Convert InterlockedAccumulate InterpretedVector
        MakeInterpretedVector Matrix MatrixComponentType MatrixLayout MatrixLayoutEnum MatrixScope MatrixScopeEnum
        MatrixUse MatrixUseEnum Multiply MultiplyAdd OuterProduct UnaryOperation VectorRef dx dxil hlsl linalg

        AllMemoryBarrierWithGroupSync CSMain GROUP_SIZE SIZE_TYPE WaveGetLaneIndex WaveSize asdouble asfloat asfloat16
        asint at far groupIndex i lane memoryBias numthreads start wave
        """,
    )
    + [f"{scalar}{size}" for scalar in _SCALARS for size in _SIZES]
)
"""Words of the language, names of the header, words of the text around a program's own."""

_OWN = re.compile(r"pass\d+|\w*_|\w*Type")
"""What else the text makes: loop variables, names that were taken, types of matrices."""


def is_taken(word: str) -> bool:
    """Whether a word cannot be a program's own."""
    return word in TAKEN or _OWN.fullmatch(word) is not None
