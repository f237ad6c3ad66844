"""What a device may report: forms beside those of its sub-group size, which no program can have there."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.oracle.caps_report import Answer, CapsReport
from mmaspec.programs.intel_subgroup_mma.caps import FORMS, FORMS_OF, Caps


def caps_report(caps: Caps) -> CapsReport[Caps]:
    """The forms of a device, judged one by one."""
    reach = caps.in_reach

    def why(name: str) -> str:
        if name in reach:
            return ""
        if name not in FORMS_OF[caps.sub_group_size]:
            return f"devices with sub-groups of {caps.sub_group_size} have no such functions"
        return "functions with arguments of the type half need cl_khr_fp16"

    names = (name for name in dict.fromkeys(caps.forms) if name in FORMS)
    answers = tuple(Answer((f"n{caps.sub_group_size}_{name}",), not_covered=why(name)) for name in names)
    usable = caps if len(reach) == len(caps.forms) else replace(caps, forms=reach)
    return CapsReport(usable, usable, answers)
