"""Programs with one circumstance of one instruction removed, and with every state stored."""

from mmaspec.oracle.nv_coopmat2.blame.instrument import instrumented
from mmaspec.oracle.nv_coopmat2.blame.program import ablations

__all__ = ["ablations", "instrumented"]
