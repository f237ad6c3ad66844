"""Exact arithmetic of the oracle: formats, codes, sums, and what a legal device may answer.

One module a subject, each readable alone:

- `formats`   the formats as rows of data; the only module that a backend may import
- `codec`     bits to exact values, by integer code
- `ordinals`  the monotone integer code of a format's values, for whole arrays
- `rounding`  an exact value to the bits of a format, one function with a mode
- `rules`     the parameters of a float contract
- `legal`     the set of legal contents of an array, and judging against it
- `dot`       the definition of the float contract for one element, in fractions
- `referee`   the same answers in scaled integers
- `bulk`      the same answers for whole batches, in certified float64
- `models`    arithmetics that are named completely, as data; `model_definition` says what they answer, for one element
- `model_bulk`  the same for whole batches
- `contract`  multiply-add on floats, the entry point
- `verdict`   is every D legal? the same answer without the sets
- `rounded`   the exact sum rounded once, for whole batches
- `integer`   multiply-add on integers; `integer_dot` the bits alone

Below these stand, each with the lemma it adds to the proof: `environment` (float64 is IEEE's), `fixed_point` (rounding
by bits), `certificate` (error bounds), `exact_sum` and `slices` (sums without error), `operands` (what a batch holds),
and the later stages of elements that a bound could not place: `undecided`, `ends`, `fallback`.

Only the standard library and numpy are imported, and nothing from the rest of mmaspec.
"""
