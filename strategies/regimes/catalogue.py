"""Data regimes by name. No single one is enough: each detects faults that the others cannot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from mmaspec.oracle.case import Bits
from mmaspec.oracle.source import Source
from mmaspec.programs.errors import BadInput
from mmaspec.strategies.regimes import floats, hard, integers, whole
from mmaspec.strategies.regimes.combined_patterns import combined
from mmaspec.strategies.regimes.distinct import distinct
from mmaspec.strategies.regimes.edges import edges, whole_and_edges
from mmaspec.strategies.regimes.exact_window import window
from mmaspec.strategies.regimes.extremes.brinks import brinks
from mmaspec.strategies.regimes.extremes.infinities import infinities
from mmaspec.strategies.regimes.extremes.integer_ends import ends_by_depth, integer_ends
from mmaspec.strategies.regimes.extremes.least_products import least_products
from mmaspec.strategies.regimes.extremes.limits import limits
from mmaspec.strategies.regimes.extremes.nan_kinds import nan_kinds
from mmaspec.strategies.regimes.extremes.range_ends import range_ends
from mmaspec.strategies.regimes.extremes.single_terms import single_terms
from mmaspec.strategies.regimes.few_terms import few_terms
from mmaspec.strategies.regimes.marked import marked
from mmaspec.strategies.regimes.met_infinities import met_infinities
from mmaspec.strategies.regimes.moved import moved
from mmaspec.strategies.regimes.operand_values import operands
from mmaspec.strategies.regimes.padded import lone, padded
from mmaspec.strategies.regimes.patterned import patterned
from mmaspec.strategies.regimes.patterns import patterns
from mmaspec.strategies.regimes.request import Request
from mmaspec.strategies.regimes.rounding import rounding
from mmaspec.strategies.regimes.twins import twins, zero_addends

Regime = Callable[[Request], dict[str, Bits]]

_FLOAT: Mapping[str, Regime] = MappingProxyType(
    {
        "window": window,
        "normal": floats.normal,
        "wild": floats.wild,
        "subnormal": floats.subnormal,
        "cancelling": hard.cancelling,
        "near-tie": hard.near_tie,
        "specials": hard.specials,
        "overflow-edge": floats.overflow_edge,
        "distinct": distinct,
        "moved": moved,
        "whole": whole.whole,
        "edges": edges,
        "whole-and-edges": whole_and_edges,
        "limits": limits,
        "operands": operands,
        "combined": combined,
        "twins": twins,
        "zero-addends": zero_addends,
        "padded": padded,
        "lone": lone,
        "few-terms": few_terms,
        "patterns": patterns,
        "nan-kinds": nan_kinds,
        "rounding": rounding,
        "patterned": patterned,
        "marked": marked,
        "brinks": brinks,
        "infinities": infinities,
        "single-terms": single_terms,
        "met-infinities": met_infinities,
        "range-ends": range_ends,
        "least-products": least_products,
    }
)

_INT: Mapping[str, Regime] = MappingProxyType(
    {
        "small": integers.small,
        "wild": integers.wild,
        "overflow": integers.overflow,
        "distinct": distinct,
        "moved": moved,
        "whole": whole.whole,
        "edges": edges,
        "whole-and-edges": whole_and_edges,
        "limits": limits,
        "operands": operands,
        "combined": combined,
        "twins": twins,
        "zero-addends": zero_addends,
        "padded": padded,
        "lone": lone,
        "few-terms": few_terms,
        "patterns": patterns,
        "integer-ends": integer_ends,
        "ends-by-depth": ends_by_depth,
        "patterned": patterned,
        "marked": marked,
        "brinks": brinks,
        "full": integers.full,
    }
)

FLOAT_REGIMES = tuple(_FLOAT)
INT_REGIMES = tuple(_INT)
REGIMES = tuple(dict.fromkeys((*_FLOAT, *_INT)))
"""Every name that a grammar may use, whatever the formats of the row."""

_NEAREST_INT = {
    "window": "small",
    "normal": "wild",
    "subnormal": "small",
    "cancelling": "wild",
    "near-tie": "small",
    "specials": "wild",
    "overflow-edge": "overflow",
    "nan-kinds": "wild",
    "infinities": "wild",
    "single-terms": "wild",
    "met-infinities": "wild",
    "rounding": "overflow",
    "range-ends": "overflow",
    "least-products": "small",
}
_NEAREST_FLOAT = {
    "small": "window",
    "full": "window",
    "overflow": "overflow-edge",
    "integer-ends": "overflow-edge",
    "ends-by-depth": "overflow-edge",
}


def draw(
    regime: str,
    seed: int,
    sources: Sequence[Source],
    batch: int,
    *,
    accumulator: str | None = None,
    products: int = 0,
) -> dict[str, Bits]:
    """The bits of every source, shape ``(batch, *source.shape)``: a pure function of the arguments.

    ``accumulator`` names the format that sums accumulate in (default: the narrowest float addend's, else
    f32); ``products`` is how many products the program executes, which share one window. A regime for
    floats means the nearest one for integer sources, and the other way round. ``BadInput`` for an
    unknown name.
    """
    if regime not in REGIMES:
        raise BadInput(f"no data regime named {regime!r}; there are {', '.join(REGIMES)}")
    floats = tuple(source for source in sources if source.fmt.is_float)
    ints = tuple(source for source in sources if not source.fmt.is_float)
    drawn: dict[str, Bits] = {}
    for own, table, nearest in ((floats, _FLOAT, _NEAREST_FLOAT), (ints, _INT, _NEAREST_INT)):
        if own:
            name = regime if regime in table else nearest[regime]
            drawn.update(table[name](Request(name, seed, own, batch, accumulator, products)))
    return {source.name: drawn[source.name] for source in sources}
