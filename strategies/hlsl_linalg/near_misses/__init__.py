"""Near misses."""
