"""Reads the results of tensor cores that others published, and makes ``tensor_cores.npz`` of some of them.

    git clone https://github.com/north-numerical-computing/MATLAB-tensor-core
    python tests/data/tensor_cores.py MATLAB-tensor-core

The folder ``model_validation`` there has, for each chip and format of operands, a file for each of A, B, C and for D in
each format. A line has a row of A, a column of B, an element of C or of D; numbers of all formats are written as those
of f32. TF32 is left out: no format here is that.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mmaspec.oracle.numerics.ordinals import exact_float64
from mmaspec.programs.formats import FORMATS, Format

SAMPLE = Path(__file__).with_suffix(".npz")
EVERY = 50
"""The sample has every so manieth row, from the first."""
OPERANDS = {"fp16": "f16", "bf16": "bf16", "E4M3": "e4m3", "E5M2": "e5m2"}
"""Folder of a format -> its name here."""
RESULTS = {"fp32": "f32", "fp16": "f16"}

Words = NDArray[np.uint64]
Arrays = dict[str, Words]
"""``CHIP/OPERANDS/a`` and ``b`` (rows, K), ``c`` (rows, 1) in f32, and ``d_f32`` and ``d_f16`` (rows, 1)."""


def published(folder: Path, chip: str, operands: str) -> Arrays:
    """What the folder ``model_validation`` of a clone has of one chip and one format of operands.

    Raises FileNotFoundError, and ValueError where a number is none of its format.
    """
    [where] = [name for name, here in OPERANDS.items() if here == operands]
    path, name = folder / chip / where, f"{chip}/{operands}"
    found = {
        f"{name}/{matrix}": codes(FORMATS[operands], words(path / f"{matrix}_{chip}_{where}.txt")) for matrix in "ab"
    }
    found[f"{name}/c"] = words(path / f"c_{chip}_fp32.txt")
    for there, here in RESULTS.items():
        if (file := path / f"d_{chip}_{there}.txt").is_file():
            found[f"{name}/d_{here}"] = codes(FORMATS[here], words(file))
    return found


def words(file: Path) -> Words:
    """The numbers of a file as bits of f32: 32 binary or 8 hexadecimal digits each."""
    lines = [line.split() for line in file.read_text(encoding="ascii").splitlines()]
    base = 2 if len(lines[0][0]) == 32 else 16
    return np.array([[int(number, base) for number in line] for line in lines], np.uint64)


def codes(fmt: Format, singles: Words) -> Words:
    """Bits of f32 as those of a format that has the same numbers. ValueError for one that it does not have."""
    if fmt.name == "f32":
        return singles
    every = np.arange(1 << fmt.bits, dtype=np.uint64)
    finite = every[(every & np.uint64(fmt.sign_bit - 1)) <= fmt.largest_magnitude]
    known = exact_float64(fmt, finite).astype(np.float32).view(np.uint32)
    order = np.argsort(known)
    at = order[np.minimum(np.searchsorted(known[order], singles), len(order) - 1)]
    if (known[at] != singles).any():
        raise ValueError(f"a number is none of {fmt.name}")
    return finite[at]


def smallest(numbers: Words) -> NDArray[np.unsignedinteger]:
    """The same in the narrowest type."""
    return numbers.astype(np.min_scalar_type(int(numbers.max())))


def main(clone: Path) -> None:
    """Write the sample."""
    folder, sample = clone / "model_validation", {}
    for path in sorted(path.parent for path in folder.glob("*/*/c_*_fp32.txt")):
        if path.name in OPERANDS:
            found = published(folder, path.parent.name, OPERANDS[path.name])
            sample.update((name, smallest(numbers[::EVERY])) for name, numbers in found.items())
    np.savez_compressed(SAMPLE, **sample)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
