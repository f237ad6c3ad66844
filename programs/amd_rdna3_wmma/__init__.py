"""Programs and caps of the RDNA3 matrix builtins, as data."""
