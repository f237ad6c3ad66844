"""Coverage points: the clauses that act in an instruction, and in which circumstance."""

from mmaspec.oracle.nv_coopmat2.coverage.accesses import load_points, store_points
from mmaspec.oracle.nv_coopmat2.coverage.tensors import tensor_points

__all__ = ["load_points", "store_points", "tensor_points"]
