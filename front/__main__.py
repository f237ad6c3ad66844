"""The command ``mmaspec``; also ``python -m mmaspec``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

from mmaspec import streams

TRACEBACK = "MMASPEC_TRACEBACK"
"""Environment variable: if set, an internal failure is told with its traceback."""

INTERNAL, INTERRUPTED, TERMINATED, PIPE = 4, 130, 143, 141
"""Exit codes for what is no verdict: a failure of ours, and what a shell makes of SIGINT, SIGTERM and SIGPIPE."""

SEARCHED = 50_000
"""Values made between two searches for cycles: imports, plans and lists make very many, and all of them last."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, which continuous integration sends, ends a command as an interrupt from the keyboard does."""


def main() -> NoReturn:
    """Run the command line. Whatever goes wrong ends with one line on standard error and an exit code of its own.

    Python's own code for an uncaught exception is 1, which would read as "not conformant".
    """
    gc.set_threshold(SEARCHED)
    streams.make_usable()
    code = _ended()
    written = streams.written_out()
    if written != "all":
        code = _unprinted(PIPE if written == "no reader" else code)
    gc.freeze()  # or Python would look for cycles among all these values once more before it ends
    sys.exit(code)


def _ended() -> int:
    """Run the command line; the exit code."""
    try:
        if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
            signal.signal(signal.SIGTERM, _terminate)
        return _carried_out()
    except KeyboardInterrupt as stop:
        terminated = isinstance(stop, Terminated)
        streams.say(f"mmaspec: {'terminated' if terminated else 'interrupted'}{f'; {stop}' if str(stop) else ''}")
        return TERMINATED if terminated else INTERRUPTED
    except OSError as error:
        return _outside(error)
    except BaseException as error:  # noqa: BLE001 - nothing may end with the exit code of a verdict
        return _internal(error)


def _carried_out() -> int:
    from mmaspec.cli import app
    from mmaspec.passing import Passing
    from mmaspec.programs.errors import BadInput, Halted

    try:
        app()
    except BadInput as error:
        streams.say(f"mmaspec: {error}")
        return 2
    except Halted as error:
        streams.say(f"mmaspec: {error}")
        return INTERNAL
    except Passing as passing:
        raise passing.error from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # rich ends with 1 there
            return PIPE
        return end.code if isinstance(end.code, int) else 0 if end.code is None else 2
    return 0


def _terminate(*_: object) -> NoReturn:
    raise Terminated


def _unprinted(code: int) -> int:
    """The exit code where standard output did not take everything: no reader is left, or there is no room."""
    streams.let_go(sys.stdout)
    if code == PIPE:
        return code
    if code < INTERNAL:
        streams.say("mmaspec: standard output cannot be written to, so what was found could not all be printed")
    return max(code, INTERNAL)


def _outside(error: OSError) -> int:
    """An error of the system that nobody expected."""
    if isinstance(error, BrokenPipeError):
        return PIPE
    from mmaspec.programs.errors import one_line

    where = f"{error.filename}: " if error.filename is not None else ""
    streams.say(one_line(f"mmaspec: cannot go on: {where}{error.strerror or error}"))
    _traced()
    return INTERNAL


def _internal(error: BaseException) -> int:
    """A defect of mmaspec, told in one line."""
    import traceback

    from mmaspec.programs.errors import one_line, text_of

    places = traceback.extract_tb(error.__traceback__)
    where = f" at {places[-1].filename}, line {places[-1].lineno}" if places else ""
    streams.say(one_line(f"mmaspec: internal failure: {type(error).__name__}{where}: {text_of(error)}"))
    if not _traced():
        streams.say(f"mmaspec: please report this with what is printed if {TRACEBACK}=1 is set")
    return INTERNAL


def _traced() -> bool:
    """Print the traceback, if it was asked for."""
    if not os.environ.get(TRACEBACK):
        return False
    import traceback

    streams.say(traceback.format_exc())
    return True


if __name__ == "__main__":
    main()
