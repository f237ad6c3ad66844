"""The array of products that follow each other directly, with OPSEL of each other: C is the half that a call names.

Nothing stands between them, so that a result may be handed on before it is in its registers. Either each C is the D
before it, or a call of another sum, with the other OPSEL, comes between two of one sum, which have it alike.
"""

from __future__ import annotations

from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.caps import Form
from mmaspec.strategies.amd_rdna3_wmma.arrays.halves import NARROW
from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.grammar import Array, Chosen, Draft, DrawContext

_LENGTHS = {"two": 2, "three": 3, "four": 4}
"""Class of ``chain-length`` -> the calls of one sum."""


def _build(context: DrawContext[Any], chosen: Chosen) -> Draft:
    kernel = WmmaKernel(context, context.choices.one_of((1, 2)))
    fed, apart = chosen["opsel-before"] == "other-fed", chosen["destination"] != "in-place"
    first, calls = chosen["opsel"] == "high", _LENGTHS[chosen["chain-length"]]
    sums = ("c",) if fed else ("c", "e")
    kernel.fragments(a="a", b="b", a2="a", b2="b")
    for name in sums:
        kernel.fragment(name, "cd")
    for name in ("a", "b", "a2", "b2", *sums):
        kernel.add(kernel.load(name, name.upper(), f"in-{name}", by_wave=True))
    steps: list[Any] = []
    results: list[str] = list(sums)
    for number in range(calls):
        left, right = ("a", "b") if number % 2 else ("a2", "b2")
        for turn, name in enumerate(sums):
            # Of one sum each call has another OPSEL than the one before; of two sums each has its own.
            opsel = first ^ bool((number if fed else turn) % 2)
            d = kernel.fragment(f"{name}{number}", "cd") if apart else name
            steps.append(kernel.wmma(d, left, right, results[turn], opsel=opsel))
            results[turn] = d
    kernel.add(*steps, *(kernel.store(name) for name in dict.fromkeys((*results, *(step.d for step in steps)))))
    return kernel.draft(kernel.sums, batch=4)


def _fits(row: Row[Form], caps: object, axis: str, name: str) -> bool:
    """What a call that is not tied leaves beside its result is no C; instructions keep what D held, not what C did."""
    del caps
    if axis == "opsel-before" and name == "other-fed":
        return row.entry.tied or row.entry.instruction
    return axis != "destination" or name == "in-place" or not row.entry.instruction


BACK_TO_BACK = Array(
    name="back-to-back",
    focus=("RDNA3-OPSEL-LOW", "RDNA3-OPSEL-HIGH", "RDNA3-OPSEL-OTHER", "RDNA3-INPLACE", "RDNA3-TILE"),
    axes={
        "opsel-before": ("other-fed", "other-apart"),
        "opsel": ("low", "high"),
        "chain-length": tuple(_LENGTHS),
        "destination": ("in-place", "apart-fresh"),
    },
    build=_build,
    rows=NARROW,
    fits=_fits,
)
"""Calls with nothing between them."""
