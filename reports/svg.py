"""Pictures as SVG text. Colours come from CSS classes, so that light and dark share one picture."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from mmaspec.reports.layout import ByteKind, MemoryMap, Rectangle
from mmaspec.reports.plain import thousands, visible

STATUSES = ("fail", "pass", "not judged", "not applicable", "not testable")
"""In the order in which a bar shows them: failures first, where the eye starts."""

_BAR = Markup(
    '<svg class="bar" viewBox="0 0 {width} 14" preserveAspectRatio="none" role="img" aria-label="{label}">{body}</svg>'
)
_PART = Markup('<rect class="{css}" x="{x:.1f}" width="{width:.1f}" height="14"><title>{title}</title></rect>')
_WIDTH = 1000
_GAP = 3
_THINNEST = 10.0
"""No share is drawn so thin that it cannot be seen: one failure among hundreds must show."""


def css_class(status: str) -> str:
    """The class of a status: ``s-not-judged``; anything unknown is ``s-unknown``."""
    return "s-" + status.replace(" ", "-") if status in STATUSES else "s-unknown"


def status_bar(counts: Mapping[str, int], what: str) -> Markup:
    """A bar of clause counts by status, as wide as its place. ``what`` names it for a screen reader."""
    present = [(status, counts.get(status, 0)) for status in STATUSES if counts.get(status, 0) > 0]
    total = sum(count for _, count in present)
    usable = _WIDTH - _GAP * max(0, len(present) - 1)
    sizes = [max(count / total * usable, _THINNEST) for _, count in present]
    left = 0.0
    body = Markup("")
    for (status, count), size in zip(present, sizes, strict=True):
        width = size * usable / sum(sizes)
        body += _PART.format(css=css_class(status), x=left, width=width, title=f"{count} {status}")
        left += width + _GAP
    if not present:
        body = _PART.format(css="s-unknown", x=0, width=_WIDTH, title="nothing")
    spoken = ", ".join(f"{thousands(count)} {status}" for status, count in present) or "nothing"
    return _BAR.format(width=_WIDTH, label=visible(f"{what}: {spoken}"), body=body)


_MAP = Markup(
    '<svg class="memory" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" role="img" '
    'aria-label="{label}">{body}</svg>'
)
_PATH = Markup('<path class="m-{kind}" d="{path}"/>')
_TEXT = Markup('<text class="{css}" x="{x:.4g}" y="{y:.4g}" text-anchor="{anchor}">{text}</text>')
_TICK = Markup('<path class="m-tick" d="M{x:.4g} 20v8"/>')
_RING = Markup(
    '<g class="m-failing"><title>{title}</title><rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{cell}"/>'
    '<rect class="m-ring" x="{rx:.4g}" y="{ry:.4g}" width="{rwidth:.4g}" height="{rheight}" rx="4"/></g>'
)
_SWATCH = Markup(
    '<svg class="swatch" width="14" height="14" aria-hidden="true">'
    '<rect class="m-{kind}" width="14" height="14"/></svg>'
)
_MARGIN = 96
"""Room for the addresses at the left."""
_RIGHT = 24
_TOP = 34
_LINE = 20
_CELL = 15
_KINDS: dict[ByteKind, str] = {
    "element": "stored element",
    "data": "data that is only read",
    "padding": "padding: must keep its bytes",
    "guard": "guard zone: outside the buffer's view",
}


def memory_map(memory: MemoryMap) -> Markup:
    """One line of memory below the other, a row (or column) of the matrix in each, the failing element ringed."""
    unit = min(20.0, max(2.5, 800 / memory.width))
    width = _MARGIN + memory.width * unit + _RIGHT
    height = _TOP + memory.lines * _LINE + 8
    body = Markup("")
    for kind in reversed(_KINDS):
        if path := _path(memory, unit, kind):
            body += _PATH.format(kind=kind, path=path)
    body += _ruler(memory, unit)
    here = memory.line_of(memory.failing.address)
    for index in range(memory.lines):
        line = memory.first_line + index
        start = memory.origin + line * memory.pitch + memory.left
        css = "m-address m-here" if line == here else "m-address"
        body += _TEXT.format(css=css, x=_MARGIN - 10, y=_TOP + index * _LINE + 11.5, anchor="end", text=start)
    body += _ring(memory, unit)
    at = memory.failing.address
    label = f"Buffer {memory.buffer}: {memory.lines} lines of {memory.pitch} bytes around byte {at}"
    return _MAP.format(width=width, height=height, label=visible(label), body=body)


def legend(memory: MemoryMap) -> list[tuple[Markup, str]]:
    """A swatch of each kind that occurs in a map, and what it means."""
    present = {rectangle.kind for rectangle in memory.rectangles}
    entries = [(_SWATCH.format(kind=kind), words) for kind, words in _KINDS.items() if kind in present]
    return [*entries, (_SWATCH.format(kind="failing"), "the element in question")]


def _box(memory: MemoryMap, unit: float, rectangle: Rectangle) -> tuple[float, float, float]:
    column = memory.column_of(rectangle.address) - memory.left
    y = _TOP + (memory.line_of(rectangle.address) - memory.first_line) * _LINE
    shown = min(rectangle.nbytes, memory.width - column)
    return _MARGIN + column * unit, y, max(shown * unit - 1, 1.0)


def _path(memory: MemoryMap, unit: float, kind: ByteKind) -> str:
    boxes = [_box(memory, unit, rectangle) for rectangle in memory.rectangles if rectangle.kind == kind]
    return "".join(f"M{x:.4g} {y:.4g}h{width:.4g}v{_CELL}h-{width:.4g}z" for x, y, width in boxes)


def _ruler(memory: MemoryMap, unit: float) -> Markup:
    step = next((step for step in (4, 8, 16, 32, 64) if step * unit >= 38), 128)
    ticks = _TEXT.format(css="m-ruler", x=_MARGIN - 10, y=14, anchor="end", text="byte")
    for byte in range(-(-memory.left // step) * step, memory.left + memory.width, step):
        x = _MARGIN + (byte - memory.left) * unit
        ticks += _TICK.format(x=x) + _TEXT.format(css="m-ruler", x=x, y=14, anchor="start", text=f"+{byte}")
    return ticks


def _ring(memory: MemoryMap, unit: float) -> Markup:
    x, y, width = _box(memory, unit, memory.failing)
    title = visible(f"byte {memory.failing.address} {memory.failing.label}".strip())
    return _RING.format(
        title=title, x=x, y=y, width=width, cell=_CELL, rx=x - 3, ry=y - 3, rwidth=width + 6, rheight=_CELL + 6
    )
