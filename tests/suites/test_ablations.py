"""Every ablation of a listed program in vast memory can be made, in no more memory than its windows take."""

from __future__ import annotations

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.spec import spec_named
from mmaspec.programs.specifications import ours
from mmaspec.programs.tree import walk
from mmaspec.programs.windows import sparse
from mmaspec.suites.score.classes.proofs import smoke

MOST = 1 << 26
"""Bytes of what one buffer may hold."""


@pytest.mark.parametrize("spec", ours())
def test_what_lies_far_apart_is_moved_in_windows(spec: str, times: int) -> None:
    """Also where what is moved would lie on something else: that ablation is left out."""
    programs = [resolve(one.program, one.words) for one in smoke(spec) if not one.target and sparse(one.program)]
    assert programs
    for program in programs[:: 1 if times > 1 else 12]:
        for place, _, _ in walk(program):
            for ablation in spec_named(spec).ablations(program, place):
                assert max(buffer.total for buffer in ablation.program.buffers) < MOST
