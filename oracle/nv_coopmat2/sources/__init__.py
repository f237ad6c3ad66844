"""The data of loads, and where they lie."""
