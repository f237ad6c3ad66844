"""A compiler for HIP: the clang on the path, if it knows gfx1100, else the one of `ziglang` (extra ``compilers``).

Declarations stand for the header of HIP, so that no more than clang is needed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from importlib.util import find_spec

HEADER = """
#define __global__ __attribute__((amdgpu_kernel))
struct Place { unsigned x; };
#define threadIdx (Place{__builtin_amdgcn_workitem_id_x()})
"""
WIDE = "-mwavefrontsize64"
STRICT = "-flax-vector-conversions=none"
"""Without it clang takes any vector for another one of its size, by default, whatever the elements."""


def clang() -> list[str] | None:
    """A command that compiles for gfx1100; None if there is none."""
    on_path = shutil.which("clang")
    if on_path and not complaints([on_path], "", "__global__ void f() { __builtin_amdgcn_s_barrier(); }"):
        return [on_path]
    return [sys.executable, "-m", "ziglang", "clang"] if find_spec("ziglang") else None


def mode(text: str) -> str:
    """The option of a kernel's wave size, as its first line says."""
    return WIDE if WIDE in text.partition("\n")[0] else ""


def body(text: str) -> str:
    """A kernel without what can stand only once in a file."""
    return text.replace("#include <hip/hip_runtime.h>", "").replace('extern "C" ', "")


def joined(bodies: Sequence[str]) -> str:
    """Kernels in one file, each in a namespace of its own."""
    return "".join(f"namespace n{number} {{\n{one}}}\n" for number, one in enumerate(bodies))


def complaints(command: Sequence[str], mode: str, source: str, *more: str) -> list[str]:
    """What clang says against a source, a line each, code in the intermediate language included."""
    done = _run(command, mode, source, "-O0", "-emit-llvm", *more)
    found = [line for line in done.stderr.splitlines() if "error:" in line]
    return found or ([done.stderr] if done.returncode else [])


def assembly(command: Sequence[str], mode: str, source: str, *more: str) -> list[str]:
    """The lines of a source as instructions of gfx1100. It has to compile."""
    done = _run(command, mode, source, "-O1", *more)
    assert done.returncode == 0, done.stderr
    return [line.strip() for line in done.stdout.splitlines()]


def unassembled(command: Sequence[str], mode: str, lines: Sequence[str]) -> list[str]:
    """What the assembler says against lines of assembly, such as `assembly` gives; of inline assembly it judges."""
    options = ["--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", *([mode] if mode else []), "-x", "assembler", "-c"]
    text = "\n".join(lines) + "\n"
    ran = [*command, *options, "-o", os.devnull, "-"]
    done = subprocess.run(ran, check=False, input=text, capture_output=True, text=True)
    found = [line for line in done.stderr.splitlines() if "error:" in line]
    return found or ([done.stderr] if done.returncode else [])


def refused(command: Sequence[str], mode: str, bodies: Sequence[str], *more: str) -> list[bool]:
    """Whether each of many kernels is refused.

    Some errors are only seen where there are none of syntax and types: what is left is compiled again.
    """
    found = [False] * len(bodies)
    while left := [number for number, seen in enumerate(found) if not seen]:
        seen = set(_places(command, mode, [bodies[number] for number in left], *more))
        if not seen:
            break
        for number in seen:
            found[left[number]] = True
    return found


def _places(command: Sequence[str], mode: str, bodies: Sequence[str], *more: str) -> Iterator[int]:
    """The kernels against which something is said."""
    starts, line = [], HEADER.count("\n") + 1
    for one in bodies:
        starts.append(line)
        line += one.count("\n") + 2
    for said in complaints(command, mode, joined(bodies), *more):
        place = re.match(r"<stdin>:(\d+):", said)
        assert place is not None, said
        yield bisect_right(starts, int(place[1])) - 1


def _run(command: Sequence[str], mode: str, source: str, *more: str) -> subprocess.CompletedProcess[str]:
    options = ["--target=amdgcn-amd-amdhsa", "-mcpu=gfx1100", *([mode] if mode else []), "-x", "c++", "-nogpulib", "-w"]
    options += ["-S", "-ferror-limit=0", *more, "-o", "-", "-"]
    return subprocess.run([*command, *options], check=False, input=HEADER + source, capture_output=True, text=True)
