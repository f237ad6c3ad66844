"""Golden examples as cases, and exhaustive sweeps of the arithmetic."""
