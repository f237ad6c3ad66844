"""Programs with one circumstance of one instruction removed, and with every state stored."""

from mmaspec.oracle.nv_coopmat2.blame.observe import observe
from mmaspec.oracle.nv_coopmat2.blame.program import toggles

__all__ = ["observe", "toggles"]
