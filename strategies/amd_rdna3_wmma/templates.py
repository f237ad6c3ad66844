"""Templates: a family of kernels for each group of clauses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mmaspec.oracle.spec import Row
from mmaspec.programs.amd_rdna3_wmma.program import Fill, Plain, Repeat
from mmaspec.strategies.amd_rdna3_wmma.builder import Kernel
from mmaspec.strategies.choices import Choices
from mmaspec.strategies.grammar import Draft, Template

LAYOUT = (
    "RDNA3-AB-ROWCOL",
    "RDNA3-AB-PACK16",
    "RDNA3-AB-PACK8",
    "RDNA3-W32-REPLICATE",
    "RDNA3-W64-REPLICATE",
    "RDNA3-CD-W32",
    "RDNA3-CD-W64",
    "RDNA3-CD-NOREP",
)
ONE_HALF = 0x3C00
"""1.0 as a half."""

Build = Callable[[Choices, Row, Any], Draft | None]


def regime_of(draw: Choices, kernel: Kernel) -> str:
    """A regime for a kernel that is not about its data."""
    return "wild" if kernel.integer else draw.weighted([(2, "window"), (1, "normal")])


def operands(kernel: Kernel, *, by_wave: bool | None = None) -> None:
    """Fragments a and b, loaded from one buffer or from two."""
    shared = kernel.draw.chance(50)
    kernel.fragment("a", "a")
    kernel.fragment("b", "b")
    kernel.add(kernel.load("a", "A", "in" if shared else "left", by_wave=by_wave))
    kernel.add(kernel.load("b", "B", "in" if shared else "right", by_wave=by_wave))


def product(regime: str = "", clamp: bool | None = None, signs: str = "") -> Build:
    """D = A*B + C, every fragment one of its own. ``signs``: ``equal``, ``mixed`` or drawn."""

    def build(draw: Choices, row: Row, caps: Any) -> Draft:
        del caps
        kernel = Kernel(draw, row)
        operands(kernel, by_wave=True if regime else None)
        kernel.fragment("c", "cd")
        kernel.fragment("d", "cd")
        kernel.add(kernel.load("c", "C", "addend", by_wave=True if regime else None))
        pairs = {"equal": [(False, False), (True, True)], "mixed": [(False, True), (True, False)]}
        chosen = draw.one_of(pairs[signs]) if signs else None
        kernel.add(kernel.wmma("d", "a", "b", "c", chosen, clamp), kernel.store("d"))
        return kernel.draft(regime or regime_of(draw, kernel))

    return build


def in_place(draw: Choices, row: Row, caps: Any) -> Draft:
    """C = A*B + C."""
    del caps
    kernel = Kernel(draw, row)
    operands(kernel)
    kernel.fragment("c", "cd")
    kernel.add(kernel.load("c", "C", "addend"), kernel.wmma("c", "a", "b", "c"), kernel.store("c"))
    return kernel.draft(regime_of(draw, kernel))


def zero_literal(draw: Choices, row: Row, caps: Any) -> Draft:
    """D = A*B + 0 with a literal vector of zeros, over a fragment that held something else."""
    del caps
    kernel = Kernel(draw, row)
    operands(kernel)
    kernel.fragment("d", "cd")
    if draw.chance(50):
        kernel.add(kernel.load("d", "Old", "addend"))
    kernel.add(kernel.wmma("d", "a", "b", None), kernel.store("d"))
    return kernel.draft(regime_of(draw, kernel))


def zero_filled(draw: Choices, row: Row, caps: Any) -> Draft:
    """C holds something else, is set to zero, and used in place."""
    del caps
    kernel = Kernel(draw, row)
    operands(kernel)
    kernel.fragment("c", "cd")
    kernel.add(kernel.load("c", "Old", "addend"), Fill("c", 0))
    kernel.add(kernel.wmma("c", "a", "b", "c"), kernel.store("c"))
    return kernel.draft(regime_of(draw, kernel))


def tiles(draw: Choices, row: Row, caps: Any) -> Draft:
    """A larger K: a loop over tiles of A and B, the sum carried in one fragment; sometimes stored in every pass."""
    del caps
    kernel = Kernel(draw, row, waves=draw.integer(1, 2))
    count = draw.integer(2, 4)
    shared = draw.chance(50)
    kernel.fragment("a", "a")
    kernel.fragment("b", "b")
    if draw.chance(30):  # the sample's way: zero where it is declared
        kernel.fragment("c", "cd", 0)
    else:
        kernel.fragment("c", "cd")
        kernel.add(kernel.load("c", "C", "addend"))
    body: list[Plain] = [
        kernel.load("a", "A", "in" if shared else "left", count, by_loop=True),
        kernel.load("b", "B", "in" if shared else "right", count, by_loop=draw.chance(70)),
        kernel.wmma("c", "a", "b", "c"),
    ]
    if draw.chance(30):
        body.append(kernel.store("c", "running", count, by_loop=True))
    kernel.add(Repeat(count, tuple(body)), kernel.store("c"))
    return kernel.draft(regime_of(draw, kernel))


def chain(draw: Choices, row: Row, caps: Any) -> Draft:
    """The same without a loop: two or three products, each adding to the one before, alternating in place or not."""
    del caps
    kernel = Kernel(draw, row, waves=draw.integer(1, 2))
    for name, use in (("a", "a"), ("b", "b"), ("c", "cd"), ("d", "cd")):
        kernel.fragment(name, use)  # type: ignore[arg-type]
    kernel.add(kernel.load("c", "C", "addend"))
    held = "c"
    for k in range(draw.integer(2, 3)):
        kernel.add(kernel.load("a", f"A{k}", "left"), kernel.load("b", f"B{k}", "right"))
        result = held if draw.chance(40) else ("d" if held == "c" else "c")
        kernel.add(kernel.wmma(result, "a", "b", held))
        held = result
    kernel.add(kernel.store(held))
    return kernel.draft(regime_of(draw, kernel))


def reuse(draw: Choices, row: Row, caps: Any) -> Draft:
    """A block of four tiles: two As times two Bs, each fragment used twice, results next to each other."""
    del caps
    kernel = Kernel(draw, row, waves=draw.integer(1, 2))
    for use in ("a", "b"):
        for n in (0, 1):
            kernel.fragment(f"{use}{n}", use)
            kernel.add(kernel.load(f"{use}{n}", f"{use.upper()}{n}", "in"))
    kernel.fragment("c", "cd")
    kernel.add(kernel.load("c", "C", "addend"))
    for i in (0, 1):
        for j in (0, 1):
            kernel.fragment(f"d{i}{j}", "cd")
            kernel.add(kernel.wmma(f"d{i}{j}", f"a{i}", f"b{j}", "c"))
    kernel.add(*(kernel.store(f"d{i}{j}") for i, j in ((1, 0), (0, 0), (1, 1), (0, 1))))
    return kernel.draft(regime_of(draw, kernel))


def registers(draw: Choices, row: Row, caps: Any) -> Draft:
    """No product: fragments go from some blocks to others, through shared buffers and at several offsets."""
    del caps
    kernel = Kernel(draw, row, waves=draw.integer(2, 3))
    for n, use in enumerate(("cd", "a", "b")):
        kernel.fragment(f"r{n}", use)  # type: ignore[arg-type]
        for copy in range(draw.integer(1, 2)):
            kernel.add(kernel.load(f"r{n}", f"R{n}{copy}", "in"), kernel.store(f"r{n}"))
    return kernel.draft("distinct", batch=8)


def sample(draw: Choices, row: Row, caps: Any) -> Draft:
    """The document's sample: ones times ones on zeros; one wave, or several doing the same."""
    del caps
    kernel = Kernel(draw, row)
    declared = draw.chance(50)
    for name, use in (("a", "a"), ("b", "b")):
        kernel.fragment(name, use, ONE_HALF if declared else None)  # type: ignore[arg-type]
        if not declared:
            kernel.add(Fill(name, ONE_HALF))
    kernel.fragment("c", "cd", 0)
    kernel.add(kernel.wmma("c", "a", "b", "c" if draw.chance(70) else None), kernel.store("c"))
    return kernel.draft("normal", batch=4)


