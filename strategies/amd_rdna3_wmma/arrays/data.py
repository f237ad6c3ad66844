"""The arrays of data of RDNA3: those of integers with every sign and clamp."""

from __future__ import annotations

from itertools import product

from mmaspec.strategies.amd_rdna3_wmma.arrays.kernel import WmmaKernel
from mmaspec.strategies.amd_rdna3_wmma.builder import Flags
from mmaspec.strategies.grammar import Chosen
from mmaspec.strategies.register_kernels.arrays.data import float_data, integer_data

_AXES = {
    "a-sign": ("unsigned", "signed"),
    "b-sign": ("unsigned", "signed"),
    "clamp": ("off", "on"),
    "data": ("patterns", "integer-ends"),
}
FLAGS = {"-".join(classes): dict(zip(_AXES, classes, strict=True)) for classes in product(*_AXES.values())}
"""Name -> classes of four axes that always meet all together: where a range ends is a matter of both signs."""


def flags_of(chosen: Chosen) -> Flags:
    """The flags of both calls."""
    return Flags((chosen["a-sign"] == "signed", chosen["b-sign"] == "signed"), chosen["clamp"] == "on")


FLOAT_DATA = float_data(WmmaKernel, ("RDNA3-FP-ACC", "RDNA3-FP-NAN", "RDNA3-AB-ROWCOL", "RDNA3-AB-PACK16"))
"""Operands in patterns, NaN of every kind, and sums that are tied or end their range."""

INTEGER_DATA = integer_data(
    WmmaKernel,
    ("RDNA3-IU-SIGN", "RDNA3-IU-CLAMP", "RDNA3-IU-NOCLAMP", "RDNA3-IU-DOT-RANGE", "RDNA3-AB-PACK8"),
    flags_of,
    axes={**_AXES, "flags": tuple(FLAGS)},
    rules=tuple(
        f"flags={name} with {axis}={other}"
        for name, classes in FLAGS.items()
        for axis, one in classes.items()
        for other in _AXES[axis]
        if other != one
    ),
)
"""Operands in patterns, and sums at the ends of the range of products and of 32 bits."""
