"""Class mutants: reference devices that are wrong exactly where something has a class of a parameter space."""
