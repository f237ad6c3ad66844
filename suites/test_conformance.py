"""Conformance to the specifications of a plan: each test runs its share of the case list."""

from __future__ import annotations

from mmaspec.suites.answer import explain
from mmaspec.suites.running.share import Share


def test_conforms(share: Share) -> None:
    """Every case of one specification, template and datatype is answered as the specification demands."""
    failures = share.run()
    assert not failures, explain(failures)
