"""The fragment that an instruction writes."""

from __future__ import annotations

from mmaspec.programs.register_kernels import writes

__all__ = ["writes"]
