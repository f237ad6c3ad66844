"""Several requests in one file: fewer starts, the same answers, and whatever goes wrong finds its own case."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.backends.external.file_transport import Asked, FileTransport
from mmaspec.backends.failures import BadReply, Died
from mmaspec.backends.protocol import Images
from tests.backends.programs import PROGRAM, SPEC, images


class Counting(FileTransport):
    """Notes how many requests each file held."""

    def ask_each(self, asked: Any, limit: float) -> Any:
        self.files = [*getattr(self, "files", []), len(asked)]
        assert all(isinstance(one, Asked) for one in asked)
        return super().ask_each(asked, limit)


def echo(mode: str) -> tuple[ExternalBackend, Counting]:
    place = Path(__file__).with_name("echo.py")
    backend = ExternalBackend(f'"{sys.executable}" "{place}" {mode} "{{request}}" "{{reply}}"', timeout_s=20.0)
    backend._transport = counting = Counting(backend._command)
    return backend, counting


def runs(*batches: int) -> Iterator[tuple[str, Any, Images]]:
    return ((SPEC, PROGRAM, images(PROGRAM, batch)) for batch in batches)


def comes_back(backend: ExternalBackend, batch: int) -> bool:
    given = images(PROGRAM, batch)
    after = backend.run(SPEC, PROGRAM, given)
    return all(np.array_equal(after[name], image) for name, image in given.items())


def test_a_file_holds_as_many_requests_as_it_may() -> None:
    backend, transport = echo("several")
    with backend:
        waiting = runs(1, 2, 3, 4, 5, 6)
        backend.ahead(waiting)
        assert len(list(waiting)) == 2, "what is not asked is not taken"
        assert transport.files == [1, 4], "hello, and four requests"
        assert all(comes_back(backend, batch) for batch in (1, 2, 3, 4, 5))
        assert transport.files == [1, 4, 1]
        assert comes_back(backend, 1), "an answer is good for one call"
        assert transport.files == [1, 4, 1, 1]


def test_who_does_not_ask_for_several_gets_one_at_a_time() -> None:
    backend, transport = echo("good")
    with backend:
        backend.ahead(runs(1, 2))
        assert transport.files == [1]
        assert comes_back(backend, 1)


@pytest.mark.parametrize(("mode", "failure"), [("several-crash", Died), ("several-lie", BadReply)])
def test_a_failure_is_that_of_the_request_over_which_it_happened(mode: str, failure: type[Exception]) -> None:
    backend, transport = echo(mode)
    with backend:
        backend.ahead(runs(1, 2, 3, 4))
        assert comes_back(backend, 1)
        assert comes_back(backend, 2)
        for _ in range(2):  # kept, then asked again by itself
            with pytest.raises(failure):
                backend.run(SPEC, PROGRAM, images(PROGRAM, 3))
        assert comes_back(backend, 4)
        assert transport.files[:3] == [1, 4, 1]
