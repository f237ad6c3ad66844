"""The looks of the axes of data: of single elements of D, of whole products, and of sequences of them."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.elements.float_sum import float_table
from mmaspec.strategies.register_kernels.observations.elements.integer_sum import integer_table
from mmaspec.strategies.register_kernels.observations.flow import Event, flow_of
from mmaspec.strategies.register_kernels.observations.table import Part, Table, column

OF_ELEMENTS = (
    "dot", "single-product", "pair-sum", "sum-place", "partial-range", "terms", "term-signs",
    "result-distinct", "nan-cause", "nan-spread", "nan-twin", "infinite-cause", "overflow-place", "zero-result",
    "cancellation", "exponent-spread", "rounding", "double-rounding", "product-width", "subnormals", "c-weight",
    "large-position", "exact-integers", "single-against-half",
)  # fmt: skip
"""Axes that only single elements of D have."""

OF_PRODUCTS = ("a-float", "b-float", "c-float", "a-integer", "b-integer", "c-integer")
"""Axes of elements and of whole products."""


def table_of(subject: Subject, event: Event) -> Table:
    """The elements of a product's D."""
    return integer_table(subject, event) if event.form.integer else float_table(subject, event)


def _of_product(axis: str) -> Look:
    of_element = column(axis)

    def look(subject: Subject, thing: Thing) -> Answer:
        return table_of(subject, thing.of).all(axis) if isinstance(thing.of, Event) else of_element(subject, thing)

    return look


def _chain_cancels(subject: Subject, thing: Thing) -> Answer:
    """Of a sequence by its chain as a whole."""
    if isinstance(thing.of, Part):
        return thing.of.table.classes("chain-cancels", thing.of.row)
    return table_of(subject, thing.of.chain.products[-1]).all("chain-cancels")


def things(subject: Subject) -> Iterator[Thing]:
    """Of every product a few elements of D that have all of its classes between them."""
    flow = flow_of(subject)
    for event in flow.told_apart(flow.products):
        table = table_of(subject, event)
        for row in table.shown():
            yield Thing("integer-sum" if event.form.integer else "float-sum", Part(event, table, row), event.place)


LOOKS: dict[str, Look] = {
    "chain-cancels": _chain_cancels,
    **{axis: column(axis) for axis in OF_ELEMENTS},
    **{axis: _of_product(axis) for axis in OF_PRODUCTS},
}
