"""The float contract for whole batches, in certified float64; each module says what it adds to the proof."""
