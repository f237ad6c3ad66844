"""In which manner a value is wrong: what kind of value is there, and what kind was due."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import from_ordinal, is_inf, is_nan
from mmaspec.suites.judging.ask import Held


def manner_of(held: Held) -> str:
    """The manner of the worst element, such as ``number for inf``; empty where one kind of value is all there is.

    Mistakes that show in different manners are seldom one and the same. So a smaller case that fails in another manner
    may well show another mistake of the same device.
    """
    worst = held.judgement.wrong[0]
    if worst.symptom != "value":
        return ""
    legal = held.expected.regions[worst.region].legal.index((worst.item, *worst.index))
    if not legal.fmt.is_float:
        return ""
    if legal.lo > legal.hi:
        due = "nan"
    else:
        ends = from_ordinal(legal.fmt, np.asarray([legal.lo, legal.hi]))
        due = "inf" if is_inf(legal.fmt, ends).all() else "number"
    got = np.asarray(worst.got, np.uint64)
    found = "nan" if is_nan(legal.fmt, got) else "inf" if is_inf(legal.fmt, got) else "number"
    return f"{found} for {due}{', slightly off' if worst.slight else ''}"
