"""Single elements: what is got and set, by which matrices, and indices beyond the range."""

from __future__ import annotations

from mmaspec.programs.hlsl_linalg.components import ComponentType
from mmaspec.programs.hlsl_linalg.program import Barrier, Beyond, WriteElements
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.hlsl_linalg.arrays.conversions import many
from mmaspec.strategies.hlsl_linalg.arrays.packed import Packed
from mmaspec.strategies.hlsl_linalg.arrays.workshop import SCOPES, SHAPES, USES, Workshop
from mmaspec.strategies.hlsl_linalg.builder.accesses import count_elements, write_elements
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes, up
from mmaspec.strategies.hlsl_linalg.revisions import LATER

ORIGINS = {"load": "load", "splat": "splat", "cast": "cast", "set": "elements", "product": "addition"}
"""Class of ``element-from`` -> of ``content-from``."""
GOES = {"nothing": "nothing", "store": "store", "get": "elements", "factor": "factor", "cast": "cast"}
"""Class of ``element-goes`` -> of what a workshop does."""
MODULO = {"none": 0, "all": 1, "two": 2, "three": 3, "more": 5}
PAST = {
    "first": 0, "next": 1, "to-seven": 5, "to-16-bits": 1000, "to-31-bits": 1 << 20, "larger": 1 << 31,
}  # fmt: skip
FLOWS = ("straight", "first-pass", "branch-all", "branch-waves")
BESIDE = 16


def _set(shop: Workshop, thing: Chosen) -> None:
    component: ComponentType = shop.context.row.entry.answer.component
    use = USES[thing["element-use"]]
    size = shop.sides(thing["element-shape"], (component, use))
    matrix = shop.matrix(component, use, SCOPES[thing["element-scope"]], size)
    modulo = MODULO[thing["kept"]]
    keep = {"none": 0, "first": 0, "last": modulo - 1, "between": 1}[thing["keep"]]
    with shop.around(thing["in-flow"]):
        shop.give(matrix, ORIGINS[thing["element-from"]])
        line, data = matrix.n * element_bytes(component), shop.name("set")
        found = write_elements(shop.b, matrix, "in", modulo, keep, data)
        while thing["element-stride"] == "padded" and found.stride == line:
            found = write_elements(shop.b, matrix, "in", modulo, keep, data)
        if thing["element-stride"] == "none":
            found = WriteElements(matrix.name, "in", found.offset, line, modulo, keep, found.data)
        shop.add(found)
        if thing["in-flow"] != "branch-waves":
            shop.add(Barrier())
        shop.use(matrix, GOES[thing["element-goes"]])
        if thing["in-flow"] == "first-pass":
            shop.add(Barrier())


SETS = Packed(
    name="set-elements",
    under=LATER,
    focus=("LINALG-SET", "LINALG-GET", "LINALG-COORD"),
    axes={
        "element-use": tuple(USES),
        "element-scope": ("wave", "group"),
        "element-shape": tuple(SHAPES),
        "element-from": tuple(ORIGINS),
        "element-goes": ("store", "get", "cast"),
        "kept": tuple(MODULO),
        "keep": ("none", "first", "last", "between"),
        "element-stride": ("none", "padded"),
        "in-flow": FLOWS,
    },
    build=many(_set, ("distinct",)),
    groups=("write-elements",),
    per_case=6,
    rows=("elements",),
    rules=(
        "kept=none with keep=first|last|between",
        "kept=all|two|three|more with keep=none",
        "kept=all with keep=last|between",
        "kept=two with keep=between",
        "element-from=product with element-use=a|b",
        "element-scope=group with in-flow=branch-waves",
        "element-from=set with in-flow=branch-waves",
    ),
)
"""Elements that are set, or kept."""


def _beyond(shop: Workshop, thing: Chosen) -> None:
    b = shop.b
    component: ComponentType = shop.context.row.entry.answer.component
    use = USES[thing["element-use"]]
    size = shop.sides(thing["element-shape"], (component, use))
    matrix = shop.matrix(component, use, SCOPES[thing["element-scope"]], size)
    shop.give(matrix, ORIGINS[thing["element-from"]])
    value = 3 if thing["beyond-value"] == "other" else 0
    nbytes = BESIDE * b.group
    with shop.around(thing["in-flow"]):
        offset = b.stepped("out", [("loop", b.passes)], up(nbytes, 8), nbytes, 8)
        shop.add(Beyond(matrix.name, "out", offset, PAST[thing["past"]], value))
    shop.use(matrix, GOES[thing["element-goes"]])
    if thing["counting"] == "yes":
        shop.add(count_elements(b, matrix, "count"))


def _with_counts(shop: Workshop, thing: Chosen) -> None:
    if "count" not in shop.b.rooms:
        shop.b.room("count")
    _beyond(shop, thing)


BEYOND = Packed(
    name="beyond-elements",
    under=LATER,
    focus=("LINALG-COORD-BEYOND", "LINALG-GET-BEYOND", "LINALG-SET-BEYOND", "LINALG-LENGTH"),
    axes={
        "past": tuple(PAST),
        "element-use": tuple(USES),
        "element-scope": ("wave", "group"),
        "element-shape": tuple(SHAPES),
        "element-from": tuple(ORIGINS),
        "element-goes": ("store", "get", "cast"),
        "beyond-value": ("zero", "other"),
        "in-flow": ("straight", "branch-all", "branch-waves"),
        "counting": ("yes", "no"),
    },
    build=many(_with_counts, ("small",)),
    groups=("beyond",),
    per_case=4,
    rows=("elements",),
    rules=(
        "element-from=product with element-use=a|b",
        "element-scope=group with in-flow=branch-waves",
        "in-flow=branch-waves with element-goes=get|cast|factor",
    ),
)
"""Indices beyond the length."""
