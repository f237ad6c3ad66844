"""How the classes of single elements of D, and of the sums that make them, are seen."""
