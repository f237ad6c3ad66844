"""How programs are drawn: one grammar per specification, two drivers, data regimes, near misses, the reducer."""
