"""Names for a kernel's parameters and variables: a program's own, made into words of the language, each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from mmaspec.programs.register_kernels import RegisterProgram


@dataclass(frozen=True, slots=True)
class Names:
    """A program's name -> the word for it: one for a buffer and another for a fragment that is called the same."""

    buffers: Mapping[str, str]
    fragments: Mapping[str, str]


def names_of(program: RegisterProgram, reserved: Set[str], prefix: str) -> Names:
    """A word for each buffer and fragment of a program; its own name wherever that can stand.

    ``reserved`` are the words of the language and of the text around, which also has all that begin with ``prefix``.
    """
    taken = set(reserved)
    buffers = dict(_words((buffer.name for buffer in program.buffers), taken, prefix))
    return Names(buffers, dict(_words((fragment.name for fragment in program.fragments), taken, prefix)))


def _words(names: Iterator[str], taken: set[str], prefix: str) -> Iterator[tuple[str, str]]:
    for name in names:
        word = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name)
        word = word if word[:1].isalpha() and not word.startswith(prefix) else f"x{word}"
        while word in taken:
            word += "_"
        taken.add(word)
        yield name, word
