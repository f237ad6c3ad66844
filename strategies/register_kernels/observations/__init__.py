"""How the classes of kernels on fragments are seen in a case, whatever a product is.

A specification adds looks of its own, and says what only it knows in ``observations/dialect.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from mmaspec.oracle.expectation import Defined
from mmaspec.strategies.axes.observation import Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations import (
    argument,
    buffer,
    fill,
    fragment,
    load,
    loop,
    operand,
    product,
    product_data,
    program,
    sequence,
    store,
    tiling,
)
from mmaspec.strategies.register_kernels.observations.elements import sums

_WITH_THINGS = (program, buffer, fragment, argument, load, store, fill, product, sequence, loop, tiling, operand, sums)


def things(subject: Subject) -> Iterator[Thing]:
    """Everything with axes in a case that is executed.

    One that is rejected or undefined has no data, and breaks the rules by which classes exclude each other.
    """
    if isinstance(subject.expectation, Defined):
        for part in _WITH_THINGS:
            yield from part.things(subject)


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        **argument.LOOKS, **buffer.LOOKS, **fill.LOOKS, **fragment.LOOKS, **load.LOOKS, **loop.LOOKS,
        **operand.LOOKS, **product.LOOKS, **product_data.LOOKS, **program.LOOKS, **sequence.LOOKS, **store.LOOKS,
        **sums.LOOKS, **tiling.LOOKS,
    }
)  # fmt: skip
"""Axis -> its look."""
