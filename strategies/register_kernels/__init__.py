"""Kernels on fragments in registers, whatever a product is."""
