"""Templates of instructions: what no builtin can say of A, B and C."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from msgspec.structs import replace

from mmaspec.programs.amd_rdna3_wmma.caps import Caps, Form
from mmaspec.programs.amd_rdna3_wmma.instruction import INLINE_FLOATS, LEAST_INLINE, MOST_INLINE, Inline, VWmma
from mmaspec.programs.amd_rdna3_wmma.program import AnyWmma
from mmaspec.programs.register_kernels import Fill
from mmaspec.strategies.amd_rdna3_wmma.builder import ProgramBuilder
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, DrawContext
from mmaspec.strategies.register_kernels.templates import operands

SIGNS: Mapping[str, tuple[bool, bool]] = MappingProxyType(
    {"none": (False, False), "low": (True, False), "high": (False, True), "both": (True, True)}
)
"""Which halves of a factor's registers change their sign -> its bits of ``neg_lo`` and ``neg_hi``."""

OF_C: Mapping[str, tuple[bool, bool]] = MappingProxyType(
    {"none": (False, False), "negative": (True, False), "absolute": (False, True), "negative-absolute": (True, True)}
)
"""What becomes of C -> its bits of ``neg_lo`` and ``neg_hi``."""

INTEGERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "integer-zero": (0, 0),
        "integer-one": (1, 1),
        "integer-positive": (2, 63),
        "integer-64": (64, 64),
        "integer-minus-one": (-1, -1),
        "integer-negative": (-15, -2),
        "integer-minus-16": (-16, -16),
    }
)
"""Class of an integer constant -> the least and the most of it."""

NUMBERS: Mapping[str, Inline] = MappingProxyType(
    dict(
        zip(
            ("half", "minus-half", "one", "minus-one", "two", "minus-two", "four", "minus-four", "inverse-2pi"),
            INLINE_FLOATS,
            strict=True,
        )
    )
)
"""Class of a constant that is a number -> the constant."""

KINDS = (*INTEGERS, *NUMBERS)
"""All classes of constants."""

NEGATIVE = ("integer-minus-one", "integer-negative", "integer-minus-16")
"""Those of integers below zero."""


def takes(form: Form, kind: str) -> bool:
    """Whether an instruction takes a class of constants: numbers are for C of f32 and f16 only."""
    return kind in INTEGERS or form.result in ("f32", "f16")


def constant(choices: Choices, kind: str) -> Inline:
    """A constant of a class."""
    return choices.integer(*INTEGERS[kind]) if kind in INTEGERS else NUMBERS[kind]


def with_signs(step: AnyWmma, a: str, b: str, c: str) -> VWmma:
    """An instruction with changes of sign, each by its class."""
    assert isinstance(step, VWmma)
    low, high = zip(SIGNS[a], SIGNS[b], OF_C[c], strict=True)
    return replace(step, neg_lo=low, neg_hi=high)


class OwnSigns(ProgramBuilder):
    """A kernel that says itself how the signs of its operands change."""

    free_signs: ClassVar[bool] = False


def signed_operands(context: DrawContext[Caps]) -> Draft:
    """Two products of the same A, B and C, whose signs change in drawn ways: those of all three in the first one."""
    choices = context.choices
    builder = OwnSigns(context)
    operands(builder, by_wave=True)
    builder.fragment("c", "cd")
    builder.add(builder.load("c", "C", "addend", by_wave=True))
    for name in "de":
        builder.fragment(name, "cd")
        a, b, c = (choices.one_of(tuple(table)) for table in (SIGNS, SIGNS, OF_C))
        if name == "d":
            a, b, c = choices.one_of(("low", "both")), choices.one_of(("low", "both")), "negative-absolute"
        builder.add(with_signs(builder.wmma(name, "a", "b", "c"), a, b, c), builder.store(name))
    return builder.draft(builder.sums)


def inline_constants(context: DrawContext[Caps]) -> Draft:
    """Products with a constant for C, over a D that held something else; then with A of zeros, so that D is C.

    Of these there is every constant that is judged to the bit: integers of integers, numbers of f32 and f16. To floats
    integers are subnormals, which may be flushed, and NaN: of them there is one below zero and one above.
    """
    choices = context.choices
    builder = OwnSigns(context, waves=choices.integer(1, 2))
    operands(builder)
    builder.fragment("d", "cd")
    builder.add(builder.load("d", "Old", "addend"))
    if builder.form.halves:
        builder.add(builder.wmma("d", "a", "b", None, opsel=True), builder.store("d"))
    every = [kind for kind in KINDS if takes(builder.form, kind)]
    beside = [constant(choices, choices.one_of(every)) for _ in range(2)]
    for inline in (*beside, None, *_alone(builder)):
        if inline is None:
            builder.add(Fill("a", 0))
            continue
        step = builder.wmma("d", "a", "b", None, opsel=False)
        builder.add(replace(step, inline=inline), builder.store("d"))
    return builder.draft("small" if builder.integer else builder.sums, batch=4 if builder.integer else 8)


def _alone(builder: ProgramBuilder) -> list[Inline]:
    """The constants that are stored as they are, in turn from any one on."""
    choices = builder.choices
    if builder.integer:
        every: list[Inline] = [*range(LEAST_INLINE, MOST_INLINE + 1)]
    else:
        every = [NUMBERS[kind] for kind in NUMBERS if takes(builder.form, kind)]
        every.extend(constant(choices, choices.one_of(kinds)) for kinds in (NEGATIVE, ("integer-one", "integer-64")))
    start = choices.integer(0, len(every) - 1)
    return [*every[start:], *every[:start]]
