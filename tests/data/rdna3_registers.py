"""Makes ``rdna3_registers.toml`` of what AMD's matrix instruction calculator prints.

    git clone https://github.com/ROCm/amd_matrix_instruction_calculator   # and pip install tabulate
    python tests/data/rdna3_registers.py amd_matrix_instruction_calculator

The calculator prints each layout twice, by registers (``--matrix-layout``) and by elements (``--register-layout``). The
table is made of the first; it is only written if the second says the same.
"""

from __future__ import annotations

import csv
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path

INSTRUCTIONS = (
    "v_wmma_f32_16x16x16_f16",
    "v_wmma_f32_16x16x16_bf16",
    "v_wmma_f16_16x16x16_f16",
    "v_wmma_bf16_16x16x16_bf16",
    "v_wmma_i32_16x16x16_iu8",
    "v_wmma_i32_16x16x16_iu4",
)
SHORT = ("v_wmma_f16_16x16x16_f16", "v_wmma_bf16_16x16x16_bf16")
"""Those with OPSEL, whose third bit selects the half of C and D."""

HEAD = """\
# Which element of A, B, C and D each field of the registers holds, for the matrix instructions of RDNA3: facts that
# AMD's matrix instruction calculator printed. No code and no text of that project is here.
#
# A layout has one line a lane, and in it one cell for each of `fields` (VGPR and bits, highest first): the row and the
# column of the element, a hexadecimal digit each. `of` lists what is laid out so: instruction, matrix, lanes of a wave,
# and for C and D of 16 bits the value of OPSEL[2], which selects the half.
"""

Layout = tuple[tuple[str, ...], tuple[str, ...]]


def said(folder: Path, *command: str) -> str:
    """What a command prints."""
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def printed(folder: Path, *words: str) -> list[list[str]]:
    """The rows of the table that the calculator prints, its head first."""
    found = said(folder, sys.executable, "matrix_calculator.py", "--architecture", "rdna3", "--csv", *words)
    return list(csv.reader(found.splitlines()[2:]))


def layout(folder: Path, *words: str) -> Layout:
    """Fields, and for each lane the elements in them."""
    (_, *fields), *rows = printed(folder, "--matrix-layout", *words)
    lanes = []
    for number, (lane, *cells) in enumerate(rows):
        assert int(lane) == number
        lanes.append(" ".join(_digits(cell) for cell in cells))
    found = tuple(re.sub(r"\.(\[)", r"\1", field) for field in fields), tuple(lanes)
    assert by_element(folder, *words) == set(_places(*found)), words
    return found


def _digits(cell: str) -> str:
    match = re.fullmatch(r"[ABCD]\[(\d+)\]\[(\d+)\]", cell)
    assert match is not None, cell
    return "".join(f"{int(index):x}" for index in match.groups())


def _places(fields: tuple[str, ...], lanes: tuple[str, ...]) -> Iterator[tuple[str, str, int]]:
    for lane, line in enumerate(lanes):
        for field, cell in zip(fields, line.split(), strict=True):
            yield cell, field, lane


def by_element(folder: Path, *words: str) -> set[tuple[str, str, int]]:
    """Element, field and lane of everything in the calculator's other table."""
    _, *rows = printed(folder, "--register-layout", *words)
    found = set()
    for row, *cells in rows:
        for col, cell in enumerate(cells):
            for place in cell.split():
                match = re.fullmatch(r"(v\d+)\{(\d+)\}(?:\.(\[[\d:]+\]))?", place)
                assert match is not None, place
                vgpr, lane, bits = match.groups()
                found.add((f"{int(row):x}{col:x}", vgpr + (bits or ""), int(lane)))
    return found


def lines(folder: Path) -> Iterator[str]:
    """The table."""
    git = shutil.which("git")
    assert git is not None
    yield HEAD
    yield "[source]"
    yield 'project = "https://github.com/ROCm/amd_matrix_instruction_calculator"'
    yield f'version = "{said(folder, sys.executable, "matrix_calculator.py", "--version").split()[-1]}"'
    yield f'revision = "{said(folder, git, "rev-parse", "HEAD").strip()}"'
    yield 'licence = "MIT"'
    yield 'made = "tests/data/rdna3_registers.py, which runs the calculator"'
    layouts: dict[Layout, list[str]] = {}
    for of, words in uses():
        layouts.setdefault(layout(folder, *words), []).append(of)
    for (fields, lanes), of_all in layouts.items():
        yield from ("", "[[layout]]", "of = [", *(f"  {of}," for of in of_all), "]")
        yield f'fields = "{" ".join(fields)}"'
        yield from ('lanes = """', *lanes, '"""')


def uses() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Everything that has a layout, and what the calculator calls it."""
    for instruction, wave, matrix in product(INSTRUCTIONS, ("32", "64"), "ABCD"):
        words = ("--instruction", instruction, f"--{matrix}-matrix", "--wavefront", wave)
        of = f'instruction = "{instruction}", matrix = "{matrix}", wave = {wave}'
        if matrix in "AB" or instruction not in SHORT:
            yield f"{{ {of} }}", words
            continue
        for half in (0, 1):
            yield f"{{ {of}, opsel = {half} }}", (*words, "--opsel", str(4 * half))


if __name__ == "__main__":
    text = "\n".join(lines(Path(sys.argv[1]))) + "\n"
    Path(__file__).with_suffix(".toml").write_text(text, encoding="utf-8")
