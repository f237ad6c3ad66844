"""Additions, casts and operations with scalars, element by element."""
