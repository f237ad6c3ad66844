"""The indices that a module computes, computed again: where one work-item's loads and stores are."""

from __future__ import annotations

import operator
import re

RESULT = re.compile(r"^(%\d+) = (Op\w+) (.+?)(?:  ;.*)?$", re.MULTILINE)
VECTOR = re.compile(r"%CrossWorkgroup_(?:v(\d+))?[if](\d+)")
ARITHMETIC = {"OpIAdd": operator.add, "OpIMul": operator.mul, "OpUMod": operator.mod, "OpUDiv": operator.floordiv}


def addresses(text: str, wave: int, item: int, word: int) -> list[tuple[str, int]]:
    """Buffer and byte of every vector that is loaded or stored, in order; every word that is read is ``word``."""
    numbers = {
        name: int(value) for name, value in re.findall(r"^(%i32_\d+) = OpConstant %i32 (\d+)$", text, re.MULTILINE)
    }
    bases: dict[str, str] = {}
    found = []
    for name, operation, given in RESULT.findall(text):
        kind, *operands = given.split()
        if operation in ARITHMETIC:
            left, right = operands
            numbers[name] = ARITHMETIC[operation](numbers[left], numbers[right])
        elif operation == "OpLoad" and kind == "%i32":
            numbers[name] = {"%sub_group_id": wave, "%sub_group_local_id": item}.get(operands[0], word)
        elif operation == "OpBitcast" and operands[0].startswith("%buffer_"):
            bases[name] = operands[0].removeprefix("%buffer_")
        elif operation == "OpInBoundsPtrAccessChain" and kind != "%bytes":
            vector = VECTOR.fullmatch(kind)
            assert vector is not None
            found.append((bases[operands[0]], numbers[operands[1]] * int(vector[1] or 1) * int(vector[2]) // 8))
    return found
