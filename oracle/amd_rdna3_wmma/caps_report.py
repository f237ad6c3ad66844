"""What a device may report. There is no query, so no clause is about it, and every builtin is checked."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, CapsReport
from mmaspec.programs.amd_rdna3_wmma.caps import Caps


def caps_report(caps: Caps) -> CapsReport[Caps]:
    """The builtins of a device, each once."""
    reach = caps.in_reach
    usable = caps if len(reach) == len(caps.builtins) else replace(caps, builtins=reach)
    return CapsReport(usable, usable, tuple(Answer((name,)) for name in reach))
