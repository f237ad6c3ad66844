"""How long the oracle takes over tensor addresses: one element, and one program of 64x64 with views of five axes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from mmaspec.oracle.case import Case
from mmaspec.oracle.expect import expect
from mmaspec.oracle.nv_coopmat2.tensors.elements import tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.layouts import (
    create_tensor_layout,
    set_tensor_layout_dimension,
    slice_tensor_layout,
)
from mmaspec.oracle.nv_coopmat2.tensors.views import create_tensor_view, set_tensor_view_dimensions
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.base import Buffer, Literal
from mmaspec.programs.nv_coopmat2.program import (
    CONSTANT,
    REPEAT,
    CoopMatProgram,
    Layout,
    LoadTensor,
    Matrix,
    SetClip,
    SetDimension,
    SetViewDimensions,
    Slice,
    Splat,
    StoreTensor,
    View,
)

SPEC = spec_named("nv-coopmat2")
SIDE, BATCH, ROUNDS = 64, 16, 7
OUTER, SPAN, AXES = (8, 4, 6, 4, 8), (8, 4, 4, 4, 8), (4, 4, 8, 8, 4)
ORDER = (4, 2, 0, 1, 3)


def program() -> CoopMatProgram:
    """A load out of bounds under a clip, and a store through the same view."""
    return CoopMatProgram(
        buffers=(Buffer("in", 1 << 16), Buffer("out", 1 << 16)),
        matrices=(Matrix("c", "s32", SIDE, SIDE, 2, "workgroup"),),
        body=(
            Splat("c", Literal(0)),
            LoadTensor("c", "in", 0, "t", data="T", view="v"),
            StoreTensor("c", "out", 0, "u", view="v"),
        ),
        layouts=(
            Layout("t", (SetDimension(OUTER), Slice((-1, 0, -1, 0, 1), SPAN)), 5, REPEAT),
            Layout("u", (SetDimension(SPAN),), 5, CONSTANT),
        ),
        views=(View("v", (SetViewDimensions(AXES), SetClip(1, SIDE - 2, 0, SIDE)), 5, True, ORDER),),
    )


def measured(action: Callable[[], object]) -> float:
    """Least seconds of processor over a few rounds, with addresses computed anew."""
    taken = []
    for _ in range(ROUNDS):
        tensor_elements.cache_clear()
        started = time.process_time()
        action()
        taken.append(time.process_time() - started)
    return min(taken)  # what other processes take of the caches is not ours


def main() -> None:
    """Measure and print."""
    for rank in (1, 2, 5):
        t = set_tensor_layout_dimension(
            create_tensor_layout(rank, REPEAT), (SIDE * SIDE,) if rank == 1 else OUTER[:rank]
        )
        t = slice_tensor_layout(t, (-1,) * rank, t.span)
        v = create_tensor_view(rank, has_dimensions=False)
        five = set_tensor_view_dimensions(create_tensor_view(5, True, ORDER), AXES)
        for name, view in (("no view", None), ("a view", v), ("five axes", five)):
            seconds = measured(lambda t=t, view=view: tensor_elements(t, SIDE, SIDE, store=False, v=view))  # type: ignore[misc]
            print(f"{rank} dimensions, {name:9} {1e6 * seconds / SIDE**2:5.1f} microseconds an element")
    made = program()
    values = {source.name: np.zeros((BATCH, *source.shape), np.uint64) for source in SPEC.sources(made)}
    row = "s8-s32-multiples-32x32x32-workgroup-of-128"
    case = Case(SPEC.name, row, "benchmark", made, SPEC.default_caps, BATCH, values)
    print(f"{SIDE}x{SIDE}, load and store under a view of five axes: {measured(lambda: expect(case)):.3f} s to expect")


if __name__ == "__main__":
    main()
