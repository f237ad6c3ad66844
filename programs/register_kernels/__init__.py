"""Kernels on matrices in registers, as data: what the specifications that say which lane holds what have in common.

A fragment is one vector variable that every lane of a wave has. ``buffer[block * lanes + lane]`` is how a kernel reads
or writes one: a buffer is a sequence of *blocks*, each holding one vector of every lane of a wave, one after the other.
"""

from __future__ import annotations

from mmaspec.programs.register_kernels.program import (
    Fill,
    Fragment,
    Load,
    Product,
    RegisterProgram,
    Repeat,
    Store,
    Use,
    is_product,
    products,
    writes,
)

__all__ = [
    "Fill",
    "Fragment",
    "Load",
    "Product",
    "RegisterProgram",
    "Repeat",
    "Store",
    "Use",
    "is_product",
    "products",
    "writes",
]
