"""Measured speed of external backends: what a call costs, how fast buffers travel. Prints a table; asserts nothing.

``python benchmarks/external.py`` takes some ten seconds. The adapter returns its buffers as they are, so that
all time is the protocol's.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from mmaspec.backends.checked import call
from mmaspec.backends.external.backend import ExternalBackend
from mmaspec.programs.amd_rdna3_wmma.program import WmmaProgram
from mmaspec.programs.base import Buffer

SPEC = "amd-rdna3-wmma"
ADAPTER = """
import json, os
requests, replies = os.fdopen(int(os.environ["MMASPEC_IN"]), "rb"), os.fdopen(int(os.environ["MMASPEC_OUT"]), "wb")
store = bytearray(1 << 28)
while line := requests.readline():
    head = json.loads(line)
    if head["type"] == "hello":
        reply = {"type": "hello", "protocol": 1, "name": "echo", "version": "1"}
        body = b""
    else:
        body = memoryview(store)[: head["body"]]
        requests.readinto(body)
        reply = {"type": "ran", "id": head["id"], "buffers": head["buffers"], "body": head["body"]}
    replies.write(json.dumps(reply).encode() + b"\\n")
    replies.write(body)
    replies.flush()
"""


def median(rounds: int, action: Callable[[], Any]) -> float:
    """Median seconds of an action."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return statistics.median(times)


def images(size: int, batch: int) -> tuple[WmmaProgram, dict[str, np.ndarray]]:
    """A program that does nothing over one buffer, and its images."""
    program = WmmaProgram(wave_size=32, buffers=(Buffer("only", size),), fragments=(), body=())
    generator = np.random.Generator(np.random.PCG64(7))
    return program, {"only": generator.integers(0, 256, (batch, program.buffers[0].total), np.uint8)}


def bare(size: int, rounds: int) -> float:
    """Median seconds for so many bytes to a process and back on bare pipes: what waking it up costs here."""
    echo = f"import os\nwhile data := os.read(0, {size}): os.write(1, data)"
    with subprocess.Popen([sys.executable, "-c", echo], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        there, back = process.stdin.fileno(), process.stdout.fileno()
        seconds = median(rounds, lambda: os.write(there, bytes(size)) and os.read(back, size))
        process.stdin.close()
    return seconds


def main() -> None:
    """Print how long calls take."""
    print(f"{192:>12,} bytes there and back on bare pipes: {1e3 * bare(192, 500):.3f} ms")
    with tempfile.TemporaryDirectory() as folder:
        adapter = Path(folder) / "echo.py"
        adapter.write_text(ADAPTER, encoding="utf-8")
        with ExternalBackend(f'"{sys.executable}" "{adapter}"') as backend:
            for size, batch, rounds in ((64, 1, 500), (4096, 64, 200), (1 << 20, 64, 15)):
                program, given = images(size, batch)
                seconds = median(rounds, lambda p=program, g=given, b=batch: call(backend, SPEC, p, g, b))
                there = given["only"].nbytes
                speed = 2 * there / seconds / 1e6  # and back
                print(f"{there:>12,} bytes there and back: {1e3 * seconds:8.3f} ms a call, {speed:8.0f} MB/s")


if __name__ == "__main__":
    main()
