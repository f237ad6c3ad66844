"""The functions' names and signatures, generated from one table (ISGMMA-FUNCS): 40 for sub-groups of 8, 48 for 16."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, ROWS, Form, FormName, SubGroupSize

PREFIX = "intel_sub_group_"
"""What all names begin with; programs leave it out."""

_NAME = re.compile(r"([a-z]+[0-9]{1,9})_([a-z]+[0-9]{1,9})_matrix_mad_k([0-9]{1,9})")

_ACCUMULATOR = {"i32": "int", "f32": "float", "bf16": "short", "f16": "half"}
"""Element of the accumulator -> component of its vector (ISGMMA-INT-ACC, ISGMMA-FP-ACC, ISGMMA-BIT-TYPES)."""

_UNSIGNED = ("u8", "u4")
"""Elements that travel in unsigned components; all others, floats too, in signed ones.

ISGMMA-ARG-A8, ISGMMA-ARG-A16, ISGMMA-ARG-B.
"""

WORDS_OF_B = 8
"""Components of B's vector, 32 bits each: one column of K elements fills them (ISGMMA-ARG-B)."""


@dataclass(frozen=True, slots=True)
class Signature:
    """One function: its name without the prefix, and the vectors that it takes and returns."""

    function: str
    size: SubGroupSize
    form: FormName
    a: tuple[str, int]
    """Component and count, as of every vector here."""
    b: tuple[str, int]
    acc: tuple[str, int]
    """Accumulator and result: they always are of one type (ISGMMA-FP-ACC)."""

    @property
    def rows(self) -> int:
        """M: the components of A, of the accumulator and of the result (ISGMMA-M)."""
        return self.acc[1]

    @property
    def declaration(self) -> str:
        """As the language declares it."""
        a, b, acc = map(spelled, (self.a, self.b, self.acc))
        return f"{acc} {PREFIX}{self.function}({a} a, {b} b, {acc} acc);"


def spelled(vector: tuple[str, int]) -> str:
    """The name of a vector type; one component is a scalar."""
    component, count = vector
    return component if count == 1 else f"{component}{count}"


def component_of_a(form: Form, size: int) -> str:
    """One row of K elements over all work-items: 32 bits each where there are 8 of them, 16 where there are 16."""
    wide = "int" if size == 8 else "short"
    return f"u{wide}" if form.a in _UNSIGNED else wide


def component_of_b(form: Form) -> str:
    """Always 32 bits."""
    return "uint" if form.b in _UNSIGNED else "int"


@cache
def signatures() -> tuple[Signature, ...]:
    """All 88, those of sub-groups of 8 first."""
    return tuple(_signatures())


def _signatures() -> Iterator[Signature]:
    for size, names in FORMS_OF.items():
        for name in names:
            form = FORMS[name]
            for rows in ROWS:
                a, b = component_of_a(form, size), component_of_b(form)
                acc = _ACCUMULATOR[form.acc]
                yield Signature(form.function, size, name, (a, rows), (b, WORDS_OF_B), (acc, rows))


@dataclass(frozen=True, slots=True)
class Name:
    """A function's name ``<A>_<B>_matrix_mad_k<K>``, taken apart."""

    a: str
    b: str
    k: int


def parse(function: str) -> Name | None:
    """A function's name without its prefix, taken apart; None where it does not follow the syntax."""
    match = _NAME.fullmatch(function)
    return None if match is None else Name(match[1], match[2], int(match[3]))


@cache
def overloads(function: str) -> tuple[Signature, ...]:
    """The functions of that name, for either sub-group size."""
    return tuple(signature for signature in signatures() if signature.function == function)
