"""The words of an OpenCL C kernel that no parameter or variable of a program can have."""

from __future__ import annotations

import re


def words(text: str) -> list[str]:
    """The words of a text."""
    return re.findall(r"\w+", text)


TAKEN = frozenset(
    words(
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        global local constant private generic kernel read_only write_only read_write uniform pipe
        bool uchar ushort uint ulong half size_t ptrdiff_t intptr_t uintptr_t image1d_t image2d_t image3d_t sampler_t
        event_t queue_t true false bfloat16
        NAN NULL INFINITY HUGE_VAL HUGE_VALF MAXFLOAT EOF FP_CONTRACT
        CHAR_BIT CHAR_MAX CHAR_MIN SCHAR_MAX SCHAR_MIN UCHAR_MAX SHRT_MAX SHRT_MIN USHRT_MAX
        INT_MAX INT_MIN UINT_MAX LONG_MAX LONG_MIN ULONG_MAX
        matrix_mad wave item i get_sub_group_id get_sub_group_local_id main
        """
    )
    + [
        f"{scalar}{count}"
        for scalar in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")
        for count in (2, 3, 4, 8, 16)
    ]
    + [
        f"{kind}_{what}"
        for kind in ("FLT", "DBL", "HALF")
        for what in words("DIG EPSILON MANT_DIG MAX MAX_10_EXP MAX_EXP MIN MIN_10_EXP MIN_EXP RADIX")
    ]
    + [
        f"M_{what}{kind}"
        for what in words("E LOG2E LOG10E LN2 LN10 PI PI_2 PI_4 1_PI 2_PI 2_SQRTPI SQRT2 SQRT1_2")
        for kind in ("", "_F", "_H")
    ]
    + [f"as_{scalar}" for scalar in ("int", "uint", "short", "ushort", "float", "half")]
)
"""Words of the language, macros that its headers define, and words of the text around a program's own."""
