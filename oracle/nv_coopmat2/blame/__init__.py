"""Programs for blame: ablations, with one circumstance removed, and the instrumented program."""

from mmaspec.oracle.nv_coopmat2.blame.instrument import filled, instrumented
from mmaspec.oracle.nv_coopmat2.blame.program import ablations

__all__ = ["ablations", "filled", "instrumented"]
