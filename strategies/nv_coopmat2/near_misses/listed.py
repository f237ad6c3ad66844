"""The matrix types that a device lists, and pairs of them of which one aspect does not go together."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

from msgspec.structs import replace

from mmaspec.oracle.nv_coopmat2.caps_support import components, listed, sizes
from mmaspec.oracle.nv_coopmat2.program_support import beside, by_workgroup
from mmaspec.oracle.spec import Row
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps, FlexibleSize, Property
from mmaspec.programs.nv_coopmat2.program import USE_A, USE_ACCUMULATOR, USE_B, Matrix

Pair = tuple[Matrix, Matrix]
"""Source and result of an operation."""

Wrong = Callable[[Matrix, Matrix], frozenset[str]]
"""The aspects in which a source and a result do not go together; none where the operation is valid."""

USES = (USE_A, USE_B, USE_ACCUMULATOR)


@lru_cache(maxsize=64)
def listed_types(caps: CoopMatCaps, entry: Property) -> tuple[Matrix, ...]:
    """The types that programs of a row may mix: those of its scope, the smallest sizes of flexible ones."""
    found: dict[Matrix, None] = {}
    # Two types of workgroup scope need workgroups of one size.
    own = beside(caps, entry) if isinstance(entry, FlexibleSize) else next(by_workgroup(caps))[1]
    for each in own.properties:
        if each.scope != entry.scope:
            continue
        for use in USES:
            rows, cols = sizes(each, use)
            factors = (1, 2) if isinstance(each, FlexibleSize) else (1,)
            for component in components(each, use):
                for down in factors:
                    for across in factors:
                        new: Any = Matrix("", component, rows * down, cols * across, use, entry.scope)  # type: ignore[arg-type]
                        if listed(own, new):
                            found[new] = None
    return tuple(found)


@lru_cache(maxsize=1024)
def pairs(caps: CoopMatCaps, entry: Property, wrong: Wrong, aspect: str) -> tuple[Pair, ...]:
    """The pairs that are wrong in one aspect alone; where there are none, in as few others as there can be."""
    types = listed_types(caps, entry)
    found = [(first, second, wrong(first, second)) for first in types for second in types]
    broken = [(first, second, len(aspects)) for first, second, aspects in found if aspect in aspects]
    fewest = min((count for _, _, count in broken), default=0)
    return tuple((first, second) for first, second, count in broken if count == fewest)


def has_pair(wrong: Wrong, aspect: str) -> Callable[[Row[Any], Any], bool]:
    """Whether a row has such a pair under its caps."""
    return partial(_has_pair, wrong, aspect)


def _has_pair(wrong: Wrong, aspect: str, row: Row[Any], caps: Any) -> bool:
    return bool(pairs(caps, row.entry, wrong, aspect))


def named_pair(pair: Pair) -> Pair:
    """The pair under the names that near misses give it."""
    return replace(pair[0], name="x"), replace(pair[1], name="y")


def other_type(first: Matrix, second: Matrix) -> frozenset[str]:
    """The aspects in which two types differ."""
    return frozenset(
        name for name in ("component", "rows", "cols", "use") if getattr(first, name) != getattr(second, name)
    )


def other_conversion(source: Matrix, result: Matrix) -> frozenset[str]:
    """What a conversion may not change; uses that change are named with both."""
    wrong = {name for name in ("rows", "cols") if getattr(source, name) != getattr(result, name)}
    if source.use != result.use and source.use != USE_ACCUMULATOR:
        wrong.add(f"use {source.use} to {result.use}")
    return frozenset(wrong)


def exchanged_sizes(source: Matrix, result: Matrix) -> frozenset[str]:
    """Whether a conversion would exchange rows and columns, and change nothing else."""
    if other_type(source, result) != {"rows", "cols"} or (source.rows, source.cols) != (result.cols, result.rows):
        return frozenset()
    return frozenset({"exchanged"})


def other_turned(source: Matrix, result: Matrix) -> frozenset[str]:
    """What is wrong with a transpose."""
    wrong = {"component"} if source.component != result.component else set()
    wrong |= {"rows"} if result.rows != source.cols else set()
    wrong |= {"cols"} if result.cols != source.rows else set()
    wrong |= {f"of use {source.use}"} if source.use != USE_ACCUMULATOR else set()
    wrong |= {f"into use {result.use}"} if result.use != USE_B else set()
    return frozenset(wrong)


def other_reduced(source: Matrix, result: Matrix) -> frozenset[str]:
    """What is wrong with the types of a reduction, whatever its mask."""
    wrong = {"component"} if source.component != result.component else set()
    wrong |= {f"of use {source.use}"} if source.use != USE_ACCUMULATOR else set()
    wrong |= {f"into use {result.use}"} if result.use != USE_ACCUMULATOR else set()
    return frozenset(wrong)


def _both_accumulators(source: Matrix, result: Matrix) -> bool:
    return not other_reduced(source, result)


def not_kept(source: Matrix, result: Matrix) -> frozenset[str]:
    """The extents that differ, of a reduction that keeps them."""
    if not _both_accumulators(source, result):
        return frozenset()
    return frozenset(name for name in ("rows", "cols") if getattr(source, name) != getattr(result, name))


def not_halved(source: Matrix, result: Matrix) -> frozenset[str]:
    """The extents that are not half of those of the source."""
    if not _both_accumulators(source, result):
        return frozenset()
    return frozenset(name for name in ("rows", "cols") if getattr(source, name) != 2 * getattr(result, name))
