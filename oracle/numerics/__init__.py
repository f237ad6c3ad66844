"""Exact arithmetic of the oracle: formats, codes, sums, and the legal results of a device.

One module a subject, each readable alone:

- `codec`     bits to exact values, by integer code
- `ordinals`  the monotone integer code of a format's values, for whole arrays
- `rounding`  an exact value to the bits of a format, one function with a mode
- `rules`     the parameters of a float contract
- `legal`     the set of legal contents of an array, and judging against it
- `definition.dot`      the definition of the float contract for one element, in fractions
- `definition.referee`  the same answers in scaled integers
- `definition.models`   the definition of complete arithmetics (`programs.models`), for one element, in fractions
- `bulk.products`  the answers of `dot` for whole batches, in certified float64
- `bulk.models`    the answers of `definition.models` for whole batches
- `bulk.rounded`   the exact sum rounded once, for whole batches
- `contract`  multiply-add on floats, the entry point
- `verdict`   whether every D is legal, without computing the sets
- `integer`   multiply-add on integers; `integer_dot` the bits alone

The other modules of `bulk` each state the lemma that they add to the proof: `environment` (float64 is IEEE's),
`fixed_point` (rounding by bits), `certificate` (error bounds), `exact_sum` and `slices` (sums without error),
`operands` (facts about a batch), and the later stages for elements that an error bound left open: `undecided`, `ends`,
`fallback`.

Only the standard library, numpy and `mmaspec.programs` are imported.
"""
