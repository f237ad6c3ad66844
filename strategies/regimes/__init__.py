"""Data regimes: how the values of a program are drawn."""
