"""Tensor layouts and views as GLSL: the declaration, then the setters in order; every setter returns a changed copy."""

from __future__ import annotations

from collections.abc import Iterator

from mmaspec.oracle.nv_coopmat2.text.arguments import Speller
from mmaspec.oracle.nv_coopmat2.text.glsl_names import CLAMP_MODES, constant
from mmaspec.programs.base import Affine
from mmaspec.programs.nv_coopmat2.operands import arguments
from mmaspec.programs.nv_coopmat2.program import (
    CoopMatProgram,
    Layout,
    SetBlockSize,
    SetClampValue,
    SetClip,
    SetDimension,
    SetStride,
    Setter,
    SetViewDimensions,
    SetViewStride,
    Slice,
    View,
    ViewSetter,
)

SETTERS: dict[type[Setter] | type[ViewSetter], str] = {
    SetBlockSize: "setTensorLayoutBlockSizeNV",
    SetDimension: "setTensorLayoutDimensionNV",
    SetStride: "setTensorLayoutStrideNV",
    Slice: "sliceTensorLayoutNV",
    SetClampValue: "setTensorLayoutClampValueNV",
    SetViewDimensions: "setTensorViewDimensionsNV",
    SetViewStride: "setTensorViewStrideNV",
    SetClip: "setTensorViewClipNV",
}
"""How GLSL calls each setter."""


def declarations(program: CoopMatProgram, speller: Speller, *, again: bool = False) -> Iterator[str]:
    """Every layout and view, in order; ``again``: only those that differ from pass to pass."""
    for layout in program.layouts:
        if not again or layout_varies(program, layout):
            yield from _layout(layout, speller)
    for view in program.views:
        if not again or view_varies(program, view):
            yield from _view(view, speller)


def varies(program: CoopMatProgram) -> bool:
    """Whether some layout or view differs from pass to pass."""
    return any(layout_varies(program, layout) for layout in program.layouts) or any(
        view_varies(program, view) for view in program.views
    )


def layout_varies(program: CoopMatProgram, layout: Layout) -> bool:
    """Whether a layout, or one that it starts from, differs from pass to pass."""
    found = any(_loops(argument) for call in layout.calls for argument in arguments(call))
    return found or (layout.start is not None and layout_varies(program, program.layout(layout.start)))


def view_varies(program: CoopMatProgram, view: View) -> bool:
    """Whether a view, or one that it starts from, differs from pass to pass."""
    found = any(_loops(argument) for call in view.calls for argument in arguments(call))
    return found or (view.start is not None and view_varies(program, program.view(view.start)))


def _loops(argument: object) -> bool:
    return isinstance(argument, Affine) and argument.loop != 0


def _layout(layout: Layout, speller: Speller) -> Iterator[str]:
    mode = constant(CLAMP_MODES, layout.clamp_mode)
    start = f"createTensorLayoutNV({layout.rank}, {mode})" if layout.start is None else layout.start
    yield f"tensorLayoutNV<{layout.rank}, {mode}> {layout.name} = {start};"
    for call in layout.calls:
        spelt = map(speller.unsigned, arguments(call))
        if isinstance(call, Slice):
            pairs = zip(map(speller.signed, call.offsets), map(speller.unsigned, call.spans), strict=False)
            spelt = map(", ".join, pairs)
        yield f"{layout.name} = {SETTERS[type(call)]}({', '.join((layout.name, *spelt))});"


def _view(view: View, speller: Speller) -> Iterator[str]:
    parts = (str(view.rank), str(view.has_dimensions).lower(), *map(str, view.permutation or range(view.rank)))
    start = f"createTensorViewNV({', '.join(parts)})" if view.start is None else view.start
    yield f"tensorViewNV<{', '.join(parts)}> {view.name} = {start};"
    for call in view.calls:
        spelt = map(speller.unsigned, arguments(call))
        yield f"{view.name} = {SETTERS[type(call)]}({', '.join((view.name, *spelt))});"
