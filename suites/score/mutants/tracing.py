"""Which lines of the reference device a case executes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any

from mmaspec.suites.score.mutants.planting import HOME

Lines = dict[str, set[int]]
"""Module -> the lines of it that were executed."""


@contextmanager
def traced() -> Iterator[Lines]:
    """Collects the lines of planted modules (their code is filed under their names) that this thread executes."""
    lines: Lines = {}
    before = sys.gettrace()

    def entered(frame: FrameType, event: str, argument: Any) -> Any:
        del event, argument
        name = frame.f_code.co_filename
        if not name.startswith(HOME):
            return None
        seen = lines.setdefault(name, set())

        def stepped(frame: FrameType, event: str, argument: Any) -> Any:
            del argument
            if event == "line":
                seen.add(frame.f_lineno)
            return stepped

        return stepped

    sys.settrace(entered)
    try:
        yield lines
    finally:
        sys.settrace(before)


def forget(modules: Iterable[ModuleType]) -> None:
    """Empty every cache of the functions of these modules, so that the next case computes for itself."""
    for module in modules:
        for value in vars(module).values():
            clear = getattr(value, "cache_clear", None)
            if clear is not None:
                clear()
