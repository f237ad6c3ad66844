"""How the classes of conversions, reductions and element-wise operations are seen."""
