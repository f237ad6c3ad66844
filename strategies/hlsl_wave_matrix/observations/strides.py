"""Where the elements of one access lie: kinds, shapes, offsets, strides and what they cross."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from mmaspec.oracle.hlsl_wave_matrix.addresses import cells, element_bytes, least_stride, memory_row_bytes
from mmaspec.programs.hlsl_wave_matrix.program import Matrix
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.hlsl_wave_matrix.observations.access import Access, of_access

LIMITS = {31: "bits-31", 24: "bits-24", 17: "bits-17", 16: "bits-16", 15: "bits-15", 12: "bits-12", 8: "bits-8"}
"""Bits of a place in a view -> the class of an access that crosses it."""
POWERS = {
    4: "four", 8: "eight", 16: "sixteen", 32: "thirty-two", 64: "sixty-four", 128: "one-hundred-twenty-eight",
    256: "two-hundred-fifty-six",
}  # fmt: skip
PAGE = 4096


def shape_of(matrix: Matrix) -> str | None:
    """The class of M and N; None beside 16 and 64."""
    return f"m{matrix.m}-n{matrix.n}" if {matrix.m, matrix.n} <= {16, 64} else None


def factor(number: int) -> int:
    """The largest power of two that divides a number; 0 for 0."""
    return number & -number


def step_of(access: Access) -> int:
    """By how much legal strides of such an access differ: dwords of rows in buffers, else elements (WM-FRAG-DWORD)."""
    if access.shared:
        return 1
    return element_bytes(access.matrix) if access.matrix.is_fragment else 4


def is_power(number: int) -> bool:
    """Whether a number is a power of two."""
    return number > 0 and number & (number - 1) == 0


def _stride_shape(access: Access) -> str:
    stride, step = access.stride, step_of(access)
    if is_power(stride):
        return "power"
    if is_power(stride - step):
        return "above-power"
    if is_power(stride + step):
        return "below-power"
    if stride % 3 == 0 and is_power(stride // 3):
        return "three-times-power"
    return "odd-steps" if stride // step % 2 else "other"


def _padding(access: Access) -> str:
    """Beside the least stride; in bytes a page or more is a class of its own."""
    least = least_stride(access.matrix, access.col_major, shared=access.shared)
    beyond = access.stride - least
    if beyond == 0:
        return "none"
    if not access.shared and beyond >= PAGE:
        return "pages"
    if beyond == least:
        return "one-row"
    if beyond > least:
        return "several-rows"
    return "least" if beyond == step_of(access) else "part-of-row"


def _row_factor(access: Access) -> str:
    found = factor(access.stride)
    return POWERS.get(found) or ("to-2048" if found < PAGE else "larger")


def _crossed(access: Access) -> int:
    """The bits of the largest place that lies inside the access; 0 for none."""
    return next((bits for bits in LIMITS if access.first < 1 << bits < access.end), 0)


def _crossing_place(access: Access) -> str:
    bits = _crossed(access)
    if not bits:
        return "nowhere"
    lines = access.addresses
    ordered = (lines.T if access.col_major else lines).ravel()
    width = ordered.size if access.matrix.is_fragment else _row_length(access)
    index = int((ordered + access.size > 1 << bits).argmax())
    if index == ordered.size - 1:
        return "last-element"
    return "row-start" if index % width == 0 and not access.matrix.is_fragment else "in-row"


def _row_length(access: Access) -> int:
    return access.matrix.rows if access.col_major else access.matrix.cols


def _memory_rows(access: Access) -> int:
    return access.matrix.cols if access.col_major else access.matrix.rows


def _half_parity(access: Access) -> str:
    if cells(access.matrix.element) != 1 or element_bytes(access.matrix) != 2:
        return "no-halves"
    return {(0, 0): "all-even", (1, 0): "odd-offset", (0, 1): "odd-stride", (1, 1): "both-odd"}[
        access.offset % 2, access.stride % 2
    ]


def _fit(access: Access) -> str:
    return {0: "dwords", 1: "odd-below", 2: "halves", 3: "odd-above"}[access.stride % 4]


def _load_binding(subject: Subject, thing: Thing) -> Answer:
    return "read-only" if thing.of.instruction.buffer in subject.program.read_only else "read-write"


def _orientation(access: Access) -> str:
    return "col-major" if access.col_major else "row-major"


LOOKS: Mapping[str, Look] = MappingProxyType(
    {
        "rowed-kind": of_access(lambda access: access.matrix.kind),
        "fragment-kind": of_access(lambda access: access.matrix.kind),
        "accessed-element": of_access(lambda access: access.matrix.element),
        "accessed-shape": of_access(lambda access: shape_of(access.matrix)),
        "load-binding": _load_binding,
        "load-orientation": of_access(_orientation),
        "store-orientation": of_access(_orientation),
        "memory-row-bytes": of_access(lambda access: memory_row_bytes(access.matrix, access.col_major)),
        "memory-rows": of_access(_memory_rows),
        "buffer-offset": of_access(lambda access: access.offset),
        "row-stride": of_access(lambda access: access.stride),
        "row-padding": of_access(_padding),
        "stride-shape": of_access(_stride_shape),
        "row-stride-factor": of_access(_row_factor),
        "span": of_access(lambda access: access.end - access.first),
        "crossing": of_access(lambda access: LIMITS.get(_crossed(access), "none")),
        "crossing-place": of_access(_crossing_place),
        "element-stride": of_access(lambda access: access.stride),
        "element-stride-fit": of_access(_fit),
        "shared-offset": of_access(lambda access: access.offset),
        "shared-row-stride": of_access(lambda access: access.stride),
        "shared-element-stride": of_access(lambda access: access.stride),
        "shared-row-padding": of_access(_padding),
        "half-parity": of_access(_half_parity),
    }
)
"""Axis -> how it is seen in an access."""
