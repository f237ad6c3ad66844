"""Sending several cases at once to a backend that is started for every file of requests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from mmaspec.backends.failures import BadReply, Died, Raised
from mmaspec.backends.processes.isolated import IsolatedBackend
from mmaspec.backends.protocol import Description, Images, Refused
from mmaspec.oracle.expect import Expecting
from mmaspec.programs.profile import Profile
from mmaspec.strategies.recipe import materialise
from mmaspec.suites.judging.ask import RUNS, given
from mmaspec.suites.planning.plan import Planned, recipe_of
from mmaspec.suites.suited import suited


def prefetch_answers(
    backend: IsolatedBackend, cases: Iterable[Planned], profile: Profile, description: Description
) -> int:
    """Send the backend as many of the first cases as it takes at once; returns how many it took.

    It keeps the answers until the cases ask for them. Whatever goes wrong here shows when they do.
    """
    taken: list[int] = []

    def runs() -> Iterator[tuple[str, Any, Images]]:
        for planned in cases:
            taken.append(0)
            recipe = recipe_of(planned)
            case = suited(materialise(recipe), description)
            start = None if case is None or recipe.target else Expecting(case, profile).start()
            if case is not None and start is not None:
                for pattern in range(RUNS):
                    yield recipe.spec, case.program, given(start, pattern)
                    taken[-1] += 1

    try:
        backend.prefetch(runs())
    except (Died, Raised, BadReply, Refused):
        return len(taken)
    except Exception:  # noqa: BLE001 - a fault of ours shows again with the case that it is about
        return max(1, len(taken))
    return len(taken)
