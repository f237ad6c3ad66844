"""An adapter in Python, a program of its own: the arithmetic-only level of the protocol in docs/external.md.

mmaspec check --backend "cmd:python adapter.py" --spec hlsl-wave-matrix

Put your device into ``mma``; mmaspec supplies memory, layout and control flow around it.
"""

import json
import os
import sys
from typing import Any, BinaryIO

import numpy as np

DTYPES = {"u8": "u1", "s8": "i1", "s32": "<i4", "f16": "<f2", "f32": "<f4"}
TYPES = [("f16", "f16", "f16"), ("f16", "f16", "f32"), *((a, b, "s32") for a in ("u8", "s8") for b in ("u8", "s8"))]
HELLO: dict[str, Any] = {
    "type": "hello",
    "protocol": 2,
    "name": "example-python",
    "version": "1",
    "level": "mma",
    "types": TYPES,
}


def mma(types: list[str], a: Any, b: Any, c: Any) -> Any:
    """D = A B + C for arrays (batch, M, K), (batch, K, N), (batch, M, N); D has the dtype of C.

    ``types`` are the formats of A, B and C. Integers wrap; floats are summed in float32 and rounded once.
    """
    wide = np.int32 if types[2] == "s32" else np.float32
    with np.errstate(all="ignore"):
        return np.matmul(a.astype(wide), b.astype(wide)) + c.astype(wide)


def read_array(pipe: BinaryIO, element: str, *shape: int) -> Any:
    """The next matrices of a body, row-major."""
    dtype = np.dtype(DTYPES[element])
    wanted = int(np.prod(shape)) * dtype.itemsize
    data = pipe.read(wanted)
    if len(data) < wanted:
        sys.exit("the request ended too early")
    return np.frombuffer(data, dtype).reshape(shape)


def answer(head: dict[str, Any], requests: BinaryIO, replies: BinaryIO) -> None:
    """Read a request's body, write the reply."""
    if head["type"] == "hello":
        replies.write(json.dumps(HELLO).encode() + b"\n")
        return
    types, batch, m, n, k = (head[name] for name in ("types", "batch", "m", "n", "k"))
    shapes = (batch, m, k), (batch, k, n), (batch, m, n)
    a, b, c = (read_array(requests, element, *shape) for element, shape in zip(types, shapes, strict=True))
    with np.errstate(all="ignore"):
        d = np.ascontiguousarray(mma(types, a, b, c), DTYPES[types[2]])
    replies.write(json.dumps({"type": "product", "id": head["id"], "body": d.nbytes}).encode() + b"\n")
    replies.write(d.data)


def connect() -> tuple[BinaryIO, BinaryIO]:
    """Where requests come from and replies go to: two files, two descriptors of our own, or standard streams."""
    if len(sys.argv) == 3:
        return open(sys.argv[1], "rb"), open(sys.argv[2], "wb")  # noqa: PTH123 - open until the end
    if "MMASPEC_IN" not in os.environ:
        return sys.stdin.buffer, sys.stdout.buffer
    numbers = int(os.environ["MMASPEC_IN"]), int(os.environ["MMASPEC_OUT"])
    if os.name == "nt":
        import msvcrt

        numbers = msvcrt.open_osfhandle(numbers[0], os.O_BINARY), msvcrt.open_osfhandle(numbers[1], os.O_BINARY)
    return os.fdopen(numbers[0], "rb"), os.fdopen(numbers[1], "wb")


def main() -> None:
    """Answer requests until they end."""
    requests, replies = connect()
    while line := requests.readline():
        answer(json.loads(line), requests, replies)
        replies.flush()


if __name__ == "__main__":
    main()
