"""Which clauses act in an instruction, and in what circumstance."""

from mmaspec.oracle.nv_coopmat2.coverage.accesses import load_atoms, store_atoms
from mmaspec.oracle.nv_coopmat2.coverage.tensors import tensor_atoms

__all__ = ["load_atoms", "store_atoms", "tensor_atoms"]
