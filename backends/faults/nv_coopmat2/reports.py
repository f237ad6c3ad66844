"""Counterfactuals of what a device lists as its properties: the reference device with other numbers in them."""

from __future__ import annotations

from functools import partial

from msgspec.structs import replace

from mmaspec.backends.faults import planting
from mmaspec.backends.faults.fault import Fault
from mmaspec.backends.numpy.nv_coopmat2.device import CoopMat2Device
from mmaspec.programs.nv_coopmat2.caps import CoopMatCaps

_misreport = partial(planting.misreport, "nv-coopmat2", CoopMat2Device)


def _no_depth(caps: CoopMatCaps) -> CoopMatCaps:
    return replace(caps, fixed=tuple(replace(entry, k=0) for entry in caps.fixed))


def _odd_sizes(caps: CoopMatCaps) -> CoopMatCaps:
    return replace(caps, fixed=tuple(replace(entry, m=3 * entry.m) for entry in caps.fixed))


def _odd_granularities(caps: CoopMatCaps) -> CoopMatCaps:
    return replace(caps, flexible=tuple(replace(entry, k=3 * entry.k) for entry in caps.flexible))


def _large_workgroups(caps: CoopMatCaps) -> CoopMatCaps:
    too_many = caps.workgroup_size + 1
    return replace(caps, flexible=tuple(replace(entry, invocations=too_many) for entry in caps.flexible))


REPORTS: tuple[Fault, ...] = (
    _misreport("cm-reports-no-depth", "KHRCM-CAPS-SIZES", "K could be 0", _no_depth, ("fixed",)),
    _misreport("cm-reports-odd-sizes", "KHRCM-CAPS-SIZES", "no size need be powers of two", _odd_sizes, ("fixed",)),
    _misreport(
        "cm-reports-odd-granularities",
        "NVCM2-FLEX-POW2",
        "granularities could be any numbers",
        _odd_granularities,
        ("flexible",),
    ),
    _misreport(
        "cm-reports-large-workgroups",
        "NVCM2-WG-SHARED",
        "workgroups with such matrices had no largest size",
        _large_workgroups,
        ("workgroup",),
    ),
)
"""They report wrongly, and run every program as they should."""
