"""Whether what one row of A and of the addend holds can reach another row of the result."""

from __future__ import annotations

import numpy as np

from mmaspec.oracle.numerics.ordinals import Flags, is_inf, is_nan
from mmaspec.strategies.axes.observation import Answer, Look, Subject, Thing
from mmaspec.strategies.register_kernels.observations.contents import Contents, operand_of
from mmaspec.strategies.register_kernels.observations.flow import Event


def _unlike(one: Contents) -> Flags:
    """Matrices whose rows are not all alike."""
    found: Flags = (one.bits != one.bits[..., :1, :]).any(axis=(-2, -1))
    return found


def _special(one: Contents) -> Flags:
    """Matrices of which some rows, not all, hold NaN or infinities."""
    if not one.fmt.is_float:
        return np.zeros(one.bits.shape[:-2], np.bool_)
    rows = (is_nan(one.fmt, one.bits) | is_inf(one.fmt, one.bits)).any(axis=-1)
    some, every = rows.any(axis=-1), rows.all(axis=-1)
    return np.asarray(some & ~every)


def _rows_apart(subject: Subject, thing: Thing) -> Answer:
    event: Event = thing.of
    a, c = operand_of(subject, event, "a"), operand_of(subject, event, "c")
    if a.bits.shape[-2] == 1:
        return "one-row"
    if not (a.known.all() and c.known.all()):
        return None
    of_a, of_c = _unlike(a), _unlike(c)
    classes = {
        "alike": ~of_a & ~of_c,
        "a-differs": of_a & ~of_c,
        "c-differs": of_c & ~of_a,
        "both-differ": of_a & of_c,
        "special-in-some": _special(a) | _special(c),
    }
    return {name for name, here in classes.items() if here.any()}


LOOKS: dict[str, Look] = {"rows-apart": _rows_apart}