def near_miss_base(draw: Choices, row: Row, caps: Any) -> Draft:
    """A plain product with nothing at run time, one item."""
    del caps
    kernel = Kernel(draw, row, run_time=False)
    operands(kernel)
    kernel.fragment("c", "cd")
    kernel.fragment("d", "cd")
    kernel.add(kernel.load("c", "C", "addend"), kernel.wmma("d", "a", "b", "c"), kernel.store("d"))
    return kernel.draft("distinct", batch=1)


_MMA = ("RDNA3-MMA", *LAYOUT)

TEMPLATES = (
    Template("product", _MMA, product()),
    Template("product-normal", (*_MMA, "RDNA3-FP-ACC"), product("normal"), ("float",)),
    Template("product-wild", ("RDNA3-FP-ACC",), product("wild"), ("float",)),
    Template("product-subnormal", ("RDNA3-FP-ACC",), product("subnormal"), ("float",)),
    Template("product-cancelling", ("RDNA3-FP-ACC",), product("cancelling"), ("float",)),
    Template("product-near-tie", ("RDNA3-FP-ACC",), product("near-tie"), ("float",)),
    Template("product-overflow-edge", ("RDNA3-FP-ACC", "RDNA3-FP-NAN"), product("overflow-edge"), ("float",)),
    Template("product-specials", ("RDNA3-FP-NAN",), product("specials"), ("float",)),
    Template("signs-equal", ("RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"), product("wild", signs="equal"), ("int",)),
    Template("signs-mixed", ("RDNA3-IU-SIGN", "RDNA3-IU-DOT-RANGE"), product("wild", signs="mixed"), ("int",)),
    Template("sums-wrap", ("RDNA3-IU-NOCLAMP", "RDNA3-IU-ACC"), product("overflow", clamp=False), ("int",)),
    Template("sums-clamp", ("RDNA3-IU-CLAMP", "RDNA3-IU-ACC"), product("overflow", clamp=True), ("int",)),
    Template("clamp-idle", ("RDNA3-IU-CLAMP",), product("small", clamp=True), ("int",)),
    Template("in-place", ("RDNA3-INPLACE",), in_place),
    Template("zero-literal", ("RDNA3-ZERO-C",), zero_literal),
    Template("zero-filled", ("RDNA3-ZERO-C", "RDNA3-INPLACE"), zero_filled),
    Template("tiles", ("RDNA3-TILE",), tiles, weight=2),
    Template("chain", ("RDNA3-TILE", "RDNA3-INPLACE"), chain),
    Template("reuse", ("RDNA3-TILE", "RDNA3-MEM-FREE"), reuse),
    Template("registers", ("RDNA3-MEM-FREE", "RDNA3-STORE-ONLY"), registers),
    Template("sample", ("RDNA3-SAMPLE",), sample, ("f16",)),
)
