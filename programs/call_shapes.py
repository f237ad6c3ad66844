"""Whether something can be called with so many arguments, found out without calling it."""

from __future__ import annotations

import inspect


def takes(function: object, count: int) -> bool:
    """Whether ``function`` can be called with ``count`` positional arguments.

    True for built-in functions that do not say what they take.
    """
    if not callable(function):
        return False
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True
