"""Views drawn at random, strides and clips near 2^32 among them: the reference device finds what the oracle finds."""

from __future__ import annotations

import numpy as np

from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.backends.numpy.units.catalogue import SequentialUnit
from mmaspec.oracle.nv_coopmat2.tensors.elements import tensor_elements
from mmaspec.oracle.nv_coopmat2.tensors.index_functions import Ended
from mmaspec.oracle.nv_coopmat2.tensors.layouts import TensorLayout
from mmaspec.oracle.nv_coopmat2.tensors.views import TensorView
from mmaspec.strategies.choices import Counted

SIDE = 4
DRAWS = 400
HIGH = (1 << 32) - 1
STEPS = (0, 1, 2, 3, 5, 1 << 31, HIGH)
ENDS = (0, 1, 2, 3, 4, 5, 7, HIGH - 1, HIGH)


def drawn(choices: Counted) -> tuple[TensorLayout, TensorView]:
    def extents(rank: int, low: int, high: int) -> tuple[int, ...]:
        return tuple(choices.integer(low, high) for _ in range(rank))

    rank, own = choices.integer(1, 3), choices.chance(60)
    axes = list(range(choices.integer(1, 5) if own else rank))
    permutation = tuple(axes.pop(choices.integer(0, len(axes) - 1)) for _ in range(len(axes)))
    least = 0 if choices.chance(5) else 1
    clip = [choices.one_of(ENDS) if choices.chance(50) else whole for whole in (0, HIGH, 0, HIGH)]
    layout = TensorLayout(
        choices.integer(0, 4),
        extents(rank, 1, 3),
        extents(rank, 0, 4),
        extents(rank, 0, 9),
        extents(rank, -4, 4),
        extents(rank, least, 4),
        0,
    )
    strides = tuple(choices.one_of(STEPS) for _ in permutation)
    return layout, TensorView(own, permutation, extents(len(permutation), least, 4), strides, *clip)


def test_device_and_oracle_agree() -> None:
    device, choices, defined = CoopMat2Device(SequentialUnit()), Counted("views"), 0
    for number in range(DRAWS):
        t, v = drawn(choices)
        store = number % 3 == 0
        wanted = tensor_elements(t, SIDE, SIDE, store=store, v=v)
        there = wanted.index >= 0
        if not (there | np.isin(wanted.index, (Ended.CONSTANT.value, Ended.SKIPPED.value))).all():
            continue
        defined += 1
        region = device.create(t.ldim, t.clamp_mode)
        device.set_block(region, list(t.block_size))
        device.set_dimension(region, list(t.layout_dimension))
        device.set_stride(region, list(t.stride))
        device.cut(region, list(t.offset), list(t.span))
        window = device.create_view(v.vdim, list(v.permutation), own_sizes=v.has_dimensions)
        device.set_view_dimensions(window, list(v.view_dimension))
        device.set_view_stride(window, list(v.view_stride))
        device.set_clip(window, (v.clip_row_offset, v.clip_row_span), (v.clip_col_offset, v.clip_col_span))
        place, skipped = device.numbers(region, window, SIDE, SIDE)
        index, none, block, within = device.locate(region, place, store=store)
        found = np.where(skipped, Ended.SKIPPED.value, np.where(none, Ended.CONSTANT.value, index))
        assert (found == wanted.index).all(), (t, v)
        assert (np.moveaxis(block, 0, -1)[there] == wanted.block[there]).all(), (t, v)
        assert (np.moveaxis(within, 0, -1)[there] == wanted.within[there]).all(), (t, v)
    assert defined > DRAWS // 2
