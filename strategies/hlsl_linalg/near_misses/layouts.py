"""Near misses of outer products, and of conversions of layouts."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec.structs import replace

from mmaspec.programs.hlsl_linalg.components import NATIVE, ComponentType
from mmaspec.programs.hlsl_linalg.program import ConvertLayout, Layout, OuterProduct
from mmaspec.strategies.hlsl_linalg.builder.optimal import STRIDE_UNIT
from mmaspec.strategies.hlsl_linalg.builder.program import element_bytes
from mmaspec.strategies.hlsl_linalg.near_misses.edits import Edit, forms, joined
from mmaspec.strategies.hlsl_linalg.near_misses.vectors import known


def _outer(edit: Edit, **changes: Any) -> Edit:
    """One more outer product, of a matrix that is not added anywhere."""
    return edit.more(OuterProduct("X", "c", "r"), matrices=(edit.matrix("O", **changes),))


def _row(edit: Edit, **changes: Any) -> Edit:
    row = replace(edit.program.vector("r"), name="s", **changes)
    return edit.set(edit.find(OuterProduct), row="s").more(vectors=(row,))


def _column(edit: Edit, **changes: Any) -> Edit:
    column = replace(edit.program.vector("c"), name="s", **changes)
    return edit.set(edit.find(OuterProduct), column="s").more(vectors=(column,))


OUTER_USE = joined(forms({f"into {use}": partial(_outer, use=use) for use in ("A", "B")}))
"""LINALG-OUTER-USE."""


def _length(edit: Edit, name: str) -> int:
    return edit.program.vector(name).length


OUTER_LEN = joined(
    forms(
        {
            "a column that is too long": lambda edit: _column(edit, length=_length(edit, "c") + 1),
            "a column that is too short": lambda edit: _column(edit, length=_length(edit, "c") - 1),
            "a row that is too long": lambda edit: _row(edit, length=_length(edit, "r") + 1),
            "a row that is too short": lambda edit: _row(edit, length=_length(edit, "r") - 1),
        }
    ),
    forms(
        {"column and row exchanged": lambda edit: edit.set(edit.find(OuterProduct), column="r", row="c")},
        possible=lambda row, caps: all(
            one.m != one.n for one in caps.optimal if one.component == row.entry.answer.matrix
        ),
    ),
)
"""LINALG-OUTER-LEN."""


def _another(edit: Edit) -> ComponentType:
    own = edit.program.vector("c").component
    found: ComponentType = edit.one_of(one for one in NATIVE.values() if one != own)
    return found


OUTER_TYPES = joined(
    forms(
        {
            "another type of row": lambda edit: _row(edit, component=_another(edit)),
            "another type of column": lambda edit: _column(edit, component=_another(edit)),
        }
    )
)
"""LINALG-OUTER-TYPES."""


def _outer_combinations(caps: Any) -> set[tuple[ComponentType, ComponentType]]:
    return {(one.vector, one.matrix) for one in caps.outer_products}


def _other_matrices(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    own = row.entry.answer.vector
    return tuple(one for one in known(caps) if (own, one) not in _outer_combinations(caps))


def _other_factors(row: Any, caps: Any) -> tuple[ComponentType, ...]:
    own = row.entry.answer.matrix
    return tuple(one for one in NATIVE.values() if (one, own) not in _outer_combinations(caps))  # type: ignore[misc]


def _other_both(edit: Edit) -> Edit:
    component = edit.one_of(_other_factors(edit.context.row, edit.caps))
    return edit.declare("c", component=component).declare("r", component=component)


OUTER_CAPS = joined(
    forms(
        {
            "another type of matrix": lambda edit: _outer(
                edit, component=edit.one_of(_other_matrices(edit.context.row, edit.caps))
            )
        },
        possible=lambda row, caps: bool(_other_matrices(row, caps)),
    ),
    forms({"another type of both vectors": _other_both}, possible=lambda row, caps: bool(_other_factors(row, caps))),
)
"""LINALG-OUTER-CAPS."""


def _conversion(edit: Edit, last: bool = False, **fields: Any) -> Edit:
    """The first conversion of the command list, or the last one, otherwise."""
    numbers = [number for number, one in enumerate(edit.program.body) if isinstance(one, ConvertLayout)]
    return edit.set(numbers[-1 if last else 0], **fields)


def _first(edit: Edit) -> Any:
    return edit.step(edit.find(ConvertLayout))


def _last(edit: Edit) -> Any:
    return [one for one in edit.program.body if isinstance(one, ConvertLayout)][-1]


LAYOUT_KINDS = joined(
    forms(
        {
            "into MulOptimalTranspose": partial(_conversion, target_layout="MulOptimalTranspose"),
            "into OuterProductOptimalTranspose": partial(_conversion, target_layout="OuterProductOptimalTranspose"),
            "from MulOptimalTranspose": partial(_conversion, last=True, source_layout="MulOptimalTranspose"),
        }
    )
)
"""LINALG-LAYOUT-KINDS."""


def _line(one: Any, layout: Layout) -> int:
    return int((one.n if layout == "RowMajor" else one.m) * element_bytes(one.component))


def _short_source(edit: Edit) -> Edit:
    one = _first(edit)
    return _conversion(edit, source_stride=_line(one, one.source_layout) - element_bytes(one.component))


def _short_target(edit: Edit) -> Edit | None:
    one = _last(edit)
    stride = (_line(one, one.target_layout) - 1) // STRIDE_UNIT * STRIDE_UNIT
    return _conversion(edit, last=True, target_stride=stride)


LAYOUT_STRIDE = joined(
    forms(
        {
            "of an optimal target": partial(_conversion, target_stride=128),
            "of an optimal source": partial(_conversion, last=True, source_stride=64),
            "of the source, too short": _short_source,
            "of the target, too short": _short_target,
            "of the target, 8 bytes on": lambda edit: _conversion(
                edit, last=True, target_stride=_last(edit).target_stride + 8
            ),
            "of the target, none": partial(_conversion, last=True, target_stride=0),
        }
    ),
    forms(
        {"of the source, a byte on": lambda edit: _conversion(edit, source_stride=_first(edit).source_stride + 1)},
        possible=lambda row, _: element_bytes(row.entry.answer.matrix) > 1,
    ),
)
"""LINALG-LAYOUT-STRIDE."""


LAYOUT_ALIGN = joined(
    forms(
        {
            "64 bytes on": lambda edit: _conversion(edit, target_offset=_first(edit).target_offset + 64),
            "16 bytes on": lambda edit: _conversion(edit, target_offset=_first(edit).target_offset + 16),
            "of a linear target": lambda edit: _conversion(
                edit, last=True, target_offset=_last(edit).target_offset + 64
            ),
            "by the view's address": lambda edit: edit.rebased("back", 64),
        }
    )
)
"""LINALG-LAYOUT-ALIGN."""


def _unmultiplied(caps: Any) -> tuple[ComponentType, ...]:
    there = {name for one in caps.products for name in (one.a, one.b, one.accumulator)}
    there |= {name for one in caps.vector_products for name in (one.vector, one.matrix)}
    return tuple(one for one in known(caps) if one not in there)


def _unconverted(edit: Edit, layout: Layout) -> Edit:
    component = edit.one_of(_unmultiplied(edit.caps))
    stride = 0 if layout == "MulOptimal" else 128
    step = ConvertLayout(component, 8, 8, "extra", 0, "RowMajor", "other", 0, layout, 128, stride)
    edit.more(buffers=("extra", "other"))
    return edit.put(0, step, edit.step(0))


LAYOUT_TYPE = joined(
    forms(
        {
            "into a linear layout": partial(_unconverted, layout="ColMajor"),
            "into an optimal layout": partial(_unconverted, layout="MulOptimal"),
        },
        possible=lambda _, caps: bool(_unmultiplied(caps)),
    )
)
"""LINALG-LAYOUT-TYPE."""
