"""What a device may report. There is no query, so no clause is about it, but not every builtin is in reach."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, CapsReport
from mmaspec.programs.amd_rdna3_wmma.caps import Caps


def caps_report(caps: Caps) -> CapsReport[Caps]:
    """The builtins of a device, judged one by one."""
    reach = caps.in_reach
    answers = tuple(
        Answer((name,), not_covered="" if name in reach else "no program can have this builtin")
        for name in dict.fromkeys(caps.builtins)
    )
    usable = caps if len(reach) == len(caps.builtins) else replace(caps, builtins=reach)
    return CapsReport(usable, usable, answers)
