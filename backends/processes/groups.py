"""Groups of processes: what a backend starts and leaves behind ends with it.

In a run the workers and all that they start are one group, which the supervisor ends. Elsewhere every backend leads one
of its own. Windows has no such groups: there only what hangs under a process that is killed is ended with it.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress

GROUPED = "MMASPEC_GROUPED"
"""Environment variable: somebody above ends the group of this process."""


def own_group() -> int | None:
    """The ``process_group`` of a backend that is started now: 0 is one of its own, None that of this process."""
    return 0 if os.name == "posix" and GROUPED not in os.environ else None


def end_group(process: int) -> None:
    """Kill what is left of the group that a process leads or led; where there are no groups, nothing."""
    if os.name == "posix":
        # There may be nothing left of it, or nothing but what the system is about to remove.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
