"""Intel's offline compiler makes code of all functions, and refuses what the rules refuse.

Debian has it as `intel-ocloc`, with `libigc2` and `libigdfcl2`; a version that knows the functions is needed. What it
takes is evidence only for what the document has: it also takes 4-bit with 8-bit sources under names of its own, and
kernels with sub-groups of 16 for a device of 8. It declares all functions of both classes for every device, so that a
scalar that is converted can be ambiguous (ISGMMA-AMB-05).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import pytest

from mmaspec.oracle.expect import resolve
from mmaspec.oracle.intel_subgroup_mma import SPEC
from mmaspec.oracle.intel_subgroup_mma.functions import signatures
from mmaspec.oracle.intel_subgroup_mma.text import text
from mmaspec.programs.intel_subgroup_mma.caps import FORMS_OF, Caps, SubGroupSize
from mmaspec.programs.intel_subgroup_mma.program import MadProgram
from mmaspec.programs.register_kernels import products
from mmaspec.strategies.enumerate import case_list

from .opencl_c import joined
from .programs import caps_of, product
from .test_rules import REFUSED

OCLOC = shutil.which("ocloc")
pytestmark = pytest.mark.skipif(OCLOC is None, reason="INTEL'S COMPILER IS NOT ASKED: there is no `ocloc` on the path")

DEVICES: dict[SubGroupSize, str] = {8: "dg2", 16: "pvc"}
"""A device of each class."""
SIZES = pytest.mark.parametrize("size", DEVICES)
AT_ONCE = 15
"""Kernels in a file that are all refused: the compiler stops after 20 errors."""


def compiled(source: str, device: str, folder: Path) -> tuple[bool, str]:
    """Whether a source becomes code for a device, and what the compiler says."""
    assert OCLOC is not None
    place = folder / "kernels.cl"
    place.write_text(source, encoding="utf-8")
    command = [OCLOC, "compile", "-file", str(place), "-device", device, "-options", "-cl-std=CL3.0"]
    done = subprocess.run([*command, "-out_dir", str(folder)], check=False, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert (done.returncode == 0) == ("Build succeeded" in said), said
    return done.returncode == 0, said


def refused(texts: Sequence[str], device: str, folder: Path) -> list[bool]:
    """Whether something is said against each of some kernels that are in one file."""
    starts, line = [], 1
    for one in texts:
        starts.append(line)
        line += one.count("\n")
    right, said = compiled(joined(texts), device, folder)
    lines = {int(found) for found in re.findall(r"^\d+:(\d+):\d+: error:", said, re.MULTILINE)}
    assert right != bool(lines), said
    found = {bisect_right(starts, number) - 1 for number in lines}
    return [number in found for number in range(len(texts))]


@SIZES
def test_every_function_becomes_code(size: SubGroupSize, tmp_path: Path) -> None:
    mine = [one for one in signatures() if one.size == size]
    right, said = compiled(joined(text(product(one), caps_of(one)) for one in mine), DEVICES[size], tmp_path)
    assert right, said
    assert len(mine) == {8: 40, 16: 48}[size]


def exact(program: MadProgram) -> bool:
    """Whether every call is given just the types of a function, so that no scalar is converted."""
    declared = {(one.function, one.a, one.b, one.acc) for one in signatures() if one.size == program.sub_group_size}
    vectors = {one.name: (one.component, one.count) for one in program.fragments}
    calls = (step for _, step, _ in products(program))
    return all((c.function, vectors[c.a], vectors[c.b], vectors[c.c or c.d]) in declared for c in calls)


def listed(size: SubGroupSize, times: int, *, converted: bool) -> list[str]:
    """Some of the listed programs as they are written."""
    caps = Caps(size, FORMS_OF[size])
    programs = [resolve(one.program, one.words) for one in case_list(SPEC.name, caps, "quick") if not one.target]
    texts = [SPEC.text(program, caps) for program in programs if exact(program) != converted]
    return texts[:: max(1, len(texts) // 60 // times)]


@SIZES
def test_listed_programs_become_code(size: SubGroupSize, tmp_path: Path, times: int) -> None:
    texts = listed(size, times, converted=False)
    assert len(texts) > 40
    right, said = compiled(joined(texts), DEVICES[size], tmp_path)
    assert right, said


@SIZES
def test_converted_scalars_can_be_ambiguous_to_it(size: SubGroupSize, tmp_path: Path) -> None:
    """Listed programs that are right for a compiler which declares a device's own functions alone."""
    sources = listed(size, 1, converted=True)[:6]
    answers = [compiled(source, DEVICES[size], tmp_path) for source in sources]
    errors = [line for _, said in answers for line in said.splitlines() if " error: " in line]
    assert not all(right for right, _ in answers)
    assert errors
    assert all("is ambiguous" in line for line in errors)


@SIZES
def test_what_the_rules_refuse_is_refused(size: SubGroupSize, tmp_path: Path) -> None:
    caps = Caps(size, FORMS_OF[size])
    mine = {what: text(program, caps) for what, (program, _) in REFUSED.items() if program.sub_group_size == size}
    assert mine
    names = list(mine)
    for start in range(0, len(names), AT_ONCE):
        some = names[start : start + AT_ONCE]
        found = refused([mine[name] for name in some], DEVICES[size], tmp_path)
        assert dict(zip(some, found, strict=True)) == dict.fromkeys(some, True)


def test_a_smaller_sub_group_is_refused_where_code_is_generated(tmp_path: Path) -> None:
    """A device whose minimum is 16 has no kernels of 8, so their functions are none of its own (ISGMMA-N)."""
    one = next(one for one in signatures() if one.size == 8)
    right, said = compiled(text(product(one), caps_of(one)), DEVICES[16], tmp_path)
    assert not right
    assert "subgroup size 8" in said
