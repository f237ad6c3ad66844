"""Near misses: for each validity clause changes of a valid kernel that break it and no other."""
