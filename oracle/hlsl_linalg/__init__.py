"""HLSL linear algebra matrices: what the document demands of matrices, vectors and memory."""
