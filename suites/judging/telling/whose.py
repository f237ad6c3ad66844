"""Whose an element is, in words: a wave's, or a thread's, of which a vector has no columns."""

from __future__ import annotations

from mmaspec.oracle.expectation import Region
from mmaspec.suites.judging.record import Element, Owner


def owner_of(region: Region, waves: int) -> Owner:
    """Whose a store's elements are: only threads are more than the waves of the program."""
    several, _, cols = region.addresses.shape
    if several <= waves:
        return "wave"
    return "vector" if cols == 1 else "thread"


def spot(owner: Owner, number: int, row: int, col: int) -> str:
    """An element in a sentence: "element (6, 0) of wave 1"."""
    if owner == "vector":
        return f"element {row} of thread {number}"
    return f"element ({row}, {col}) of {owner} {number}"


def coordinates(element: Element) -> str:
    """The same as a list: "wave 1, row 6, column 0"."""
    if element.owner == "vector":
        return f"thread {element.wave}, element {element.row}"
    return f"{element.owner} {element.wave}, row {element.row}, column {element.col}"
