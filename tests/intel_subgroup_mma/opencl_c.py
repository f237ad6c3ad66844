"""A front end for OpenCL C: the clang on the path, else the one that `ziglang` brings (extra ``compilers``).

No header of OpenCL is needed: vector types, the few built-ins of kernels, and the 88 functions are declared here.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec

from mmaspec.oracle.intel_subgroup_mma.functions import signatures

COMPONENTS = ("short", "ushort", "int", "uint", "half", "float")
OPTIONS = ("--target=spir64-unknown-unknown", "-x", "cl", "-cl-std=CL3.0", "-cl-no-stdinc")
KERNEL = re.compile(r"(?<=kernel void )matrix_mad(?=\()")


def header(sizes: Sequence[int] = (8, 16)) -> str:
    """Declarations, those of the functions of these sub-group sizes only."""
    return "\n".join(_declarations(sizes)) + "\n"


def _declarations(sizes: Sequence[int]) -> Iterator[str]:
    yield "#pragma OPENCL EXTENSION cl_khr_fp16 : enable"
    yield "typedef unsigned short ushort; typedef unsigned int uint;"
    for component in COMPONENTS:
        for count in (2, 4, 8, 16):
            yield f"typedef {component} {component}{count} __attribute__((ext_vector_type({count})));"
        yield f"#define as_{component}(x) __builtin_astype((x), {component})"
    yield "uint get_sub_group_id(void); uint get_sub_group_local_id(void);"
    for signature in signatures():
        if signature.size in sizes:
            yield f"__attribute__((overloadable)) {signature.declaration}"


def complaints(command: Sequence[str], source: str, sizes: Sequence[int] = (8, 16)) -> list[str]:
    """What a front end says against a source, a line each."""
    options = (*OPTIONS, "-fsyntax-only", "-ferror-limit=0", "-w", "-")
    done = subprocess.run(
        [*command, *options], check=False, input=header(sizes) + source, capture_output=True, text=True
    )
    found = [line for line in done.stderr.splitlines() if "error:" in line]
    return found or ([done.stderr] if done.returncode else [])


def joined(texts: Iterable[str]) -> str:
    """Kernels in one file, each with a name of its own."""
    return "".join(KERNEL.sub(f"matrix_mad_{number}", text) for number, text in enumerate(texts))


def refused(command: Sequence[str], texts: Sequence[str], sizes: Sequence[int] = (8, 16)) -> list[bool]:
    """Whether each of many kernels is refused, in one run."""
    starts, line = [], header(sizes).count("\n") + 1
    for text in texts:
        starts.append(line)
        line += text.count("\n")
    places = [re.match(r"<stdin>:(\d+):", said) for said in complaints(command, joined(texts), sizes)]
    assert all(places), "something else is wrong"
    found = {bisect_right(starts, int(place[1])) - 1 for place in places if place}
    return [number in found for number in range(len(texts))]


def front_end() -> list[str] | None:
    """A command that takes OpenCL C; None if there is none."""
    on_path = shutil.which("clang")
    if on_path and not complaints([on_path], "kernel void f(global int2* x) { x[0] = (int2)(1); }"):
        return [on_path]
    return [sys.executable, "-m", "ziglang", "clang"] if find_spec("ziglang") else None
