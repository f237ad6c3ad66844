"""clang compiles every listed program, and what blame and the reducer make of one, for gfx1100 in both wave sizes.

Many kernels go into one file. Declarations stand for the header of HIP, so that no more than clang is needed: the one
on the path, if it knows the architecture, else the one that `ziglang` brings (extra ``compilers``).
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from importlib.util import find_spec

import pytest

from mmaspec.oracle.amd_rdna3_wmma import SPEC
from mmaspec.oracle.expect import resolve
from mmaspec.programs.base import Program
from mmaspec.strategies.recipe import Recipe
from tests.case_lists import case_list
from tests.variations import of_blame, of_circumstances, of_reduction

from .programs import product

HEADER = """
#define __global__ __attribute__((amdgpu_kernel))
struct Place { unsigned x; };
#define threadIdx (Place{__builtin_amdgcn_workitem_id_x()})
"""
FILE = 300
"""Kernels in one file."""
BUDGET = 40
"""Candidates of the reducer in one case."""
WIDE = "-mwavefrontsize64"


def clang() -> list[str] | None:
    """A command that compiles for gfx1100; None if there is none."""
    on_path = shutil.which("clang")
    if on_path and not _complaints([on_path], "", "__global__ void f() { __builtin_amdgcn_s_barrier(); }"):
        return [on_path]
    return [sys.executable, "-m", "ziglang", "clang"] if find_spec("ziglang") else None


def _complaints(command: list[str], mode: str, source: str) -> list[str]:
    options = ["--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", *([mode] if mode else []), "-x", "c++", "-nogpulib", "-w"]
    options += ["-O0", "-S", "-emit-llvm", "-ferror-limit=0", "-o", "-", "-"]
    done = subprocess.run([*command, *options], check=False, input=HEADER + source, capture_output=True, text=True)
    found = [line for line in done.stderr.splitlines() if "error:" in line]
    return found or ([done.stderr] if done.returncode else [])


CLANG = clang()
pytestmark = pytest.mark.skipif(CLANG is None, reason="no HIP IS COMPILED: no clang knows gfx1100, `ziglang` is absent")


@pytest.fixture(scope="module")
def recipes() -> list[Recipe]:
    """The listed cases, near misses apart."""
    return [one for one in case_list("amd-rdna3-wmma", SPEC.default_caps, "quick") if not one.target]


def refused(programs: Iterable[Program]) -> list[str]:
    """What clang says of the kernels."""
    assert CLANG is not None
    texts = dict.fromkeys(SPEC.text(program, SPEC.default_caps) for program in programs)
    assert texts
    found: list[str] = []
    for mode in ("", WIDE):
        bodies = [body(text) for text in texts if (WIDE in text.partition("\n")[0]) == bool(mode)]
        for start in range(0, len(bodies), FILE):
            some = enumerate(bodies[start : start + FILE])
            found += _complaints(CLANG, mode, "".join(f"namespace n{number} {{\n{text}}}\n" for number, text in some))
    return found


def body(text: str) -> str:
    """A kernel without what can stand only once in a file."""
    return text.replace("#include <hip/hip_runtime.h>", "").replace('extern "C" ', "")


def test_what_does_not_compile_is_seen() -> None:
    assert CLANG is not None
    text = body(SPEC.text(product(), SPEC.default_caps))
    assert not _complaints(CLANG, "", text)
    assert _complaints(CLANG, "", text.replace("* 32", "* i", 1))
    assert _complaints(CLANG, "", re.sub(r"wmma_\w+_w32", r"\g<0>_", text))


def test_every_listed_program_compiles(recipes: list[Recipe]) -> None:
    assert not refused(one.program for one in recipes)


def test_every_program_of_blame_compiles(recipes: list[Recipe], times: int) -> None:
    def programs() -> Iterator[Program]:
        for one in recipes if times > 1 else recipes[::4]:
            yield from (program for _, program in of_blame(SPEC, resolve(one.program, one.words)))

    assert not refused(programs())


def test_every_circumstance_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::4]
    assert not refused(program for one in some for _, program in of_circumstances(one))


def test_every_program_of_the_reducer_compiles(recipes: list[Recipe], times: int) -> None:
    some = recipes if times > 1 else recipes[::8]
    assert not refused(program for one in some for _, program in of_reduction(one, BUDGET))
