"""clang's front end of HLSL, as `ziglang` brings it or as it lies on the path, and what a shader needs of the language.

It knows types, templates and overloads. Its own buffers have no methods yet and the built-in functions come with a
header that is not there, so that both are declared here. A groupshared array reaches a parameter as its address.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec

from mmaspec.oracle.hlsl_linalg.text.program import HEADER

from .declarations import header

TRIPLE = "dxil-pc-shadermodel6.8-compute"
OPTIONS = (
    "-cc1", "-triple", TRIPLE, "-x", "hlsl", "-std=hlsl202x", "-fnative-half-type", "-fnative-int16-type",
    "-fsyntax-only", "-ferror-limit", "0", "-Werror=vector-conversion",
)  # fmt: skip

LANGUAGE = """
typedef unsigned int uint; typedef unsigned short uint16_t; typedef short int16_t;
typedef int int32_t; typedef uint uint32_t; typedef long int64_t; typedef unsigned long uint64_t;
typedef half float16_t; typedef vector<uint, 2> uint2;
typedef char32_t uint8_t4_packed; // a word that is no other word
#define SIZE int
#define ONLY_IF(condition) __attribute__((enable_if((condition), "the layout")))
#define NEVER_IF(condition) __attribute__((diagnose_if((condition), "the stride", "error")))
template <typename A> struct unshared { using type = A; };
template <typename A> struct unshared<groupshared A> { using type = A; };
#define ELEMENT(A) typename scalar_of<typename unshared<__remove_pointer(A)>::type>::type
uint WaveGetLaneIndex();
void AllMemoryBarrierWithGroupSync();
float16_t asfloat16(uint16_t bits); float asfloat(uint bits); int asint(uint bits);
double asdouble(uint low, uint high);
float16_t tanh(float16_t of);
struct Readable {
  ByteAddressBuffer handle;
  uint Load(uint at);
  template <typename T> T Load(uint at);
};
struct Writable {
  RWByteAddressBuffer handle;
  uint Load(uint at);
  template <typename T> T Load(uint at);
  template <typename T> void Store(uint at, T value);
  void Store2(uint at, uint2 value);
  void InterlockedAdd(uint at, uint value);
};
#define ByteAddressBuffer Readable
#define RWByteAddressBuffer Writable
"""
BUFFER = re.compile(r"^(RW)?ByteAddressBuffer (\w+) : register\([tu]\d+\);", re.MULTILINE)
PLACE = re.compile(r"^<stdin>:(\d+):\d+: (?:fatal )?error:", re.MULTILINE)


def front_end() -> list[str] | None:
    """A command that takes HLSL with templates; None if there is none."""
    on_path = shutil.which("clang")
    if on_path and not _said([on_path], prelude() + "uint one() { return 1; }\n"):
        return [on_path]
    return [sys.executable, "-m", "ziglang", "clang"] if find_spec("ziglang") else None


@cache
def prelude() -> str:
    """What stands before every shader."""
    return LANGUAGE + header("later")


def _said(command: Sequence[str], source: str) -> str:
    done = subprocess.run([*command, *OPTIONS, "-"], check=False, input=source, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def declarations_alone(command: Sequence[str], text: str) -> str:
    """What it says against the declarations of the buffers of a shader, these being its own."""
    found = [match.group(0) for match in BUFFER.finditer(text)]
    return _said(command, "\n".join([*found, ""]))


def shader(text: str, number: int = 0) -> str:
    """A printed program in a namespace of its own, with buffers that have methods."""
    include = f"#include <{HEADER}>\n"
    assert text.startswith(include)
    body = BUFFER.sub(lambda match: f"static {match[1] or ''}ByteAddressBuffer {match[2]};", text.removeprefix(include))
    return f"namespace shader{number} {{\n{body}\n}}\n"


def complaints(command: Sequence[str], texts: Sequence[str]) -> list[list[str]]:
    """What the front end says against each of many shaders, in one run: the lines of its errors."""
    before = prelude()
    starts, line, source = [], before.count("\n") + 1, [before]
    for number, text in enumerate(texts):
        starts.append(line)
        source.append(shader(text, number))
        line += source[-1].count("\n")
    said = _said(command, "".join(source))
    found: list[list[str]] = [[] for _ in texts]
    for error in (one for one in said.splitlines() if "error:" in one):
        place = PLACE.match(error)
        assert place is not None, f"something else is wrong: {error}"
        assert int(place[1]) >= starts[0], f"a declaration is wrong: {error}"
        found[bisect_right(starts, int(place[1])) - 1].append(error)
    assert not said or any(found), said[-2000:]
    return found
