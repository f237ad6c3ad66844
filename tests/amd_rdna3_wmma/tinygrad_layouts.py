"""A program for tinygrad's PYTHON device: what its model of a WMMA finds in the lanes of a wave, as JSON.

    DEV=PYTHON::gfx1100 python tinygrad_layouts.py half-float char-int

multiplies matrices of those formats and prints A, B, C and D as the model gets and leaves them: a list for each element
of a lane, of the values in every lane. In one product A is full of different numbers and B is the identity, so D is A;
in another one they have changed places. The result of the first is C of a further product, of zeros, in the same loop;
tinygrad 0.14 makes no program of such a loop where results are halves, so that C is left out there.
"""

import json
import sys

from tinygrad import Context, Tensor, dtypes
from tinygrad.dtype import DType
from tinygrad.runtime import ops_python

LABELS = [[16 * row + col - 128 for col in range(16)] for row in range(16)]
IDENTITY = [[int(row == col) for col in range(16)] for row in range(16)]
ZEROS = [[0] * 16] * 16


def held(operands: DType, accumulator: DType) -> dict:
    """Spy on the model."""
    calls = []
    model = ops_python.generic_wmma_helper

    def spy(factors_and_addend: list, *rest: object) -> list:
        copied = [[list(lanes) for lanes in operand] for operand in factors_and_addend]
        result = model(factors_and_addend, *rest)
        calls.append({**dict(zip("ABC", copied, strict=True)), "D": [list(lanes) for lanes in result]})
        return result

    def multiply(left: list, right: list) -> None:
        a, b = (Tensor(rows, dtype=operands).realize() for rows in (left, right))
        calls.clear()
        a.matmul(b, dtype=accumulator).realize()

    ops_python.generic_wmma_helper = spy
    with Context(TC=1, TC_OPT=2):
        further = [] if accumulator == dtypes.half else ZEROS
        multiply([row + [0] * len(further) for row in LABELS], IDENTITY + further)
        found = {"A": calls[0]["A"], "D": calls[0]["D"]}
        if further:
            found["C"] = calls[1]["C"]
        multiply(IDENTITY, LABELS)
        found["B"], found["D of B"] = calls[0]["B"], calls[0]["D"]
    ops_python.generic_wmma_helper = model
    return found


if __name__ == "__main__":
    pairs = {word: [getattr(dtypes, name) for name in word.split("-")] for word in sys.argv[1:]}
    json.dump({word: held(*pair) for word, pair in pairs.items()}, sys.stdout)
