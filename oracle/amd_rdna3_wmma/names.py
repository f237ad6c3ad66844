"""The words of a HIP kernel that no parameter or variable of a program can have."""

from __future__ import annotations

import re

TAKEN = frozenset(
    re.findall(
        r"\w+",
        """
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const constexpr
        const_cast continue decltype default delete do double dynamic_cast else enum explicit export extern false float
        for friend goto half if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
        private protected public register reinterpret_cast return short signed sizeof static static_assert static_cast
        struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual
        void volatile wchar_t while xor xor_eq
        kernel wave lane i threadIdx blockIdx blockDim gridDim warpSize main
        """,
    )
)
"""Words of the language, and of the text around a program's own."""
