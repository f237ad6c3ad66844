"""A pattern that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "exchange", "half", "reversal", "shift", "permutation", "transposition", "order", "repetition", "wave", "item",
    "halves", "slots",
]  # fmt: skip
"""half: two halves or quadrants changed places. order: the elements stand in another linear order, such as column by
column. wave, item: values of other waves, of other items of the batch. permutation: none of the others, but each
value went to one place only. halves, slots: values are in the other halves of their registers, or in the places of
other rows in either half."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Where the values of a wrong tile came from."""

    kind: Kind
    says: str
    """In words: "rows 14 and 15 are exchanged"."""
    explained: int
    """How many wrong elements, in all batch items, hold a value that is legal where it is said to come from."""
    axis: str
    """What moved: "rows", "columns", "waves", "elements", "items" or "halves"."""
