"""Linear algebra devices that leave out a demand on programs that two clauses make."""

from __future__ import annotations

from msgspec.structs import replace

from mmaspec.backends.numpy.backend import Submitted
from mmaspec.backends.numpy.hlsl_linalg.device import LinalgDevice


class ThreadsLoadAnything(LinalgDevice):
    """Takes every buffer for a read-only one in what it checks of the sources of loads."""

    def broken(self, submitted: Submitted) -> tuple[str, ...]:
        """The table of scopes has these loads too."""
        program = submitted.program
        names = tuple(buffer.name for buffer in program.buffers)
        lenient = Submitted(replace(program, read_only=names), submitted.inputs)
        found, anything = super().broken(submitted), super().broken(lenient)
        sources = ("LINALG-LOAD-SRC", "LINALG-SCOPE-TABLE")
        return tuple(clause for clause in found if clause not in sources or clause in anything)
