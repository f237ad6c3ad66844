"""What counts as a slight error: lost precision, in the last bits of a format."""

from __future__ import annotations

import pytest

from mmaspec.oracle.judge import slight_bits
from mmaspec.programs.formats import FORMATS


@pytest.mark.parametrize(("name", "bits"), [("f32", 15), ("f16", 5), ("bf16", 0), ("e5m2", 0), ("f64", 44)])
def test_so_many_last_bits_may_be_wrong(name: str, bits: int) -> None:
    assert slight_bits(FORMATS[name]) == bits
