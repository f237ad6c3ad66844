"""Counterfactuals of the RDNA3 matrix builtins."""
