"""Arithmetic units of the numpy backend: the default one, and those of legal variants."""
