"""The reference device for the RDNA3 matrix builtins."""
