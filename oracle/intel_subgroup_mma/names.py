"""The words of an OpenCL C kernel that no parameter or variable of a program can have."""

from __future__ import annotations

import re

TAKEN = frozenset(
    re.findall(
        r"\w+",
        """
        auto break case char const continue default do double else enum extern float for goto if inline int long
        register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
        global local constant private generic kernel read_only write_only read_write uniform pipe
        bool uchar ushort uint ulong half size_t ptrdiff_t intptr_t uintptr_t image1d_t image2d_t image3d_t sampler_t
        event_t queue_t true false bfloat16
        matrix_mad wave item i get_sub_group_id get_sub_group_local_id main
        """,
    )
    + [
        f"{scalar}{count}"
        for scalar in ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double")
        for count in (2, 3, 4, 8, 16)
    ]
    + [f"as_{scalar}" for scalar in ("int", "uint", "short", "ushort", "float", "half")]
)
"""Words of the language, and of the text around a program's own."""
