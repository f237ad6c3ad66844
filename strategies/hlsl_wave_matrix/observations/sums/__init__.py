"""Products and sums of whole matrices: their operands, how these lie, and exact sums of some of their elements."""
