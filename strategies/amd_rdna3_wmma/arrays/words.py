"""The array of run-time words: where a word lies, what else is in its buffer, and which block it names."""

from __future__ import annotations

from typing import Any

from mmaspec.programs.amd_rdna3_wmma.program import Load, RunTime, Store
from mmaspec.programs.base import Word
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import VIEWS, Kernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

_VALUES = {"zero": (0,), "one": (1,), "few": (2, 3, 9, 17, 255), "second-byte": (256, 257, 300)}
_OFFSETS = {"zero": (0,), "four": (4,), "eight-or-twelve": (8, 12), "sixteen-or-more": (16, 20, 40, 2052)}
_TARGETS = {"load-a": "a", "load-b": "b", "load-c": "c", "store-d": "d"}
FAR = 4096
"""Bytes that an immediate offset reaches."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft | None:
    kernel = Kernel(context)
    choices = kernel.choices
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    target = _TARGETS[chosen["argument-of"]]
    value, size = choices.one_of(_VALUES[chosen["word-value"]]), kernel.sizes[target]
    together = chosen["word-buffer"].startswith("with")
    own = kernel.room("words", choices.one_of(tuple(VIEWS.values())))
    where = "words" if together else "blocks"
    kernel.cover(where, target, value)
    offset = _offset(kernel, chosen["word-offset"], own.end)
    if offset is None or (together and offset < (value + 1) * size and offset + 4 > value * size):
        return None
    own.end = max(own.end, offset + 4)
    if chosen["word-offset"] != "last":
        own.slack = 4 * choices.integer(1, 3) if own.end == offset + 4 else 0
    word = RunTime("words", offset)
    kernel.words.append(Word("words", offset, value))
    shared = chosen["word-buffer"] == "shared-word"
    for name in ("a", "b", "c"):
        if name == target:
            kernel.add(Load(name, where, word, name.upper()))
        elif shared:
            kernel.cover(f"more-{name}", name, value)
            kernel.add(Load(name, f"more-{name}", word, name.upper()))
        else:
            kernel.add(kernel.load(name, name.upper(), f"in-{name}"))
    kernel.add(kernel.wmma("d", "a", "b", "c"))
    kernel.add(Store("d", where, word) if target == "d" else kernel.store("d"))
    return kernel.draft("wild" if kernel.integer else "window", batch=2)


def _offset(kernel: Kernel, kind: str, end: int) -> int | None:
    """Bytes from the start of the view; ``end`` is where the blocks of the buffer end."""
    if kind == "last":
        return end + 4 * kernel.choices.integer(0, 2)
    if kind == "far":
        return max(end, FAR) + 4 * kernel.choices.integer(1, 9) if kernel.choices.chance(50) else FAR + 4
    return kernel.choices.one_of((*_OFFSETS[kind], *((end + 4,) if kind == "sixteen-or-more" and end else ())))


WORDS = Array(
    name="run-time-words",
    focus=("RDNA3-MEM-FREE",),
    axes={
        "argument-of": tuple(_TARGETS),
        "word-offset": (*_OFFSETS, "last", "far"),
        "word-value": tuple(_VALUES),
        "word-buffer": ("own", "with-loaded-matrix", "with-stored-matrix", "shared-word"),
    },
    build=_build,
    rules=(
        "word-buffer=with-loaded-matrix with argument-of=store-d",
        "word-buffer=with-stored-matrix with argument-of=load-a|load-b|load-c",
        # The first block begins where the word would lie.
        "word-buffer=with-loaded-matrix|with-stored-matrix with word-value=zero with word-offset=zero|four|eight-or-twelve",
    ),
)
"""Block numbers that a kernel loads."""
