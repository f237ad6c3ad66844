"""Near misses of the text of 2025-09-19: of its own clauses, and of shared ones where its programs differ."""
