"""The caps rows: one for each supported datatype, M, N and accumulator."""

from __future__ import annotations

from typing import NamedTuple

from mmaspec.oracle.caps_report import check_written
from mmaspec.oracle.hlsl_wave_matrix.caps_report import SHORT, caps_report
from mmaspec.oracle.spec import Row
from mmaspec.programs.hlsl_wave_matrix.caps import WaveMmaCaps, WaveMmaSupport, accumulators


class Entry(NamedTuple):
    """The contents of a row: an answer of the query, and one of the accumulators that it lists."""

    answer: WaveMmaSupport
    accumulator: str


def rows(caps: WaveMmaCaps) -> tuple[Row[Entry], ...]:
    """One row per supported datatype, M, N and accumulator, in the order of the caps: ``byte-16x64-s32``.

    Tags: the datatype, ``int`` or ``float``, the accumulator, ``dim-64`` where M or N is 64, else ``dim-16``, and
    ``oblong`` where they differ. ``BadInput`` where the answers themselves are none that the document allows.
    """
    report = caps_report(caps)
    check_written(report)
    found = []
    for answer in report.usable.support:
        if not answer.supported:
            continue
        short = SHORT[answer.datatype]
        for accumulator in accumulators(answer):
            tags = {short, "int" if answer.datatype == "byte" else "float", f"acc-{accumulator}"}
            tags.add("dim-64" if 64 in (answer.m, answer.n) else "dim-16")
            if answer.m != answer.n:
                tags.add("oblong")
            name = f"{short}-{answer.m}x{answer.n}-{accumulator}"
            found.append(Row(name, f"{short}-{accumulator}", frozenset(tags), Entry(answer, accumulator)))
    return tuple(found)
