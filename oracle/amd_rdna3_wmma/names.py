"""Names for a kernel's parameters and variables: a program's own, made into words of the language, each once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram

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


@dataclass(frozen=True, slots=True)
class Names:
    """A program's name -> the word for it: one for a buffer and another for a fragment that is called the same."""

    buffers: Mapping[str, str]
    fragments: Mapping[str, str]


def names_of(program: WmmaProgram) -> Names:
    """A word for each buffer and fragment of a program; its own name wherever that can stand."""
    taken = set(TAKEN)
    buffers = dict(_words((buffer.name for buffer in program.buffers), taken))
    return Names(buffers, dict(_words((fragment.name for fragment in program.fragments), taken)))


def _words(names: Iterator[str], taken: set[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        word = word if word[:1].isalpha() and not word.startswith("wmma_") else f"x{word}"
        while word in taken:
            word += "_"
        taken.add(word)
        yield name, word
