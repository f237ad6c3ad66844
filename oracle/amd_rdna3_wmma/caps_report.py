"""What a device may report. There is no query, so no clause is about it, and all that is reported is checked."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, CapsReport
from mmaspec.programs.amd_rdna3_wmma.caps import Caps


def caps_report(caps: Caps) -> CapsReport[Caps]:
    """The builtins and the instructions of a device, each once."""
    builtins, instructions = caps.in_reach, caps.instructions_in_reach
    usable = caps
    if (len(builtins), len(instructions)) != (len(caps.builtins), len(caps.instructions)):
        usable = replace(caps, builtins=builtins, instructions=instructions)
    return CapsReport(usable, usable, tuple(Answer((name,)) for name in (*builtins, *instructions)))
