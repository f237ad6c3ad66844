"""The array of run-time words: what else is in the buffer of a word, and which block it names."""

from __future__ import annotations

from functools import partial
from typing import Any

from mmaspec.programs.base import RunTime, Word
from mmaspec.programs.register_kernels import Store
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext
from mmaspec.strategies.register_kernels.arrays.kernel import VIEWS, Fits, Kernel

_VALUES = {"zero": (0,), "one": (1,), "few": (2, 3, 9, 17, 255), "second-byte": (256, 257, 300)}
_OFFSETS = {"zero": (0,), "four": (4,), "eight-or-twelve": (8, 12), "sixteen-or-more": (16, 20, 40, 2052)}
_TARGETS = {"own": "d", "with-loaded-matrix": "abc", "with-stored-matrix": "d", "shared-word": "abcd"}
"""Classes of ``word-buffer`` -> the fragments that are loaded or stored so."""
BOTH = {"with-loaded-matrix": ("with-loaded-matrix", "with-stored-matrix"), "shared-word": ("own", "shared-word")}
"""Classes of ``word-buffer``, two of which a case has."""

DISTANT = 256
"""The first block of those before which a buffer has no memory: many such buffers would cost more than they show."""

FAR = 4096
"""Bytes that an immediate offset reaches."""


def _build(make: type[Kernel], context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = make(context)
    kernel.fragments(a="a", b="b", c="cd", d="cd")
    for name in ("a", "b", "c"):
        kernel.add(kernel.load(name, f"{name.upper()}-first", f"in-{name}"))
    start = kernel.choices.integer(0, len(_VALUES) - 1)
    both = BOTH[chosen["word-buffer"]]
    every = [(h, target, kind) for h in both for target in _TARGETS[h] for kind in (*_OFFSETS, "last", "far")]
    for number, (holds, target, kind) in enumerate(every):
        _turn(kernel, holds, target, kind, number, start)
    return kernel.draft("wild" if kernel.integer else kernel.sums, batch=1)


def _turn(kernel: Kernel, holds: str, target: str, kind: str, number: int, start: int) -> None:
    """A product whose load or store finds its block by a word at a place of its own."""
    choices = kernel.choices
    value, size = choices.one_of(tuple(_VALUES.values())[(number + start) % len(_VALUES)]), kernel.sizes[target]
    together = holds.startswith("with")
    words = f"words-{number}"
    own = kernel.room(words, choices.one_of(tuple(VIEWS.values())))
    where = words if together else f"blocks-{number}"
    kernel.cover(where, target, value)
    offset = choices.one_of(_OFFSETS.get(kind, (0,)))
    if kind == "far":
        offset = FAR + 4
    if kind == "last" or (together and value * size - 4 < offset < (value + 1) * size):
        offset = own.end + 4 * choices.integer(0, 2)  # behind the block
    own.end = max(own.end, offset + 4)
    own.slack = 0 if kind == "last" else 8
    word = RunTime(words, offset)
    kernel.words.append(Word(words, offset, value))
    if value >= DISTANT:
        own.covered.append(range(offset, offset + 4))
        kernel.room(where).sparse = True
    for name in ("a", "b", "c"):
        if name == target:
            kernel.add(kernel.load_at(name, where, word, f"{name.upper()}{number + 1}"))
        elif holds == "shared-word":
            kernel.cover(f"more-{name}-{number}", name, value)
            kernel.room(f"more-{name}-{number}").sparse = value >= DISTANT
            kernel.add(kernel.load_at(name, f"more-{name}-{number}", word, f"{name.upper()}{number + 1}"))
        elif target == "d" and name == "c":
            kernel.add(kernel.load("c", f"C{number + 1}", "in-c"))
    kernel.add(kernel.product("d", "a", "b", "c"))
    kernel.add(Store("d", where, word) if target == "d" else kernel.store("d"))


def words(make: type[Kernel], focus: tuple[str, ...], fits: Fits | None = None) -> Array:
    """Block numbers that a kernel loads, each from a word at another offset; with its block, the word is behind it."""
    return Array(
        name="run-time-words",
        focus=focus,
        axes={"word-buffer": tuple(BOTH)},
        build=partial(_build, make),
        fits=fits,
    )
