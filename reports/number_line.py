"""A picture of the distance of a wrong value from the legal ones."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from mmaspec.oracle.numerics.ordinals import is_nan, to_ordinal
from mmaspec.programs.formats import FORMATS
from mmaspec.reports.plain import plural
from mmaspec.suites.judging.record import Element

NO_DISTANCE = (1 << 63) - 1
"""The judge's distance where a NaN stands for a number, or a number for a NaN."""

_LINE = Markup(
    '<svg class="numbers" width="340" height="66" viewBox="0 0 340 66" role="img" aria-label="{label}">'
    '<path class="n-axis" d="M10 36H330"/><rect class="n-legal" x="120" y="29" width="100" height="14" rx="7"/>'
    '<path class="n-gap" d="M{start} 36H{stop}"/><circle class="n-found" cx="{dot}" cy="36" r="7"/>'
    '<text class="n-text" x="170" y="18" text-anchor="middle">legal</text>'
    '<text class="n-text n-bad" x="{dot}" y="18" text-anchor="middle">found</text>'
    '<text class="n-text" x="170" y="62" text-anchor="middle">{words}</text></svg>'
)


def distance_words(element: Element) -> str:
    """The ordinal distance as a reader says it; empty where there is none."""
    if element.distance is None:
        return ""
    if element.distance >= NO_DISTANCE:
        return "NaN where a number is legal, or a number where NaN is"
    return f"{plural(element.distance, 'representable value')} away"


def number_line(element: Element) -> Markup:
    """The legal set as a bar and the value found as a dot beside it, not to scale; empty where either is no number."""
    if element.distance is None or not 0 < element.distance < NO_DISTANCE:
        return Markup("")
    got, low = _ordinal(element, element.got), _ordinal(element, element.low)
    if got is None or low is None or got == low:
        return Markup("")
    below = got < low
    dot, start, stop = (40, 48, 120) if below else (300, 220, 292)
    words = distance_words(element)
    label = f"found {'below' if below else 'above'} the legal set, {words}"
    return _LINE.format(label=label, dot=dot, start=start, stop=stop, words=words)


def _ordinal(element: Element, digits: str) -> int | None:
    """The ordinal of bits in hexadecimal; None for a NaN and for what cannot be read."""
    fmt = FORMATS.get(element.format)
    try:
        code = int(digits, 16)
    except ValueError:
        return None
    if fmt is None or not 0 <= code <= fmt.mask:
        return None
    bits = np.array([code], np.uint64)
    return None if is_nan(fmt, bits).any() else int(to_ordinal(fmt, bits)[0])
